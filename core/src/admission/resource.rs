//! What the server asks of each resource, also of one within another.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    Finding, Way, go,
    parts::{Described, each},
    way::Step,
};
use crate::{
    json::Json,
    literal::dns::{self, LABEL_1035},
    schema::SchemaProps,
    violation::AnswerKind,
};

mod metadata;
mod typed;

pub use typed::tidy;

/// What is wrong with the `apiVersion`, the `kind` and the metadata of embedded resources.
pub fn resources(schema: &SchemaProps<'_>, value: &Json<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    each(schema, value, &Way::ROOT, Described::Once, &mut |schema, value, way| {
        if let (true, Json::Object(members)) = (schema.embedded_resource, value) {
            resource(members, way, &mut findings);
        }
    });
    findings
}

fn resource(members: &[(Cow<'_, str>, Json<'_>)], way: &Way<'_>, findings: &mut Vec<Finding>) {
    let member = |name: &str| members.iter().find(|(member, _)| member == name);
    for name in ["apiVersion", "kind"] {
        let place = way.then(Step::Field(name)).place();
        match member(name).map(|(_, value)| value) {
            None => findings.push(Finding { place, kind: AnswerKind::Required, value: None, detail: String::new() }),
            Some(Json::String(text)) => {
                let detail = match (&**text, name) {
                    ("", _) => Some("must not be empty".into()),
                    (text, "kind") => wrong_kind(text),
                    (text, _) => wrong_version(text),
                };
                findings.extend(detail.map(|detail| invalid(place, go::quote(text), detail)));
            }
            Some(other) => {
                findings.push(invalid(place, go::quoted(other), "must be a string".into()));
            }
        }
    }
    if let Some((_, metadata)) = member("metadata") {
        metadata::check(metadata, &way.then(Step::Field("metadata")), findings);
    }
}

fn invalid(place: String, value: String, detail: String) -> Finding {
    Finding { place, kind: AnswerKind::Invalid, value: Some(value), detail }
}

fn wrong_version(text: &str) -> Option<String> {
    let is_wrong = text.matches('/').count() > 1;
    is_wrong.then(|| format!("unexpected GroupVersion string: {text}"))
}

fn wrong_kind(text: &str) -> Option<String> {
    let mistake = dns::kind(text).err()?;
    let wording = LABEL_1035.of(mistake);
    Some(format!("may have mixed case, but should otherwise match: {wording}"))
}
