package main

import (
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

var groupVersion = schema.GroupVersion{Group: "vm.test", Version: "v1"}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &VirtualMachine{}, &VirtualMachineList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme
}

// DeepCopyObject is required by the interface, and never called by an informer.
func (in *VirtualMachine) DeepCopyObject() runtime.Object {
	out := *in
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	return &out
}

// DeepCopyObject is required by the interface, and never called by an informer.
func (in *VirtualMachineList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = append([]VirtualMachine(nil), in.Items...)
	return &out
}
