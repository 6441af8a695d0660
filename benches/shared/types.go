// Package shared has what the Go programs of the benchmarks have in common: the objects, and what a process uses.
package shared

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// VirtualMachine is the type of the benchmark's Rust side, with the same fields.
type VirtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   VirtualMachineSpec    `json:"spec"`
	Status *VirtualMachineStatus `json:"status,omitempty"`
}

// VirtualMachineSpec is the desired state.
type VirtualMachineSpec struct {
	CPU          Quantity          `json:"cpu"`
	Memory       Quantity          `json:"memory"`
	Image        string            `json:"image"`
	Replicas     int32             `json:"replicas"`
	Zone         string            `json:"zone"`
	Paused       bool              `json:"paused"`
	RunStrategy  RunStrategy       `json:"runStrategy"`
	Args         []string          `json:"args"`
	Disks        []Disk            `json:"disks"`
	Networks     []Network         `json:"networks"`
	NodeSelector map[string]string `json:"nodeSelector"`
	Probe        *Probe            `json:"probe,omitempty"`
}

// Quantity is a string, as in k8s-openapi. A resource.Quantity would have to be parsed as well.
type Quantity string

// RunStrategy determines when the machine runs.
type RunStrategy string

// Disk is a disk of a machine.
type Disk struct {
	Name         string   `json:"name"`
	Size         Quantity `json:"size"`
	StorageClass *string  `json:"storageClass,omitempty"`
	Boot         bool     `json:"boot"`
}

// Network is a network of a machine.
type Network struct {
	Name    string  `json:"name"`
	Address *string `json:"address,omitempty"`
}

// Probe checks that a machine works.
type Probe struct {
	Port          int32  `json:"port"`
	Path          string `json:"path"`
	PeriodSeconds int32  `json:"periodSeconds"`
}

// VirtualMachineStatus is the observed state.
type VirtualMachineStatus struct {
	Phase              string             `json:"phase"`
	Replicas           int32              `json:"replicas"`
	ObservedGeneration *int64             `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// VirtualMachineList is a list of VirtualMachines.
type VirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []VirtualMachine `json:"items"`
}

// GroupVersion is that of VirtualMachines.
var GroupVersion = schema.GroupVersion{Group: "vm.test", Version: "v1"}

// NewScheme returns a scheme with VirtualMachines.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(GroupVersion, &VirtualMachine{}, &VirtualMachineList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return scheme
}

// DeepCopyInto copies all fields, as controller-gen generates it.
func (in *VirtualMachine) DeepCopyInto(out *VirtualMachine) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Args = slices.Clone(in.Spec.Args)
	out.Spec.Networks = slices.Clone(in.Spec.Networks)
	out.Spec.NodeSelector = maps.Clone(in.Spec.NodeSelector)
	out.Spec.Probe = copyOf(in.Spec.Probe)
	out.Spec.Disks = slices.Clone(in.Spec.Disks)
	for i := range out.Spec.Disks {
		out.Spec.Disks[i].StorageClass = copyOf(in.Spec.Disks[i].StorageClass)
	}
	for i := range out.Spec.Networks {
		out.Spec.Networks[i].Address = copyOf(in.Spec.Networks[i].Address)
	}
	if in.Status != nil {
		out.Status = copyOf(in.Status)
		out.Status.ObservedGeneration = copyOf(in.Status.ObservedGeneration)
		out.Status.Conditions = make([]metav1.Condition, len(in.Status.Conditions))
		for i := range in.Status.Conditions {
			in.Status.Conditions[i].DeepCopyInto(&out.Status.Conditions[i])
		}
	}
}

func copyOf[T any](in *T) *T {
	if in == nil {
		return nil
	}
	out := *in
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *VirtualMachine) DeepCopyObject() runtime.Object {
	out := new(VirtualMachine)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject implements runtime.Object.
func (in *VirtualMachineList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]VirtualMachine, len(in.Items))
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return &out
}
