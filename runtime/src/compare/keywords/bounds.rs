//! Comparison of bounds.

use crdkit_core::{
    literal::numbers::{Bound, stricter_maximum, stricter_minimum},
    schema::{AppliesTo, CountBound, Side},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use super::{NarrowedKeywords, is_set, shown};
use crate::{
    admission::is_validated_format,
    compare::parts::is_embedded,
    props::{count, count_mut},
    structural::{maximum, minimum},
};

impl NarrowedKeywords<'_> {
    pub(super) fn numbers(&mut self) {
        let (old, new) = (self.old, self.new);
        if stricter_minimum(minimum(old), minimum(new)) != minimum(old) {
            let part = only!(minimum, exclusive_minimum);
            match old.minimum == new.minimum {
                true => self.add("exclusiveMinimum", |of| shown(Some(is_set(of.exclusive_minimum))), part),
                false => self.add("minimum", |of| bound_text(minimum(of), "more than"), part),
            }
        }
        if stricter_maximum(maximum(old), maximum(new)) != maximum(old) {
            let part = only!(maximum, exclusive_maximum);
            match old.maximum == new.maximum {
                true => self.add("exclusiveMaximum", |of| shown(Some(is_set(of.exclusive_maximum))), part),
                false => self.add("maximum", |of| bound_text(maximum(of), "less than"), part),
            }
        }
        if let Some(factor) = new.multiple_of
            && old.multiple_of.is_none_or(|old| old % factor != 0.0)
        {
            self.add("multipleOf", |of| shown(of.multiple_of), only!(multiple_of));
        }
        if let Some((low, high)) = range(new)
            && range(old) != range(new)
            && !(old.minimum.is_some_and(|min| min >= low) && old.maximum.is_some_and(|max| max <= high))
        {
            self.add("format", format_text, |of| Props {
                minimum: range(of).map(|(low, _)| low),
                maximum: range(of).map(|(_, high)| high),
                ..Props::default()
            });
        }
    }

    pub(super) fn texts(&mut self) {
        let (old, new) = (self.old, self.new);
        self.counts(AppliesTo::Text);
        if new.pattern.is_some() && new.pattern != old.pattern {
            let text = |of: &Props| of.pattern.as_ref().map(|it| format!("`{it}`"));
            self.add("pattern", text, only!(pattern));
        }
        if new_format(old, new) {
            self.add("format", format_text, only!(format));
        }
    }

    pub(super) fn lists(&mut self) {
        let (old, new) = (self.old, self.new);
        self.counts(AppliesTo::Lists);
        if is_more_unique(old, new) {
            let part = only!(x_kubernetes_list_type, x_kubernetes_list_map_keys);
            match [old, new].iter().all(|of| list_type(of) == "map") {
                true => self.add("x-kubernetes-list-map-keys", |of| Some(keys(of).join(", ")), part),
                false => self.add("x-kubernetes-list-type", list_text, part),
            }
        }
    }

    pub(super) fn objects(&mut self) {
        let (old, new) = (self.old, self.new);
        self.counts(AppliesTo::Objects);
        if is_embedded(new) && !is_embedded(old) {
            let text = |of: &Props| shown(Some(is_embedded(of)));
            self.add("x-kubernetes-embedded-resource", text, only!(x_kubernetes_embedded_resource));
        }
    }

    fn counts(&mut self, about: AppliesTo) {
        for bound in CountBound::applying_to(about) {
            let (old, new) = (count(self.old, bound), count(self.new, bound));
            let is_narrower = match bound.side() {
                Side::Min => new.unwrap_or(0) > old.unwrap_or(0),
                Side::Max | Side::Neither => new.is_some_and(|new| old.is_none_or(|old| new < old)),
            };
            if is_narrower {
                let text = |of: &Props| shown(count(of, bound));
                self.add(bound.name(), text, |of| {
                    let mut only = Props::default();
                    *count_mut(&mut only, bound) = count(of, bound);
                    only
                });
            }
        }
    }
}

fn bound_text(bound: Option<Bound>, words: &str) -> Option<String> {
    bound.map(|bound| match bound.exclusive {
        true => format!("{words} {}", bound.value),
        false => bound.value.to_string(),
    })
}

/// Returns the range of a number format that the server validates.
fn range(of: &Props) -> Option<(f64, f64)> {
    match (of.type_.as_deref()?, of.format.as_deref()?) {
        ("integer", "int32") => Some((i32::MIN.into(), i32::MAX.into())),
        ("number", "float") => Some((f32::MIN.into(), f32::MAX.into())),
        _ => None,
    }
}

fn new_format(old: &Props, new: &Props) -> bool {
    let plain = |of: &Props| Some(of.format.as_deref()?.replace('-', ""));
    let is_of_text = new.type_.as_deref().is_none_or(|type_| type_ == "string");
    let is_checked = new.format.as_deref().is_some_and(is_validated_format);
    is_of_text && is_checked && plain(old) != plain(new)
}

fn format_text(of: &Props) -> Option<String> {
    of.format.clone()
}

/// Whether the uniqueness of list items is stricter: two items that were different may now be duplicates.
fn is_more_unique(old: &Props, new: &Props) -> bool {
    let same_type = list_type(old) == list_type(new);
    match list_type(new) {
        "set" => !same_type,
        "map" => !same_type || keys(old).iter().any(|key| !keys(new).contains(key)),
        _ => false,
    }
}

fn list_type(of: &Props) -> &str {
    of.x_kubernetes_list_type.as_deref().unwrap_or("atomic")
}

fn keys(of: &Props) -> &[String] {
    of.x_kubernetes_list_map_keys.as_deref().unwrap_or_default()
}

fn list_text(of: &Props) -> Option<String> {
    Some(match list_type(of) {
        "map" => format!("map by {}", keys(of).join(", ")),
        type_ => type_.to_owned(),
    })
}
