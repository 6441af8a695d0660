//! Comparison of `allOf`, `anyOf`, `oneOf` and `not`, which are not analyzed.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use crate::crd::compare::{
    keywords::{NarrowedKeywords, only, truncated_json},
    parts::ComparedPart,
};

pub(super) fn narrowed(narrowed: &mut NarrowedKeywords<'_>) {
    let (old, new) = (narrowed.old, narrowed.new);
    let (was, is) = (of(&old.all_of), of(&new.all_of));
    if !is.iter().all(|branch| was.contains(branch)) {
        narrowed.add("allOf", |it| truncated_json(it.all_of.as_ref()), only!(all_of));
    }
    let (was, is) = (any_of(old), any_of(new));
    if !is.is_empty() && (was.is_empty() || !was.iter().all(|branch| is.contains(branch))) {
        narrowed.add("anyOf", |it| truncated_json(it.any_of.as_ref()), only!(any_of));
    }
    if !accepts_more(old, new) {
        narrowed.add("oneOf", |it| truncated_json(it.one_of.as_ref()), only!(one_of));
    }
    if new.not.is_some() && without_docs(old.not.as_deref()) != without_docs(new.not.as_deref()) {
        narrowed.add("not", |it| truncated_json(it.not.as_ref()), only!(not));
    }
}

fn of(branches: &Option<Vec<Props>>) -> Vec<Props> {
    let branches = branches.iter().flatten();
    branches.filter_map(|branch| without_docs(Some(branch))).collect()
}

/// Returns a branch without its title and description.
fn without_docs(branch: Option<&Props>) -> Option<Props> {
    let branch = branch?;
    Some(Props { description: None, title: None, ..branch.clone() })
}

/// Returns the branches of `anyOf`, unless they only repeat `x-kubernetes-int-or-string`.
pub(super) fn any_of(schema: &Props) -> Vec<Props> {
    let branches = of(&schema.any_of);
    let of_type = |type_: &str| Props { type_: Some(type_.to_owned()), ..Props::default() };
    let repeats =
        schema.x_kubernetes_int_or_string == Some(true) && branches == [of_type("integer"), of_type("string")];
    if repeats { Vec::new() } else { branches }
}

/// Whether `oneOf` contains all of its old schemas, and new ones only match values that were impossible before.
fn accepts_more(old: &Props, new: &Props) -> bool {
    let (was, is) = (of(&old.one_of), of(&new.one_of));
    if is.is_empty() {
        return true;
    }
    let (kept, added): (Vec<_>, Vec<_>) = is.into_iter().partition(|branch| was.contains(branch));
    !was.is_empty() && kept.len() == was.len() && added.iter().all(|branch| was_impossible(branch, old))
}

/// Whether the branch requires a field, or a value of a field, that was impossible before.
fn was_impossible(branch: &Props, old: &Props) -> bool {
    let mut required = branch.required.iter().flatten();
    required.any(|name| match ComparedPart::member(old, name) {
        ComparedPart::Dropped => true,
        ComparedPart::Any => false,
        ComparedPart::Schema(old) => {
            let property = branch.properties.as_ref().and_then(|all| all.get(name));
            let wanted = property.and_then(|property| property.enum_.as_deref());
            let allowed = old.enum_.as_deref();
            wanted.zip(allowed).is_some_and(|(wanted, allowed)| wanted.iter().all(|value| !allowed.contains(value)))
        }
    })
}
