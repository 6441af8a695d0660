//! Lists.

use alloc::{format, string::ToString as _};

use super::{
    ValuePath,
    validate::{Error, Outcome, Validator, at_most, same},
    value_path::ValueStep,
};
use crate::{json::Json, schema::SchemaProps, violation::ErrorType};

pub(super) fn check(
    validator: Validator<'_>,
    schema: &SchemaProps<'_>,
    items: &[Json<'_>],
    path: &ValuePath<'_>,
) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(of_items) = schema.items() {
        for (at, item) in items.iter().enumerate() {
            outcome.merge(validator.validate(of_items, item, &path.then(ValueStep::Item(at))));
        }
    }
    let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if let Some(min) = schema.min_items.filter(|min| size < *min) {
        let message = format!("{} in body should have at least {min} items", path.name());
        outcome.add(Error::invalid(path.name(), size.to_string(), message));
    }
    if let Some(max) = schema.max_items.filter(|max| size > *max) {
        outcome.add(too_many(path, size, max, "items"));
    }
    let is_repeated = |(at, item): (usize, &Json<'_>)| items[..at].iter().any(|it| same(it, item));
    if schema.unique_items && items.iter().enumerate().any(is_repeated) {
        let message = format!("{} in body shouldn't contain duplicates", path.name());
        outcome.add(Error::invalid(path.name(), "\"\"".into(), message));
    }
    outcome.matches += 1;
    outcome
}

/// Returns the error about too many items or members.
pub(super) fn too_many(path: &ValuePath<'_>, size: i64, max: i64, what: &str) -> Error {
    let detail = at_most(max, "must have at most", "item", "has too many items");
    let message = format!("should have at most {max} {what}");
    Error::other(path.name(), ErrorType::TooMany, Some(size.to_string()), detail, &message)
}
