package main

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
)

// The kinds of vexil.dev/v1beta1, each with the fields that the yardstick judges by.

var groupVersion = schema.GroupVersion{Group: "vexil.dev", Version: "v1beta1"}

// addKinds does what AddToScheme does in generated code.
func addKinds(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion,
		&FeatureFlag{}, &FeatureFlagList{},
		&Project{}, &ProjectList{},
		&Environment{}, &EnvironmentList{},
	)
	metav1.AddToGroupVersion(scheme, groupVersion)
}

// FeatureFlag is one flag.
type FeatureFlag struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FeatureFlagSpec   `json:"spec,omitempty"`
	Status FeatureFlagStatus `json:"status,omitempty"`
}

// FeatureFlagSpec is the wanted state of a flag.
type FeatureFlagSpec struct {
	Project      string                      `json:"project,omitempty"`
	Environments map[string]*FlagEnvironment `json:"environments,omitempty"`
}

// FlagEnvironment is the switch of a flag in one environment.
type FlagEnvironment struct {
	Enabled    bool                 `json:"enabled,omitempty"`
	Strategies map[string]*Strategy `json:"strategies,omitempty"`
}

// Strategy selects the users that a flag is on for.
type Strategy struct {
	Disabled bool `json:"disabled,omitempty"`
}

// FeatureFlagStatus is the part of a flag that is in effect.
type FeatureFlagStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Environments       map[string]Effect  `json:"environments,omitempty"`
	EnabledIn          string             `json:"enabledIn,omitempty"`
}

// Effect is the state that is in effect in one environment.
type Effect struct {
	Enabled    bool `json:"enabled"`
	Strategies int  `json:"strategies"`
}

// FeatureFlagApply is the part of a FeatureFlag that the yardstick owns, for server-side apply.
type FeatureFlagApply struct {
	metav1ac.TypeMetaApplyConfiguration    `json:",inline"`
	*metav1ac.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`

	Status *FeatureFlagStatus `json:"status,omitempty"`
}

// IsApplyConfiguration marks the type as an apply configuration.
func (*FeatureFlagApply) IsApplyConfiguration() {}

// Project is a project that flags belong to.
type Project struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ProjectSpec `json:"spec,omitempty"`
}

// ProjectSpec names the environments that a project uses; without names, it uses all.
type ProjectSpec struct {
	Environments []string `json:"environments,omitempty"`
}

// Environment is a place where flags are on or off.
type Environment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// FeatureFlagList is a list of flags.
type FeatureFlagList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []FeatureFlag `json:"items"`
}

// ProjectList is a list of projects.
type ProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Project `json:"items"`
}

// EnvironmentList is a list of environments.
type EnvironmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Environment `json:"items"`
}

// DeepCopyObject shares nothing with the original.
func (f *FeatureFlag) DeepCopyObject() runtime.Object {
	out := *f
	out.ObjectMeta = *f.ObjectMeta.DeepCopy()
	out.Spec.Environments = copyMap(f.Spec.Environments, (*FlagEnvironment).deepCopy)
	// A condition holds no reference except the location of its time, which never changes.
	out.Status.Conditions = slices.Clone(f.Status.Conditions)
	out.Status.Environments = maps.Clone(f.Status.Environments)
	return &out
}

func (e *FlagEnvironment) deepCopy() *FlagEnvironment {
	if e == nil {
		return nil
	}
	out := *e
	out.Strategies = copyMap(e.Strategies, (*Strategy).deepCopy)
	return &out
}

func (s *Strategy) deepCopy() *Strategy {
	if s == nil {
		return nil
	}
	out := *s
	return &out
}

// DeepCopyObject shares nothing with the original.
func (p *Project) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	out.Spec.Environments = slices.Clone(p.Spec.Environments)
	return &out
}

// DeepCopyObject shares nothing with the original.
func (e *Environment) DeepCopyObject() runtime.Object {
	out := *e
	out.ObjectMeta = *e.ObjectMeta.DeepCopy()
	return &out
}

// DeepCopyObject shares nothing with the original.
func (l *FeatureFlagList) DeepCopyObject() runtime.Object {
	return &FeatureFlagList{l.TypeMeta, *l.ListMeta.DeepCopy(), copyItems(l.Items)}
}

// DeepCopyObject shares nothing with the original.
func (l *ProjectList) DeepCopyObject() runtime.Object {
	return &ProjectList{l.TypeMeta, *l.ListMeta.DeepCopy(), copyItems(l.Items)}
}

// DeepCopyObject shares nothing with the original.
func (l *EnvironmentList) DeepCopyObject() runtime.Object {
	return &EnvironmentList{l.TypeMeta, *l.ListMeta.DeepCopy(), copyItems(l.Items)}
}

func copyMap[T any](from map[string]*T, deepCopy func(*T) *T) map[string]*T {
	if from == nil {
		return nil
	}
	out := make(map[string]*T, len(from))
	for key, value := range from {
		out[key] = deepCopy(value)
	}
	return out
}

func copyItems[T any, P interface {
	*T
	runtime.Object
}](items []T) []T {
	if items == nil {
		return nil
	}
	out := make([]T, len(items))
	for i := range items {
		out[i] = *any(P(&items[i]).DeepCopyObject()).(*T)
	}
	return out
}
