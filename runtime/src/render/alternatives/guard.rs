//! Rules of one variant, where they stand on all of them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

use crate::{cel::names::escaped, render::RenderError};

/// The rules of a variant, for objects with its tag alone.
pub(super) fn rules(
    rules: Vec<ValidationRule>,
    tag: &str,
    variant: &str,
) -> Result<Vec<ValidationRule>, RenderError> {
    let guarded = |mut rule: ValidationRule| {
        if escaped(tag).as_deref() != Some(tag) {
            return Err(RenderError::new(format!(
                "the rule `{}` is about the variant `{variant}` alone, which a rule cannot tell by the tag `{tag}`: \
                 rename the tag to a word of letters and digits",
                rule.rule
            )));
        }
        rule.rule = format!("self.{tag} != {variant:?} || ({})", rule.rule);
        Ok(rule)
    };
    rules.into_iter().map(guarded).collect()
}
