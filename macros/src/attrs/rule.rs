//! CEL rules: literals are parsed, other expressions are kept for the generated code.

use crdkit_core::{
    cel::{RuleScope, uses_old_self},
    literal::{cel::key_pattern_rule, regex},
    rules::{cel, patterns::invalid_pattern},
};
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, Meta, spanned::Spanned};

use super::{Errors, field_path::FieldPath, text::Text};

mod literal;
mod types;

pub(super) use literal::{is_path, only_argument, string};
pub(crate) use types::{RulePart, RuleTypeCheck, reject_rules_outside};

/// A CEL rule.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Literal(LiteralRule),
    Expression(Expr),
}

/// A rule whose texts are all literals.
#[derive(Clone, Debug)]
pub(crate) struct LiteralRule {
    pub(crate) rule: Text,
    pub(crate) message: Option<Message>,
    pub(crate) reason: Option<&'static str>,
    pub(crate) field_path: Option<Text>,
    pub(crate) optional_old_self: Option<bool>,
}

/// The message of a rule that fails.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Text(Text),
    Expression(Text),
}

const EXPECTED: &str = "expected a rule: `validation = \"self.min <= self.max\"`, with a message \
                    `validation = (\"...\", \"...\")` or `validation = Rule::new(\"...\").message(\"...\")`";

impl FromMeta for Rule {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::NameValue(value) => Self::from_expr(&value.value),
            _ => Err(Error::custom(EXPECTED).with_span(item)),
        }
    }

    fn from_expr(expr: &Expr) -> Result<Self> {
        if let Expr::Lit(literal) = expr
            && !matches!(literal.lit, Lit::Str(_))
        {
            return Err(Error::custom(EXPECTED).with_span(expr));
        }
        match LiteralRule::parse(expr) {
            Some(rule) => rule.check().map(Self::Literal),
            None => Ok(Self::Expression(expr.clone())),
        }
    }
}

/// Reports rules that are repeated: their text is their key in server-side apply.
pub(crate) fn reject_duplicate_rules(rules: &[Rule], errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for rule in rules {
        let Rule::Literal(rule) = rule else { continue };
        if seen.contains(&rule.rule.as_str()) {
            errors.push(Error::custom(cel::repeated_rule(&rule.rule).message).with_span(&rule.rule.span()));
        }
        seen.push(&rule.rule);
    }
}

fn check_key_pattern(pattern: &str) -> std::result::Result<(), String> {
    match regex::parse(pattern) {
        Ok(_) => Ok(()),
        Err(error) => Err(invalid_pattern(pattern, &error).message.to_string()),
    }
}

impl LiteralRule {
    /// The rule of `key_pattern = "..."`, which needs the text of the regular expression.
    pub(crate) fn from_key_pattern(item: &Meta) -> Result<Self> {
        let pattern = Text::from_meta(item)?.checked(check_key_pattern)?;
        let mut rule = Self::new(Text::new(key_pattern_rule(&pattern), pattern.span()));
        rule.message = Some(Message::Text(Text::new(format!("keys must match `{}`", &*pattern), pattern.span())));
        rule.check()
    }

    /// Whether the rule uses `oldSelf`, and so is a transition rule.
    pub(crate) fn uses_old_self(&self) -> bool {
        uses_old_self(&self.rule)
    }

    fn new(rule: Text) -> Self {
        Self { rule, message: None, reason: None, field_path: None, optional_old_self: None }
    }

    /// Validates the texts of a rule as the API server does.
    fn check(self) -> Result<Self> {
        let mut errors = Error::accumulator();
        let mut check = |result: RuleResult<'_>, span: Span| {
            if let Err(violation) = result {
                errors.push(Error::custom(violation.message).with_span(&span));
            }
        };
        let rule = &self.rule;
        check(cel::rule_is_not_blank(rule), rule.span());
        match &self.message {
            Some(Message::Text(text)) => {
                // The API server treats an empty message as a missing one, which is unlikely to be intended.
                let text_or_blank = if text.is_empty() { " " } else { &**text };
                check(cel::message_is_not_blank(text_or_blank), text.span());
                check(cel::message_has_one_line(text), text.span());
            }
            Some(Message::Expression(text)) => {
                check(cel::message_expression_is_not_blank(text), text.span());
                check(cel::long_rule_has_message(rule, None), rule.span());
            }
            None => check(cel::long_rule_has_message(rule, None), rule.span()),
        }
        if let Some(path) = &self.field_path {
            check(cel::field_path_is_not_blank(path), path.span());
            check(cel::field_path_has_one_line(path), path.span());
        }
        if let Some(is_optional) = self.optional_old_self {
            check(cel::optional_old_self_applies(rule, is_optional), rule.span());
        }
        errors.extend(self.type_errors(&RuleScope::unknown()));
        if let Some(path) = &self.field_path
            && cel::field_path_is_not_blank(path).is_ok()
            && let Err(message) = FieldPath::parse(path)
        {
            errors.push(Error::custom(message).with_span(&path.span()));
        }
        errors.finish_with(self)
    }
}

type RuleResult<'a> = std::result::Result<(), crdkit_core::Violation<'a>>;

impl Rule {
    /// Whether the rule uses `oldSelf`, as far as is known.
    pub(crate) fn uses_old_self(&self) -> bool {
        matches!(self, Self::Literal(rule) if rule.uses_old_self())
    }

    /// The field path of the rule, if it is known and valid.
    pub(crate) fn field_path(&self) -> Option<FieldPath> {
        match self {
            Self::Literal(rule) => FieldPath::parse(rule.field_path.as_ref()?).ok(),
            Self::Expression(_) => None,
        }
    }

    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Literal(rule) => rule.rule.span(),
            Self::Expression(expr) => expr.span(),
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn rules_that_the_server_rejects() {
        let check = |expr: Expr| Rule::from_expr(&expr);
        assert!(check(parse_quote!(" ")).is_err());
        assert!(check(parse_quote!("true &&\n true")).is_err());
        assert!(check(parse_quote!(Rule::new("true &&\n true").message("no"))).is_ok());
        assert!(check(parse_quote!(Rule::new("true").message("two\nlines"))).is_err());
        assert!(check(parse_quote!(Rule::new("true").optional_old_self(true))).is_err());
    }
}
