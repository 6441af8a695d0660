//! Comparison of bounds.

use crdkit_core::{
    literal::numbers::{Bound, stricter_maximum, stricter_minimum},
    schema::{AppliesTo, CountBound, Side},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use crate::crd::{
    compare::{
        keywords::{NarrowedKeywords, is_set, shown},
        parts::is_embedded,
    },
    crd_accessors::{count, count_mut},
    object_processing::is_validated_format,
    structural::{maximum, minimum},
};

impl NarrowedKeywords<'_> {
    pub(super) fn numbers(&mut self) {
        let (old, new) = (self.old, self.new);
        let (low, high) = (lowest(old), highest(old));
        if is_higher(low, whole_minimum(new)) {
            let part = only!(minimum, exclusive_minimum);
            if old.minimum == new.minimum {
                self.add("exclusiveMinimum", |of| shown(Some(is_set(of.exclusive_minimum))), part);
            } else {
                self.add("minimum", |of| bound_text(minimum(of), "more than"), part);
            }
        }
        if is_lower(high, whole_maximum(new)) {
            let part = only!(maximum, exclusive_maximum);
            if old.maximum == new.maximum {
                self.add("exclusiveMaximum", |of| shown(Some(is_set(of.exclusive_maximum))), part);
            } else {
                self.add("maximum", |of| bound_text(maximum(of), "less than"), part);
            }
        }
        if let Some(factor) = new.multiple_of
            && !old.multiple_of.or(is_whole(old).then_some(1.0)).is_some_and(|old| is_multiple(old, factor))
        {
            self.add("multipleOf", |of| shown(of.multiple_of), only!(multiple_of));
        }
        let [first, last] = [range(new).map(|(first, _)| first), range(new).map(|(_, last)| last)];
        if is_higher(low, first.map(Bound::inclusive)) || is_lower(high, last.map(Bound::inclusive)) {
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
            if [old, new].iter().all(|of| list_type(of) == "map") {
                self.add("x-kubernetes-list-map-keys", |of| Some(keys(of).join(", ")), part);
            } else {
                self.add("x-kubernetes-list-type", list_text, part);
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

/// Returns the bound that values are above: the minimum, or the range of the format.
fn lowest(of: &Props) -> Option<Bound> {
    stricter_minimum(whole_minimum(of), range(of).map(|(low, _)| Bound::inclusive(low)))
}

/// Returns the bound that values are below: the maximum, or the range of the format.
fn highest(of: &Props) -> Option<Bound> {
    stricter_maximum(whole_maximum(of), range(of).map(|(_, high)| Bound::inclusive(high)))
}

fn whole_minimum(of: &Props) -> Option<Bound> {
    minimum(of).map(|bound| inclusive(of, bound, 1.0))
}

fn whole_maximum(of: &Props) -> Option<Bound> {
    maximum(of).map(|bound| inclusive(of, bound, -1.0))
}

fn is_higher(low: Option<Bound>, other: Option<Bound>) -> bool {
    stricter_minimum(low, other) != low
}

fn is_lower(high: Option<Bound>, other: Option<Bound>) -> bool {
    stricter_maximum(high, other) != high
}

/// Whether a number is a multiple of a factor, with the tolerance of the server.
fn is_multiple(number: f64, factor: f64) -> bool {
    const SLACK: f64 = 1e-9;
    let quotient = number / factor;
    (quotient - quotient.round()).abs() < SLACK * quotient.abs()
}

/// Returns the first whole number beyond an excluded one, if the values are whole.
fn inclusive(of: &Props, bound: Bound, step: f64) -> Bound {
    let is_excluded = bound.exclusive && is_whole(of) && bound.value.fract() == 0.0;
    if is_excluded { Bound::inclusive(bound.value + step) } else { bound }
}

fn is_whole(of: &Props) -> bool {
    of.type_.as_deref() == Some("integer")
}

fn bound_text(bound: Option<Bound>, words: &str) -> Option<String> {
    bound.map(|bound| if bound.exclusive { format!("{words} {}", bound.value) } else { bound.value.to_string() })
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
