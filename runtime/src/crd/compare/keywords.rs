//! Comparison of keywords.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps as Props};
use serde::Serialize;
use serde_json::json;

use crate::crd::{
    compare::{
        Change, ChangeKind, Check, branches,
        parts::{accepts, types},
        walk::Impact,
    },
    crd_accessors::ValueSet,
};

/// Returns a function that copies only these keywords of a schema.
macro_rules! only {
    ($($keyword:ident),+) => {
        |of: &Props| Props { $($keyword: of.$keyword.clone(),)+ ..Props::default() }
    };
}
pub(super) use only;

mod bounds;

/// Returns the stricter keywords of a schema, and the values that they reject.
pub(super) fn narrowed(old: &Props, new: &Props, is_item: bool) -> Vec<(Change, Impact)> {
    let mut narrowed = NarrowedKeywords { old, new, is_item, found: Vec::new() };
    narrowed.types();
    if accepts(old, "integer") || accepts(old, "number") {
        narrowed.numbers();
    }
    if accepts(old, "string") {
        narrowed.texts();
    }
    if accepts(old, "array") {
        narrowed.lists();
    }
    if accepts(old, "object") {
        narrowed.objects();
    }
    narrowed.allowed();
    branches::narrowed(&mut narrowed);
    narrowed.without_effect_on_enum();
    narrowed.found
}

pub(super) struct NarrowedKeywords<'a> {
    pub(super) old: &'a Props,
    pub(super) new: &'a Props,
    /// Whether the values are items of a list, where the server does not drop null.
    is_item: bool,
    found: Vec<(Change, Impact)>,
}

impl NarrowedKeywords<'_> {
    /// Adds a keyword. `part` returns a schema with only this keyword.
    pub(super) fn add(
        &mut self,
        keyword: &'static str,
        text: impl Fn(&Props) -> Option<String>,
        part: impl Fn(&Props) -> Props,
    ) {
        let change = tightened(keyword, text(self.old), text(self.new));
        self.found.push((change, schemas(part(self.old), part(self.new))));
    }

    fn types(&mut self) {
        let (old, new) = (self.old, self.new);
        let is_narrowed = types(old).iter().any(|type_| !accepts(new, type_));
        let loses_null = self.loses_null();
        if is_narrowed {
            let change = tightened("type", Some(type_text(old)), Some(type_text(new)));
            let part = |of: &Props, nullable| Props {
                type_: of.type_.clone(),
                x_kubernetes_int_or_string: of.x_kubernetes_int_or_string,
                nullable,
                ..Props::default()
            };
            let new = part(new, (!loses_null).then_some(true));
            self.found.push((change, schemas(part(old, Some(true)), new)));
        } else if loses_null {
            let change = tightened("nullable", Some("true".to_owned()), Some("false".to_owned()));
            self.found.push((change, Impact::Null));
        }
    }

    fn loses_null(&self) -> bool {
        let (old, new) = (self.old, self.new);
        !is_set(new.nullable)
            && if is_untyped(new) {
                is_set(old.nullable) && !self.is_item
            } else {
                is_set(old.nullable) || is_untyped(old)
            }
    }

    fn allowed(&mut self) {
        let Some(new) = &self.new.enum_ else {
            return;
        };
        let new = ValueSet::of(new);
        let stay = |old: &Vec<JSON>| old.iter().all(|value| new.contains(value));
        if !self.old.enum_.as_ref().is_some_and(stay) {
            self.add(
                "enum",
                |of| truncated_json(of.enum_.as_ref()),
                |of| Props { enum_: of.enum_.clone(), nullable: Some(true), ..Props::default() },
            );
        }
    }

    /// Drops keywords that accept each of the values that were allowed.
    fn without_effect_on_enum(&mut self) {
        let Some(allowed) = &self.old.enum_ else {
            return;
        };
        let is_affected = |(change, impact): &(Change, Impact)| {
            change.check == Check::Type
                || matches!(impact, Impact::Null)
                || allowed.iter().any(|JSON(value)| impact.fails(value))
        };
        self.found.retain(is_affected);
    }
}

fn tightened(keyword: &'static str, from: Option<String>, to: Option<String>) -> Change {
    let check = Check::of_keyword(keyword).expect("each keyword has a check");
    Change::new(check, ChangeKind::Tightened).between(from, to)
}

fn schemas(old: Props, new: Props) -> Impact {
    Impact::Schemas { old: Box::new(old), new: Box::new(new) }
}

fn is_untyped(of: &Props) -> bool {
    of.type_.is_none() && !is_set(of.x_kubernetes_int_or_string)
}

fn type_text(of: &Props) -> String {
    if is_set(of.x_kubernetes_int_or_string) {
        return "int-or-string".to_owned();
    }
    of.type_.as_deref().unwrap_or("any").to_owned()
}

fn is_set(flag: Option<bool>) -> bool {
    flag == Some(true)
}

fn shown(value: Option<impl ToString>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// Formats a value as truncated JSON.
pub(super) fn truncated_json(value: Option<&impl Serialize>) -> Option<String> {
    const MAX_CHARS: usize = 80;
    let text = json!(value?).to_string();
    Some(match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}
