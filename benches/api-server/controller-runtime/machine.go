package main

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"crdkit/benches/shared"
)

// namespaces is the number of namespaces of the objects.
const namespaces = 100

func (c *course) key(number int) client.ObjectKey {
	return client.ObjectKey{
		Namespace: fmt.Sprintf("team-%03d", number*namespaces/c.work.Objects),
		Name:      fmt.Sprintf("machine-%07d", number),
	}
}

// machine returns an object with the fields of those of the Rust side (../../src/objects/text.rs).
func machine(key client.ObjectKey, number int) *shared.VirtualMachine {
	fast, capacity := "fast-replicated", "capacity"
	address := fmt.Sprintf("10.%d.%d.%d", 100+number%100, 100+number/100%100, 100+number/10_000%100)
	return &shared.VirtualMachine{
		TypeMeta: metav1.TypeMeta{APIVersion: "vm.test/v1", Kind: "VirtualMachine"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      key.Name,
			Namespace: key.Namespace,
			Labels: map[string]string{
				"app": fmt.Sprintf("shop-%02d", number%50), "app.kubernetes.io/part-of": "shop", "tier": "front",
			},
			Annotations: map[string]string{
				"example.com/contact":  "the team of the shop, who answer at any time, all day long.",
				"example.com/revision": fmt.Sprintf("b2f6f1a8d2bc4d9ab6c1a3f7%08x", number),
			},
		},
		Spec: shared.VirtualMachineSpec{
			CPU:         "2500m",
			Memory:      "16Gi",
			Image:       "registry.example.com/debian-trixie:2026.02.11",
			Replicas:    3,
			Zone:        "eu-central-1b",
			RunStrategy: "Always",
			Args:        []string{"--serial-console", "--cloud-init=/etc/cloud/shop-front.yaml", "--log-level=info"},
			Disks: []shared.Disk{
				{Name: "root", Size: "40Gi", StorageClass: &fast, Boot: true},
				{Name: "data", Size: "500Gi", StorageClass: &capacity},
			},
			Networks:     []shared.Network{{Name: "frontend", Address: &address}, {Name: "storage"}},
			NodeSelector: map[string]string{"kubernetes.io/arch": "amd64", "pool": "virtual-machines"},
			Probe:        &shared.Probe{Port: 8080, Path: "/healthz", PeriodSeconds: 10},
		},
	}
}

func status() *shared.VirtualMachineStatus {
	return &shared.VirtualMachineStatus{
		Phase:    "Running",
		Replicas: 3,
		Conditions: []metav1.Condition{{
			Type: "Ready", Status: "True", Reason: "AllRunning", Message: "all 3 machines answer their probes",
			LastTransitionTime: metav1.Now(), ObservedGeneration: 1,
		}},
	}
}

// configuration returns what another manager applies.
func configuration(object *shared.VirtualMachine) *unstructured.Unstructured {
	whole, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	shared.Check(err)
	spec := whole["spec"].(map[string]any)
	spec["replicas"] = int64(5)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": object.APIVersion,
		"kind":       object.Kind,
		"metadata": map[string]any{
			"name": object.Name, "namespace": object.Namespace, "labels": map[string]any{"tier": "back"},
		},
		"spec": spec,
	}}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
