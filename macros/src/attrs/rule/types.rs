//! The types in rules: what a derive knows about them, and what is left to const evaluation.

use crdkit_core::{
    cel::{RuleScope, TypeStep},
    rules::cel,
    schema::ValidationRule,
};
use darling::Error;
use proc_macro2::Span;

use super::{LiteralRule, Message, Rule};
use crate::attrs::{Errors, text::Text};

/// An expression of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RulePart {
    Rule,
    MessageExpression,
}

/// A check of the types in an expression of a rule against its schema.
#[derive(Clone, Debug)]
pub(crate) struct RuleTypeCheck {
    pub(crate) rule: LiteralRule,
    pub(crate) part: RulePart,
    pub(crate) span: Span,
}

/// Reports and removes the rules that the server rejects for any value of a scope.
pub(crate) fn reject_rules_outside(scope: &RuleScope, rules: &mut Vec<Rule>, errors: &mut Errors) {
    rules.retain(|rule| {
        let Rule::Literal(rule) = rule else { return true };
        let found = rule.type_errors(scope);
        let is_valid = found.is_empty();
        errors.extend(found);
        is_valid
    });
}

impl LiteralRule {
    /// The expressions of the rule.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (RulePart, &Text)> {
        let message = match &self.message {
            Some(Message::Expression(text)) => Some((RulePart::MessageExpression, text)),
            _ => None,
        };
        [(RulePart::Rule, &self.rule)].into_iter().chain(message)
    }

    /// The errors that the expressions have about any value of a scope, and whatever schema its parts have.
    pub(crate) fn type_errors(&self, scope: &RuleScope) -> Vec<Error> {
        let mut errors = Vec::new();
        for (part, text) in self.parts() {
            self.with_type_steps(part, scope, |_, message| {
                errors.extend(message.map(|message| Error::custom(message).with_span(&text.span())));
            });
        }
        errors
    }

    /// Calls `use_steps` with the steps of the type check of an expression that depend on the schema, and with the error if there
    /// is one.
    pub(crate) fn with_type_steps<T>(
        &self,
        part: RulePart,
        scope: &RuleScope,
        use_steps: impl FnOnce(&[TypeStep<'_>], Option<String>) -> T,
    ) -> T {
        let message_expression = match &self.message {
            Some(Message::Expression(text)) => Some(text.as_str().into()),
            _ => None,
        };
        let rule = ValidationRule {
            rule: self.rule.as_str().into(),
            message_expression,
            optional_old_self: self.optional_old_self,
            ..ValidationRule::default()
        };
        let is_blank = self.parts().any(|(it, text)| it == part && text.trim().is_empty());
        if is_blank {
            return use_steps(&[], None);
        }
        let mut error = None;
        let report = &mut |violation: &crdkit_core::Violation<'_>| error = Some(violation.message.to_string());
        let steps = match part {
            RulePart::Rule => cel::rule_type_steps(scope, &rule, report),
            RulePart::MessageExpression => cel::message_type_steps(scope, &rule, report),
        };
        use_steps(&steps, error)
    }
}

impl Rule {
    /// The checks of the types in the rule against its schema.
    pub(crate) fn type_checks(&self) -> Vec<RuleTypeCheck> {
        let Self::Literal(rule) = self else {
            return Vec::new();
        };
        let check = |(part, text): (RulePart, &Text)| RuleTypeCheck { rule: rule.clone(), part, span: text.span() };
        rule.parts().map(check).collect()
    }
}
