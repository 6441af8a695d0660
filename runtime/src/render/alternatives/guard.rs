//! Rules of one variant, where they stand on all of them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

use crate::render::RenderError;

/// The rules of a variant, for objects with its tag alone.
pub(super) fn rules(
    rules: Vec<ValidationRule>,
    tag: &str,
    variant: &str,
) -> Result<Vec<ValidationRule>, RenderError> {
    let guarded = |mut rule: ValidationRule| {
        if !is_identifier(tag) {
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

/// Whether CEL knows the field by its own name.
fn is_identifier(name: &str) -> bool {
    const RESERVED: &[&str] = &[
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ];
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.contains("__")
        && !RESERVED.contains(&name)
}
