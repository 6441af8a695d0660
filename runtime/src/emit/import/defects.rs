//! Keywords that the server accepts, although no value passes or data is lost: derives and generated tests reject them.

use std::collections::BTreeSet;

use crdkit_core::{
    path::{Path, Step},
    rules::visit_schemas,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps as Props, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::{Value, json};

use crate::{
    props::read,
    validate::{Severity, Violation, validate},
};

/// Keywords that say what a value is: without them, it would be another one.
const KEPT: [&str; 6] =
    ["type", "properties", "items", "additionalProperties", "description", "x-kubernetes-int-or-string"];
/// Keywords that are left out before others that the same defect concerns.
const FIRST: [&str; 5] = ["default", "example", "nullable", "format", "pattern"];

/// Returns the definition without keywords that cause a defect, and notes about them.
pub(super) fn without_defects(crd: &CustomResourceDefinition) -> (CustomResourceDefinition, Vec<String>) {
    let mut crd = crd.clone();
    let (mut notes, mut remaining) = (Vec::new(), BTreeSet::new());
    let key = |defect: &Violation| (defect.rule, defect.path.clone());
    loop {
        let found = defects(&crd);
        let Some(defect) = found.iter().find(|defect| !remaining.contains(&key(defect))) else {
            return (crd, notes);
        };
        match without(&crd, defect, found.len()) {
            Some((repaired, keyword)) => {
                notes.push(format!("`{keyword}` of `{}` is left out: {}", defect.path, defect.message));
                crd = repaired;
            }
            None => {
                notes.push(format!("the derive rejects this: {defect}"));
                remaining.insert(key(defect));
            }
        }
    }
}

fn defects(crd: &CustomResourceDefinition) -> Vec<Violation> {
    validate(crd).into_iter().filter(|violation| violation.severity == Severity::Defect).collect()
}

/// Returns the definition without the keyword that causes a defect, and the keyword.
fn without(
    crd: &CustomResourceDefinition,
    defect: &Violation,
    count: usize,
) -> Option<(CustomResourceDefinition, String)> {
    let (version, steps) = place(crd, &defect.path)?;
    let mut changed = crd.clone();
    let root = changed.spec.versions[version].schema.as_ref()?.open_api_v3_schema.clone()?;
    let Value::Object(keywords) = json!(at(&mut root.clone(), &steps)?) else { return None };
    let mut names: Vec<_> = keywords.keys().filter(|name| !KEPT.contains(&name.as_str())).cloned().collect();
    names.sort_by_key(|name| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    for name in names {
        let mut rest = keywords.clone();
        rest.remove(&name);
        let mut root = root.clone();
        *at(&mut root, &steps)? = serde_json::from_value(Value::Object(rest)).ok()?;
        changed.spec.versions[version].schema.as_mut()?.open_api_v3_schema = Some(root);
        if defects(&changed).len() < count {
            return Some((changed, name));
        }
    }
    None
}

/// A step from a schema to one in it.
#[derive(Clone)]
enum Part {
    Property(String),
    Items,
    Values,
}

/// Returns the version and the steps to the schema at the path of a violation, or to the one that contains it.
fn place(crd: &CustomResourceDefinition, path: &str) -> Option<(usize, Vec<Part>)> {
    let definition = read::definition(crd);
    let mut best: Option<(usize, usize, Vec<Part>)> = None;
    visit_schemas(&definition, &mut |version, location, node| {
        let found = location().path;
        let is_longer = best.as_ref().is_none_or(|(length, ..)| found.len() > *length);
        if is_longer
            && path.strip_prefix(&found).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            && let Some(steps) = steps(&node.path)
        {
            best = Some((found.len(), version, steps));
        }
    });
    best.map(|(_, version, steps)| (version, steps))
}

fn steps(path: &Path<'_>) -> Option<Vec<Part>> {
    let Some((parent, step)) = path.last() else {
        return Some(Vec::new());
    };
    let mut steps = steps(parent)?;
    steps.push(match step {
        Step::Property(name) => Part::Property((*name).to_owned()),
        Step::Items => Part::Items,
        Step::Values => Part::Values,
        _ => return None,
    });
    Some(steps)
}

fn at<'p>(schema: &'p mut Props, steps: &[Part]) -> Option<&'p mut Props> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(schema);
    };
    let part = match step {
        Part::Property(name) => schema.properties.as_mut()?.get_mut(name)?,
        Part::Items => match schema.items.as_mut()? {
            JSONSchemaPropsOrArray::Schema(items) => items,
            JSONSchemaPropsOrArray::Schemas(_) => return None,
        },
        Part::Values => match schema.additional_properties.as_mut()? {
            JSONSchemaPropsOrBool::Schema(values) => values,
            JSONSchemaPropsOrBool::Bool(_) => return None,
        },
    };
    at(part, rest)
}
