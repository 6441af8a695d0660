//! CEL rules: literals are parsed, other expressions are kept for the generated code.

use crdkit_core::{
    cel::{RuleScope, TypeStep, uses_old_self},
    literal::{
        cel::{REASONS, key_pattern_rule},
        regex,
    },
    rules::{cel, patterns::invalid_pattern},
    schema::ValidationRule,
};
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Lit, Meta, spanned::Spanned};

use super::{Errors, field_path::FieldPath, text::Text};

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

    fn new(rule: Text) -> Self {
        Self { rule, message: None, reason: None, field_path: None, optional_old_self: None }
    }

    /// Parses `"..."`, `("...", "...")` and chains that start with `Rule::new("...")`.
    fn parse(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Lit(_) => string(expr).map(Self::new),
            Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
                let mut rule = Self::new(string(&tuple.elems[0])?);
                rule.message = Some(Message::Text(string(&tuple.elems[1])?));
                Some(rule)
            }
            Expr::Call(call) if is_path(&call.func, &["Rule", "new"]) => {
                only_argument(call).and_then(string).map(Self::new)
            }
            Expr::MethodCall(call) => Self::parse(&call.receiver)?.method(call),
            Expr::Group(group) => Self::parse(&group.expr),
            Expr::Paren(paren) => Self::parse(&paren.expr),
            _ => None,
        }
    }

    fn method(mut self, call: &ExprMethodCall) -> Option<Self> {
        let argument = match call.args.first() {
            Some(argument) if call.args.len() == 1 => argument,
            _ => return None,
        };
        match call.method.to_string().as_str() {
            "message" => self.message = Some(message(argument)?),
            "reason" => self.reason = Some(reason(argument)?),
            "field_path" => self.field_path = Some(string(argument)?),
            "optional_old_self" => self.optional_old_self = Some(boolean(argument)?),
            _ => return None,
        }
        Some(self)
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

fn message(expr: &Expr) -> Option<Message> {
    if let Expr::Call(call) = expr {
        let text = only_argument(call).and_then(string)?;
        if is_path(&call.func, &["Message", "Message"]) {
            return Some(Message::Text(text));
        }
        if is_path(&call.func, &["Message", "Expression"]) {
            return Some(Message::Expression(text));
        }
        return None;
    }
    string(expr).map(Message::Text)
}

fn reason(expr: &Expr) -> Option<&'static str> {
    REASONS.iter().find(|name| is_path(expr, &["Reason", name])).copied()
}

fn boolean(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Bool(value) => Some(value.value),
            _ => None,
        },
        _ => None,
    }
}

/// A string literal, also one that is converted to a `String`.
pub(super) fn string(expr: &Expr) -> Option<Text> {
    match expr {
        Expr::Lit(_) | Expr::Group(_) => Text::literal(expr),
        Expr::MethodCall(call) => {
            let conversions = ["into", "to_string", "to_owned"];
            (call.args.is_empty() && conversions.iter().any(|name| call.method == name))
                .then(|| string(&call.receiver))?
        }
        Expr::Call(call) if is_path(&call.func, &["String", "from"]) => only_argument(call).and_then(string),
        _ => None,
    }
}

pub(super) fn only_argument(call: &ExprCall) -> Option<&Expr> {
    call.args.first().filter(|_| call.args.len() == 1)
}

/// Whether an expression is a path that ends with these segments.
pub(super) fn is_path(expr: &Expr, ending: &[&str]) -> bool {
    let Expr::Path(ExprPath { path, .. }) = expr else {
        return false;
    };
    let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    segments.len() >= ending.len()
        && segments[segments.len() - ending.len()..].iter().zip(ending).all(|(segment, expected)| segment == expected)
}

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

    /// The checks of the types in the rule against its schema.
    pub(crate) fn type_checks(&self) -> Vec<RuleTypeCheck> {
        let Self::Literal(rule) = self else {
            return Vec::new();
        };
        let check = |(part, text): (RulePart, &Text)| RuleTypeCheck { rule: rule.clone(), part, span: text.span() };
        rule.parts().map(check).collect()
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

    fn parse(expr: Expr) -> Option<LiteralRule> {
        LiteralRule::parse(&expr)
    }

    #[test]
    fn literal_forms_are_data() {
        let rule = parse(parse_quote!("self == oldSelf")).unwrap();
        assert_eq!(rule.rule.as_str(), "self == oldSelf");
        let rule = parse(parse_quote!(("self", "no"))).unwrap();
        assert!(matches!(rule.message, Some(Message::Text(text)) if &*text == "no"));
        let rule = parse(parse_quote! {
            kube::core::Rule::new("a".to_string())
                .message(Message::Expression("'x'".into()))
                .reason(Reason::FieldValueForbidden)
                .field_path(".a")
                .optional_old_self(true)
        })
        .unwrap();
        assert!(matches!(rule.message, Some(Message::Expression(text)) if &*text == "'x'"));
        assert_eq!(rule.reason, Some("FieldValueForbidden"));
        assert_eq!(rule.optional_old_self, Some(true));
    }

    #[test]
    fn other_expressions_are_not_evaluated() {
        assert!(parse(parse_quote!(my_rule())).is_none());
        assert!(parse(parse_quote!(Rule::new(TEXT))).is_none());
        assert!(parse(parse_quote!(Rule::new("a").message(text()))).is_none());
    }

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
