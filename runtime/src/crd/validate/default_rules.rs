//! CEL rules, evaluated on defaults.
//!
//! The server evaluates them twice: with the default as the old value, and without an old value.

use std::collections::BTreeMap;

use crdkit_core::{
    Rule,
    definition::Definition,
    json::Json,
    path::{Path, SchemaStep},
    rules::{self, defaults},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSON, JSONSchemaProps,
};

use crate::crd::{
    cel::evaluate::{
        compiled::CompiledRules,
        run::{Budget, Cause, Failure},
    },
    crd_accessors::{items, read, schema},
    validate::Violation,
};

/// The rules for defaults whose violation prevents the evaluation of CEL rules.
const PRECEDING_RULES: [Rule; 3] = [defaults::E4, defaults::E5, defaults::E6];

pub(super) fn check(crd: &CustomResourceDefinition, definition: &Definition<'_>, found: &mut Vec<Violation>) {
    let mut broken = Vec::new();
    let mut budgets = BTreeMap::<usize, Budget>::new();
    rules::visit_schemas(definition, &mut |at, location, node| {
        if !defaults::is_validated(node) {
            return;
        }
        let root = crd.spec.versions.get(at).and_then(schema);
        let Some(props) = root.and_then(|root| at_path(root, &node.path)) else {
            return;
        };
        let (Some(JSON(default)), Some(rules)) = (&props.default, CompiledRules::of(props)) else {
            return;
        };
        let place = location();
        let hides = |it: &Violation| it.path == place.path && PRECEDING_RULES.iter().any(|rule| rule.id == it.rule);
        if found.iter().any(hides) {
            return;
        }
        for failure in failures(&rules, &read::json(default), budgets.entry(at).or_default()) {
            broken.push(violation(place.clone(), &failure));
        }
    });
    found.append(&mut broken);
}

/// Returns the rules that a default violates. Other rules report those that do not compile.
fn failures(rules: &CompiledRules, default: &Json<'_>, budget: &mut Budget) -> Vec<Failure> {
    let before = *budget;
    let failures = |old, budget: &mut Budget| {
        let mut failures = rules.failures_within(old, default, budget);
        failures.retain(|failure| !matches!(failure, Failure::Rule { cause: Cause::DoesNotCompile, .. }));
        failures
    };
    let update = failures(Some(default), budget);
    if !update.is_empty() {
        return update;
    }
    // Both runs begin with the same budget, and the more expensive one counts.
    let mut of_create = before;
    let create = failures(None, &mut of_create);
    *budget = (*budget).min(of_create);
    create
}

fn violation(place: rules::Location, failure: &Failure) -> Violation {
    match failure {
        Failure::Rule { kind, place: within, value, detail, .. } => {
            Violation::new(place, &defaults::broken_rule(*kind, within, value.as_deref(), detail))
        }
        Failure::Budget { place: within, type_ } => Violation::new(place, &defaults::exceeded_budget(within, type_)),
    }
}

fn at_path<'p>(root: &'p JSONSchemaProps, path: &Path<'_>) -> Option<&'p JSONSchemaProps> {
    let Some((parent, step)) = path.last() else {
        return Some(root);
    };
    let parent = at_path(root, parent)?;
    match step {
        SchemaStep::Property(name) => parent.properties.as_ref()?.get(name),
        SchemaStep::Items => items(parent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::crd::validate::tests::of_spec;

    #[test]
    fn rules_hold_of_defaults() {
        for (rule, expected) in [
            ("self > 3", Some("failed rule: self > 3")),
            ("self == 1", None),
            // The default is also the old value.
            ("self == oldSelf", None),
            ("self > oldSelf", Some("failed rule: self > oldSelf")),
            ("1 / (self - 1) > 0", Some("division by zero evaluating rule: 1 / (self - 1) > 0")),
        ] {
            let rules = json!([{ "rule": rule }]);
            let schema = json!({ "type": "integer", "default": 1, "x-kubernetes-validations": rules });
            let violations = of_spec(schema);
            let found: Vec<_> = violations.iter().filter(|it| it.contains("breaks a rule")).collect();
            assert_eq!(found.len(), usize::from(expected.is_some()), "{rule}: {found:?}");
            assert!(found.iter().all(|it| it.contains(expected.unwrap())), "{found:?}");
        }
    }

    #[test]
    fn rules_on_what_does_not_fit_are_not_run() {
        let rules = json!([{ "rule": "self.size() > 3" }]);
        let schema = json!({ "type": "string", "default": 1, "x-kubernetes-validations": rules });
        assert!(!of_spec(schema).iter().any(|it| it.contains("breaks a rule")));
    }
}
