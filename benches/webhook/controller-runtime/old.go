package main

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"crdkit/benches/shared"
)

// hub is the version v1.
type hub struct{ shared.VirtualMachine }

// Hub implements conversion.Hub.
func (*hub) Hub() {}

// DeepCopyObject implements runtime.Object.
func (in *hub) DeepCopyObject() runtime.Object {
	out := new(hub)
	in.DeepCopyInto(&out.VirtualMachine)
	return out
}

// oldMachine is the version v1alpha1, as on the benchmark's Rust side.
type oldMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   oldSpec                      `json:"spec"`
	Status *shared.VirtualMachineStatus `json:"status,omitempty"`
}

type oldSpec struct {
	Millicores   int64              `json:"millicores"`
	RAM          shared.Quantity    `json:"ram"`
	Image        string             `json:"image"`
	Replicas     int32              `json:"replicas"`
	Zone         string             `json:"zone"`
	Paused       bool               `json:"paused"`
	RunStrategy  shared.RunStrategy `json:"runStrategy"`
	Args         []string           `json:"args"`
	Disks        []oldDisk          `json:"disks"`
	Networks     []shared.Network   `json:"networks"`
	NodeSelector map[string]string  `json:"nodeSelector"`
	Probe        *shared.Probe      `json:"probe,omitempty"`
}

type oldDisk struct {
	Name         string          `json:"name"`
	Capacity     shared.Quantity `json:"capacity"`
	StorageClass *string         `json:"storageClass,omitempty"`
	Boot         bool            `json:"boot"`
}

// DeepCopyObject implements runtime.Object. Nothing copies objects here.
func (in *oldMachine) DeepCopyObject() runtime.Object {
	out := *in
	return &out
}

// ConvertTo implements conversion.Convertible.
func (in *oldMachine) ConvertTo(to conversion.Hub) error {
	out := to.(*hub)
	out.ObjectMeta = in.ObjectMeta
	spec := &in.Spec
	out.Spec = shared.VirtualMachineSpec{
		CPU:          shared.Quantity(fmt.Sprintf("%dm", spec.Millicores)),
		Memory:       spec.RAM,
		Image:        spec.Image,
		Replicas:     spec.Replicas,
		Zone:         spec.Zone,
		Paused:       spec.Paused,
		RunStrategy:  spec.RunStrategy,
		Args:         spec.Args,
		Networks:     spec.Networks,
		NodeSelector: spec.NodeSelector,
		Probe:        spec.Probe,
	}
	for _, disk := range spec.Disks {
		converted := shared.Disk{Name: disk.Name, Size: disk.Capacity, StorageClass: disk.StorageClass, Boot: disk.Boot}
		out.Spec.Disks = append(out.Spec.Disks, converted)
	}
	out.Status = in.Status
	return nil
}

// ConvertFrom implements conversion.Convertible.
func (in *oldMachine) ConvertFrom(from conversion.Hub) error {
	hub := from.(*hub)
	spec := &hub.Spec
	millicores, err := strconv.ParseInt(strings.TrimSuffix(string(spec.CPU), "m"), 10, 64)
	if err != nil {
		return err
	}
	in.ObjectMeta = hub.ObjectMeta
	in.Spec = oldSpec{
		Millicores:   millicores,
		RAM:          spec.Memory,
		Image:        spec.Image,
		Replicas:     spec.Replicas,
		Zone:         spec.Zone,
		Paused:       spec.Paused,
		RunStrategy:  spec.RunStrategy,
		Args:         spec.Args,
		Networks:     spec.Networks,
		NodeSelector: spec.NodeSelector,
		Probe:        spec.Probe,
	}
	for _, disk := range spec.Disks {
		converted := oldDisk{Name: disk.Name, Capacity: disk.Size, StorageClass: disk.StorageClass, Boot: disk.Boot}
		in.Spec.Disks = append(in.Spec.Disks, converted)
	}
	in.Status = hub.Status
	return nil
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(shared.GroupVersion.WithKind("VirtualMachine"), &hub{})
	old := schema.GroupVersion{Group: shared.GroupVersion.Group, Version: "v1alpha1"}
	scheme.AddKnownTypeWithName(old.WithKind("VirtualMachine"), &oldMachine{})
	metav1.AddToGroupVersion(scheme, shared.GroupVersion)
	metav1.AddToGroupVersion(scheme, old)
	return scheme
}
