//! Keywords that the server accepts, although no value passes or data is lost: derives and generated tests reject them.

use std::collections::BTreeSet;

use crdkit::{
    __internal::crd_accessors::read,
    validate::{Severity, Violation, validate},
};
use crdkit_core::{
    path::{Path, SchemaStep},
    rules::visit_schemas,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps as Props, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::{Value, json};

/// Keywords that say what a value is: without them, it would be another one.
const KEPT: [&str; 6] =
    ["type", "properties", "items", "additionalProperties", "description", "x-kubernetes-int-or-string"];
/// Keywords that are left out before others that the same defect concerns.
const FIRST: [&str; 5] = ["default", "example", "nullable", "format", "pattern"];

/// Returns the definition without what causes a defect, and notes about it.
pub(super) fn without_defects(crd: &CustomResourceDefinition) -> (CustomResourceDefinition, Vec<String>) {
    let mut crd = crd.clone();
    crd.spec.conversion = None; // types have none
    let (mut notes, mut remaining) = (Vec::new(), BTreeSet::new());
    let key = |defect: &Violation| (defect.rule, defect.path.clone());
    loop {
        let found = defects(&crd);
        let Some(defect) = found.iter().find(|defect| !remaining.contains(&key(defect))) else {
            return (crd, notes);
        };
        let mut repairs = repairs_of_parts(&crd, defect);
        repairs.extend(repairs_of_schemas(&crd, defect).unwrap_or_default());
        let repair = repairs.into_iter().find(|repair| defects(&repair.crd).len() < found.len());
        if let Some(repair) = repair {
            notes.push(format!("{}: {}", repair.what, defect.message));
            crd = repair.crd;
        } else {
            notes.push(format!("the derive rejects this: {defect}"));
            remaining.insert(key(defect));
        }
    }
}

fn defects(crd: &CustomResourceDefinition) -> Vec<Violation> {
    validate(crd).into_iter().filter(|violation| violation.severity == Severity::Defect).collect()
}

/// A definition in which a defect may be missing.
struct Repair {
    crd: CustomResourceDefinition,
    /// What differs, as a clause.
    what: String,
}

/// Returns the definition without the part that is not a schema and may cause a defect.
fn repairs_of_parts(crd: &CustomResourceDefinition, defect: &Violation) -> Vec<Repair> {
    let mut repairs = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut CustomResourceDefinition)| {
        let mut crd = crd.clone();
        change(&mut crd);
        repairs.push(Repair { crd, what });
    };
    for (at, version) in crd.spec.versions.iter().enumerate() {
        let name = &version.name;
        if defect.path == "spec.versions" && version.storage {
            add(format!("`{name}` is served"), &|crd| crd.spec.versions[at].served = true);
        }
        for (number, column) in version.additional_printer_columns.iter().flatten().enumerate() {
            if defect.path.starts_with(&format!("{name}.additionalPrinterColumns[{number}]")) {
                add(format!("{name}: the column `{}` is left out", column.name), &|crd| {
                    let columns = &mut crd.spec.versions[at].additional_printer_columns;
                    columns.as_mut().map(|columns| columns.remove(number));
                });
            }
        }
        if defect.path.starts_with(&format!("{name}.subresources.scale")) {
            add(format!("{name}: the scale subresource is left out"), &|crd| {
                let subresources = crd.spec.versions[at].subresources.as_mut();
                subresources.and_then(|subresources| subresources.scale.take());
            });
        }
    }
    repairs
}

/// Returns the definition without each of the keywords that may cause a defect.
fn repairs_of_schemas(crd: &CustomResourceDefinition, defect: &Violation) -> Option<Vec<Repair>> {
    let (version, steps) = place(crd, &defect.path)?;
    let mut root = crd.spec.versions[version].schema.as_ref()?.open_api_v3_schema.clone()?;
    let schema = at(&mut root, &steps)?.clone();
    let mut repairs = Vec::new();
    for (what, repaired) in repaired_schemas(&schema)? {
        let mut root = root.clone();
        *at(&mut root, &steps)? = repaired;
        let mut crd = crd.clone();
        crd.spec.versions[version].schema.as_mut()?.open_api_v3_schema = Some(root);
        repairs.push(Repair { crd, what: format!("`{what}` of `{}` is left out", defect.path) });
    }
    Some(repairs)
}

/// Returns the schema without each of its keywords and required fields, with what is missing.
fn repaired_schemas(schema: &Props) -> Option<Vec<(String, Props)>> {
    let mut repaired = Vec::new();
    for name in schema.required.iter().flatten() {
        let mut schema = schema.clone();
        schema.required.as_mut()?.retain(|required| required != name);
        repaired.push((format!("required: {name}"), schema));
    }
    if let Some(JSONSchemaPropsOrBool::Bool(true)) = schema.additional_properties {
        // It allows values of any type, although the server drops them.
        let any = Props { x_kubernetes_preserve_unknown_fields: Some(true), ..Props::default() };
        let values = Some(JSONSchemaPropsOrBool::Schema(Box::new(any)));
        repaired
            .push(("additionalProperties: true".to_owned(), Props { additional_properties: values, ..schema.clone() }));
    }
    let Value::Object(keywords) = json!(schema) else { return None };
    let mut names: Vec<_> = keywords.keys().filter(|name| !KEPT.contains(&name.as_str())).cloned().collect();
    names.sort_by_key(|name| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    for name in names {
        let mut rest = keywords.clone();
        rest.remove(&name);
        repaired.push((name, serde_json::from_value(Value::Object(rest)).ok()?));
    }
    Some(repaired)
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
        SchemaStep::Property(name) => Part::Property((*name).to_owned()),
        SchemaStep::Items => Part::Items,
        SchemaStep::Values => Part::Values,
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
