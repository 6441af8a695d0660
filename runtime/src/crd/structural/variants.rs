//! Tags and names of enum variants.

use crdkit_core::schema::Kind;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::crd::structural::{describe::describe_variants, types};

/// Moves the documentation of variants to the enum, its tag, or the content of the variants.
pub(super) fn describe(node: &mut JSONSchemaProps, branches: &mut [JSONSchemaProps], tagged: bool) {
    if branches.iter().all(|branch| branch.enum_.is_some()) {
        let docs = docs(branches, |branch| Some(branch));
        node.description = with_variants(node, &docs);
    } else if let Some(tag) = tag(node, branches) {
        let docs = docs(branches, |branch| branch.properties.as_ref()?.get(&tag));
        let properties = branches.first_mut().and_then(|first| first.properties.as_mut());
        if let Some(tag) = properties.and_then(|properties| properties.get_mut(&tag)) {
            tag.description = with_variants(tag, &docs);
        }
    } else if tagged {
        branches.iter_mut().for_each(describe_content);
    }
    for branch in branches {
        branch.title = None;
        branch.description = None;
        branch.default = None;
        branch.example = None;
        branch.external_docs = None;
    }
}

/// Moves the documentation of a variant to its content, the only property of the variant.
fn describe_content(branch: &mut JSONSchemaProps) {
    let mut properties: Vec<_> = branch.properties.iter_mut().flatten().collect();
    let [(_, content)] = &mut properties[..] else {
        return;
    };
    if let Some(description) = &branch.description {
        content.description = Some(description.clone());
    }
    if let Some(title) = &branch.title {
        content.title = Some(title.clone());
    }
}

fn docs(
    branches: &[JSONSchemaProps],
    tag: impl Fn(&JSONSchemaProps) -> Option<&JSONSchemaProps>,
) -> Vec<(String, String)> {
    let doc = |branch: &JSONSchemaProps| Some((value(tag(branch)?)?, branch.description.clone()?));
    branches.iter().filter_map(doc).collect()
}

fn with_variants(props: &JSONSchemaProps, docs: &[(String, String)]) -> Option<String> {
    let docs = docs.iter().map(|(name, doc)| (&**name, &**doc));
    describe_variants(props.description.as_deref(), docs)
}

/// Returns the only value of a node.
fn value(props: &JSONSchemaProps) -> Option<String> {
    match &props.enum_.as_ref()?[..] {
        [value] => Some(match &value.0 {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        _ => None,
    }
}

/// Returns the property that identifies the variants.
pub(super) fn tag(node: &JSONSchemaProps, branches: &[JSONSchemaProps]) -> Option<String> {
    let names = branches.first()?.properties.as_ref()?.keys();
    let is_tag = |name: &String| {
        branches.iter().all(|branch| {
            let property = branch.properties.as_ref().and_then(|all| all.get(name));
            property.and_then(value).is_some() && requires(node, branch, name)
        })
    };
    names.into_iter().find(|name| is_tag(name)).cloned()
}

/// Returns the name of a variant in errors: the value of its tag, or its only field.
pub(super) fn name(branches: &[JSONSchemaProps], at: usize, tag: Option<&str>) -> String {
    let branch = &branches[at];
    let by_tag = tag.and_then(|tag| value(branch.properties.as_ref()?.get(tag)?));
    match (by_tag, branch.required.as_deref()) {
        (Some(name), _) => name,
        (None, Some([name])) => name.clone(),
        _ => format!("variant {}", at + 1),
    }
}

/// Whether each value matches at most one variant, even without their types.
pub(super) fn are_exclusive(node: &JSONSchemaProps, branches: &[JSONSchemaProps]) -> bool {
    let mut pairs = (1..branches.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.all(|(a, b)| exclude_each_other(node, &branches[a], &branches[b]))
}

fn exclude_each_other(node: &JSONSchemaProps, a: &JSONSchemaProps, b: &JSONSchemaProps) -> bool {
    if types::kind(a) != Kind::Object || types::kind(b) != Kind::Object {
        return false;
    }
    let has_own = |a: &JSONSchemaProps, b: &JSONSchemaProps| {
        let is_own = |name| b.properties.as_ref().is_none_or(|all| !all.contains_key(name));
        a.required.iter().flatten().any(is_own)
    };
    let differ = |name: &String| {
        let values = |props: &JSONSchemaProps| props.properties.as_ref()?.get(name)?.enum_.clone();
        let (Some(one), Some(other)) = (values(a), values(b)) else {
            return false;
        };
        let in_both = requires(node, a, name) && requires(node, b, name);
        in_both && one.iter().all(|value| !other.contains(value))
    };
    has_own(a, b) && has_own(b, a) || a.properties.iter().flatten().any(|(name, _)| differ(name))
}

fn requires(node: &JSONSchemaProps, branch: &JSONSchemaProps, name: &str) -> bool {
    let mut required = branch.required.iter().chain(&node.required).flatten();
    required.any(|other| other == name)
}
