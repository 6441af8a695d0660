package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"crdkit/benches/shared"
)

// policy has the rules of the benchmark's Rust side.
type policy struct{}

// ValidateCreate implements admission.Validator.
func (policy) ValidateCreate(_ context.Context, machine *hub) (admission.Warnings, error) {
	return validate(machine)
}

// ValidateUpdate implements admission.Validator.
func (policy) ValidateUpdate(_ context.Context, old, machine *hub) (admission.Warnings, error) {
	if old.Spec.Zone != machine.Spec.Zone {
		path := field.NewPath("spec", "zone")
		return nil, invalid(machine, field.ErrorList{field.Forbidden(path, "a machine stays in its zone")})
	}
	return validate(machine)
}

// ValidateDelete implements admission.Validator.
func (policy) ValidateDelete(context.Context, *hub) (admission.Warnings, error) { return nil, nil }

// Default implements admission.Defaulter.
func (policy) Default(_ context.Context, machine *hub) error {
	if _, ok := machine.Labels["team"]; !ok {
		if machine.Labels == nil {
			machine.Labels = map[string]string{}
		}
		machine.Labels["team"] = "none"
	}
	if machine.Spec.Zone == "" {
		machine.Spec.Zone = "eu-central-1a"
	}
	return nil
}

func validate(machine *hub) (admission.Warnings, error) {
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if machine.Spec.Image == "" {
		errs = append(errs, field.Required(spec.Child("image"), "an image is needed to boot"))
	}
	if machine.Spec.Replicas < 0 {
		errs = append(errs, field.Invalid(spec.Child("replicas"), machine.Spec.Replicas, "must not be negative"))
	}
	names := map[string]bool{}
	for i, disk := range machine.Spec.Disks {
		if names[disk.Name] {
			errs = append(errs, field.Duplicate(spec.Child("disks").Index(i).Child("name"), disk.Name))
		}
		names[disk.Name] = true
	}
	var warnings admission.Warnings
	if machine.Spec.Paused {
		warnings = append(warnings, "the machine is paused")
	}
	return warnings, invalid(machine, errs)
}

func invalid(machine *hub, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return errors.NewInvalid(shared.GroupVersion.WithKind("VirtualMachine").GroupKind(), machine.Name, errs)
}
