// Package boats tests on an API server that runs already, with controller-runtime's envtest.
package boats

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Boat"}

func boat(name string, crew int64) *unstructured.Unstructured {
	boat := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"crew": crew}}}
	boat.SetGroupVersionKind(kind)
	boat.SetNamespace(metav1.NamespaceDefault)
	boat.SetName(name)
	return boat
}

func TestBoats(t *testing.T) {
	existing := true
	environment := envtest.Environment{UseExistingCluster: &existing} // that of KUBECONFIG
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	boats, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := boats.Create(t.Context(), boat("go", 3)); err != nil {
		t.Fatal(err)
	}
	err = boats.Create(t.Context(), boat("empty", 0))
	if err == nil || !strings.Contains(err.Error(), "spec.crew") {
		t.Fatalf("a boat without a crew: %v", err)
	}

	informers, err := cache.New(config, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	go informers.Start(t.Context())
	found := boat("", 0)
	for range 100 {
		if err = informers.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "go"}, found); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(err)
}
