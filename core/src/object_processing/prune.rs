//! Pruning of unknown fields.

use alloc::{string::String, vec::Vec};
use core::fmt::Write as _;

use crate::{
    json::Json,
    schema::{AdditionalProperties, SchemaProps},
};

/// The fields that every resource has, regardless of its schema.
pub(super) const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops the fields that are not in the schema, except where unknown fields are preserved. Returns their paths, such as
/// `spec.disks[0].x`.
pub fn prune(schema: &SchemaProps<'_>, value: &mut Json<'_>) -> Vec<String> {
    let mut pruner = Pruner::default();
    pruner.prune(Some(schema), value);
    pruner.unknown.sort();
    pruner.unknown
}

#[derive(Default)]
struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    fn prune(&mut self, schema: Option<&SchemaProps<'_>>, value: &mut Json<'_>) {
        if let Some(schema) = schema
            && schema.preserves_unknown_fields()
        {
            return self.keep(schema, value);
        }
        match value {
            Json::Object(members) => {
                let mut kept = core::mem::take(members);
                kept.retain_mut(|(name, value)| self.member(schema, name, value));
                *members = kept;
            }
            Json::Array(items) => {
                let of_items = schema.and_then(SchemaProps::items);
                for (at, item) in items.iter_mut().enumerate() {
                    self.below_item(at, |it| it.prune(of_items, item));
                }
            }
            _ => {}
        }
    }

    /// Prunes a member. Returns whether it is kept.
    fn member(&mut self, schema: Option<&SchemaProps<'_>>, name: &str, value: &mut Json<'_>) -> bool {
        match schema.map(|schema| of_member(schema, name)) {
            Some(Member::Meta) => {}
            Some(Member::Named(member)) => self.below_member(name, |it| it.prune(member, value)),
            Some(Member::Unnamed) | None => {
                self.below_member(name, |it| {
                    let path = it.path.strip_prefix('.').unwrap_or(&it.path);
                    it.unknown.push(path.into());
                });
                return false;
            }
        }
        true
    }

    /// Keeps unknown fields, and prunes within known ones.
    fn keep(&mut self, schema: &SchemaProps<'_>, value: &mut Json<'_>) {
        match value {
            Json::Object(members) => {
                for (name, value) in members {
                    if let Member::Named(member) = of_member(schema, name) {
                        self.below_member(name, |it| it.prune(member, value));
                    }
                }
            }
            Json::Array(items) => {
                let Some(of_items) = schema.items() else {
                    return;
                };
                for (at, item) in items.iter_mut().enumerate() {
                    self.below_item(at, |it| it.keep(of_items, item));
                }
            }
            _ => {}
        }
    }

    fn below_member(&mut self, name: &str, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('.');
        self.path.push_str(name);
        then(self);
        self.path.truncate(length);
    }

    fn below_item(&mut self, at: usize, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        // Writing to a string does not fail.
        let _ = write!(self.path, "[{at}]");
        then(self);
        self.path.truncate(length);
    }
}

/// The role of an object's member in its schema.
enum Member<'s, 'a> {
    /// A field of every resource.
    Meta,
    /// An allowed member, and its schema if there is one.
    Named(Option<&'s SchemaProps<'a>>),
    Unnamed,
}

fn of_member<'s, 'a>(schema: &'s SchemaProps<'a>, name: &str) -> Member<'s, 'a> {
    if schema.embedded_resource && META.contains(&name) {
        return Member::Meta;
    }
    match (schema.property(name), &schema.additional_properties) {
        (Some(property), _) => Member::Named(Some(property)),
        (None, Some(AdditionalProperties::Schema(values))) => Member::Named(Some(values)),
        (None, Some(AdditionalProperties::Bool(_))) => Member::Named(None),
        (None, None) => Member::Unnamed,
    }
}
