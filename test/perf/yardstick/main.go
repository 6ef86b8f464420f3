// Command yardstick is compared with Vexil's reconciling: it is a controller-runtime operator in Go that judges
// feature flags and writes one status per flag. Only `make bench` builds it.
//
// It is meant to be hard to beat. Where it is like Vexil, it works as a good Go operator does: typed objects in a cache
// without the fields that nobody reads, 16 flags at a time, no rate limit of its own, a status written by server-side
// apply only if it has changed, and a change of a project or environment enqueues the flags that name it.
//
// It does less than Vexil: no admin API and no metrics, no status of projects and environments, no election of a
// leader; it keeps only the fields that it judges by, uses metadata.name as the name, and keeps a status that
// another user has changed.
//
// KUBECONFIG names the cluster; environments are in the namespace of its current context.
// YARDSTICK_NAMESPACES lists the namespaces with projects and flags, separated by commas. It logs to the standard
// output, a JSON object per line, and ends on SIGTERM, or when its standard input ends with its parent process.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// The same number as the concurrency in src/kinds/feature-flag.ts.
const flagsAtOnce = 16

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stdout)))
	ctx, cancel := context.WithCancel(ctrl.SetupSignalHandler())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := run(ctx); err != nil {
		ctrl.Log.Error(err, "the yardstick failed")
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	namespaces := os.Getenv("YARDSTICK_NAMESPACES")
	if namespaces == "" {
		return errors.New("YARDSTICK_NAMESPACES must list the namespaces with projects and flags")
	}
	kubeconfig := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil)
	home, _, err := kubeconfig.Namespace()
	if err != nil {
		return err
	}
	config, err := kubeconfig.ClientConfig()
	if err != nil {
		return err
	}
	// client-go allows itself 5 requests a second by default, so only its own limit would be measured. Vexil
	// has none either.
	config.QPS = -1
	mgr, err := newManager(config, home, strings.Split(namespaces, ","))
	if err != nil {
		return err
	}
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		return tellWhenSynced(ctx, mgr.GetCache())
	})); err != nil {
		return err
	}
	if err := reconcileWith(mgr, home); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func reconcileWith(mgr manager.Manager, home string) error {
	r := &reconciler{mgr.GetClient(), home}
	return ctrl.NewControllerManagedBy(mgr).
		For(&FeatureFlag{}).
		Watches(&Project{}, r.wake(func(flag *FeatureFlag, project client.Object) bool {
			return client.ObjectKeyFromObject(project) == projectOf(flag)
		})).
		Watches(&Environment{}, r.wake(func(flag *FeatureFlag, environment client.Object) bool {
			_, isNamed := flag.Spec.Environments[environment.GetName()]
			return isNamed
		})).
		// Its own status writes enqueue no flag.
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: flagsAtOnce}).
		Complete(r)
}

func newManager(config *rest.Config, home string, namespaces []string) (manager.Manager, error) {
	watched := make(map[string]cache.Config, len(namespaces))
	for _, namespace := range namespaces {
		watched[namespace] = cache.Config{}
	}
	scheme := runtime.NewScheme()
	addKinds(scheme)
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: watched,
			DefaultTransform:  withoutBulk,
			ByObject: map[client.Object]cache.ByObject{
				&Environment{}: {Namespaces: map[string]cache.Config{home: {}}},
			},
		},
	})
}

// withoutBulk removes managedFields and the annotation of kubectl from objects in the cache.
func withoutBulk(cached any) (any, error) {
	if object, ok := cached.(client.Object); ok {
		object.SetManagedFields(nil)
		delete(object.GetAnnotations(), corev1.LastAppliedConfigAnnotation)
	}
	return cached, nil
}

func tellWhenSynced(ctx context.Context, informers cache.Informers) error {
	for _, kind := range []client.Object{&FeatureFlag{}, &Project{}, &Environment{}} {
		if _, err := informers.GetInformer(ctx, kind); err != nil {
			return err
		}
	}
	ctrl.Log.Info("cache: synced")
	return nil
}
