package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// fieldManager owns every status.
const fieldManager = client.FieldOwner("vexil-yardstick")

// conflictPause is the longest that Vexil waits after a first failure.
const conflictPause = 100 * time.Millisecond

// reconciler keeps the status of flags true to their spec, their project and their environments.
type reconciler struct {
	// The client reads from the cache.
	client client.Client
	// The namespace of all environments.
	home string
}

// wake enqueues the flags that a change of another object concerns. Such changes are rare, so reading all flags costs
// less than an index of them.
func (r *reconciler) wake(concerns func(*FeatureFlag, client.Object) bool) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, changed client.Object) []ctrl.Request {
		var flags FeatureFlagList
		if err := r.client.List(ctx, &flags, client.UnsafeDisableDeepCopy); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "flags could not be woken")
			return nil
		}
		var requests []ctrl.Request
		for i := range flags.Items {
			if concerns(&flags.Items[i], changed) {
				requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&flags.Items[i])})
			}
		}
		return requests
	})
}

// Reconcile judges a flag, and writes its status if it has changed. A new generation always changes it.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var flag FeatureFlag
	if err := r.client.Get(ctx, request.NamespacedName, &flag); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !flag.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	status, err := r.judge(ctx, &flag)
	if err != nil || equality.Semantic.DeepEqual(&flag.Status, status) {
		return ctrl.Result{}, err
	}
	err = r.write(ctx, &flag, status)
	if apierrors.IsConflict(err) {
		// Another writer was faster, which is no failure: the cache receives the newer flag in a moment.
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	}
	return ctrl.Result{}, err
}

// judge returns the part of a flag that is in effect.
func (r *reconciler) judge(ctx context.Context, flag *FeatureFlag) (*FeatureFlagStatus, error) {
	ready := metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		ObservedGeneration: flag.Generation,
		Reason:             "Succeeded",
		Message:            "Everything in the spec is in effect",
	}
	complain := func(reason, message string) {
		if ready.Status == metav1.ConditionTrue {
			ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, reason, message
		}
	}
	var project Project
	hasProject, err := r.find(ctx, projectOf(flag), &project)
	if err != nil {
		return nil, err
	}
	if !hasProject {
		complain("ProjectNotFound", fmt.Sprintf("there is no project %q", projectOf(flag).Name))
	}
	effects := make(map[string]Effect, len(flag.Spec.Environments))
	var enabledIn []string
	for _, name := range slices.Sorted(maps.Keys(flag.Spec.Environments)) {
		exists, err := r.find(ctx, client.ObjectKey{Namespace: r.home, Name: name}, &Environment{})
		if err != nil {
			return nil, err
		}
		isUsed := project.Spec.Environments == nil || slices.Contains(project.Spec.Environments, name)
		switch {
		case !exists:
			complain("EnvironmentNotFound", fmt.Sprintf("there is no environment %q", name))
		case !isUsed:
			complain("EnvironmentNotInProject", fmt.Sprintf("the project does not use the environment %q", name))
		}
		wanted, strategies := flag.Spec.Environments[name].state()
		effect := Effect{Enabled: wanted && hasProject && exists && isUsed, Strategies: strategies}
		effects[name] = effect
		if effect.Enabled {
			enabledIn = append(enabledIn, name)
		}
	}
	status := &FeatureFlagStatus{
		ObservedGeneration: flag.Generation,
		Conditions:         slices.Clone(flag.Status.Conditions),
		Environments:       effects,
		EnabledIn:          strings.Join(enabledIn, ","),
	}
	meta.SetStatusCondition(&status.Conditions, ready)
	return status, nil
}

// find reads the object from the cache, if it exists.
func (r *reconciler) find(ctx context.Context, key client.ObjectKey, object client.Object) (bool, error) {
	err := r.client.Get(ctx, key, object)
	return err == nil, client.IgnoreNotFound(err)
}

// write applies a status. With uid and version, a status that was computed from an older flag is a conflict.
func (r *reconciler) write(ctx context.Context, flag *FeatureFlag, status *FeatureFlagStatus) error {
	return r.client.Status().Apply(ctx, &FeatureFlagApply{
		TypeMetaApplyConfiguration: *metav1ac.TypeMeta().WithAPIVersion(groupVersion.String()).WithKind("FeatureFlag"),
		ObjectMetaApplyConfiguration: metav1ac.ObjectMeta().WithNamespace(flag.Namespace).WithName(flag.Name).
			WithUID(flag.UID).WithResourceVersion(flag.ResourceVersion),
		Status: status,
	}, fieldManager, client.ForceOwnership)
}

func projectOf(flag *FeatureFlag) client.ObjectKey {
	key := client.ObjectKey{Namespace: flag.Namespace, Name: flag.Spec.Project}
	if key.Name == "" {
		key.Name = "default"
	}
	return key
}

// state reports whether the flag is on with a strategy that is not disabled, and how many strategies there are.
func (e *FlagEnvironment) state() (isOn bool, strategies int) {
	if e == nil {
		return false, 0
	}
	for _, strategy := range e.Strategies {
		if strategy == nil {
			continue
		}
		strategies++
		isOn = isOn || e.Enabled && !strategy.Disabled
	}
	return isOn, strategies
}
