//! MutatingAdmissionPolicies and their bindings.

use crdkit_core::{
    ErrorType,
    cel::{AdmissionScope, ResultType},
    go::quote,
    rules::admission_registration::{H8, H10, H35},
};
use serde_json::Value;

use crate::crd::admission_registration::{Errors, items, text, texts};

/// Objects of other operations cannot be mutated.
const OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];

impl Errors<'_> {
    pub(super) fn mutating_policy(&mut self, spec: &Value) {
        self.one_of(&H8, spec, "failurePolicy", &["Fail", "Ignore"]);
        let scope = self.parameter_kind(&spec["paramKind"]);
        self.match_constraints(&spec["matchConstraints"]);
        self.mutated_operations("matchConstraints", &spec["matchConstraints"]);
        self.conditions(spec, &scope);
        let scope = self.variables(spec, scope.with_variables()).with_patch_types();
        if items(&spec["mutations"]).next().is_none() {
            self.required(&H35, "mutations", "mutations must contain at least one item");
        }
        for (index, mutation) in items(&spec["mutations"]) {
            self.below(&format!("mutations[{index}]")).mutation(mutation, &scope);
        }
        match text(spec, "reinvocationPolicy") {
            "" => self.required(&H8, "reinvocationPolicy", ""),
            _ => self.one_of(&H8, spec, "reinvocationPolicy", &["IfNeeded", "Never"]),
        }
    }

    pub(super) fn mutating_binding(&mut self, spec: &Value) {
        self.binding_of_policy(spec);
        self.mutated_operations("matchResources", &spec["matchResources"]);
    }

    fn mutated_operations(&mut self, field: &str, resources: &Value) {
        for (_, rule) in items(&resources["resourceRules"]) {
            for operation in texts(&rule["operations"]).into_iter().filter(|it| !OPERATIONS.contains(it)) {
                self.not_supported(&H10, &format!("{field}.resourceRules.operations"), operation, &OPERATIONS);
            }
        }
    }

    fn mutation(&mut self, mutation: &Value, scope: &AdmissionScope) {
        const TYPES: [(&str, &str, &str, ResultType); 2] = [
            ("ApplyConfiguration", "applyConfiguration", "jsonPatch", ResultType::Object),
            ("JSONPatch", "jsonPatch", "applyConfiguration", ResultType::JsonPatch),
        ];
        let patch_type = text(mutation, "patchType");
        if patch_type.is_empty() {
            return self.required(&H35, "patchType", "");
        }
        let Some((name, own, other, result)) = TYPES.iter().find(|(name, ..)| *name == patch_type) else {
            return self.not_supported(&H35, "patchType", patch_type, &TYPES.map(|(name, ..)| name));
        };
        if mutation[*own].is_object() {
            let expression = text(&mutation[*own], "expression").trim();
            self.below(own)
                .expression(&H35, "expression", expression, "", *result, |source| scope.compile(source, *result));
        } else {
            self.required(&H35, own, &format!("must be specified when patchType is {name}"));
        }
        if mutation[*other].is_object() {
            let value = Some(quote(&format!("{{{other}}}")));
            self.add(
                &H35,
                other,
                ErrorType::Invalid,
                value,
                &format!("must not be specified when patchType is {name}"),
            );
        }
    }
}
