//! The forms of rules that are data: literals, and calls whose arguments are literals.

use crdkit_core::literal::cel::REASONS;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Lit};

use super::{LiteralRule, Message};
use crate::attrs::text::Text;

impl LiteralRule {
    /// Parses `"..."`, `("...", "...")` and chains that start with `Rule::new("...")`.
    pub(super) fn parse(expr: &Expr) -> Option<Self> {
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
}

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
pub(in crate::attrs) fn string(expr: &Expr) -> Option<Text> {
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

pub(in crate::attrs) fn only_argument(call: &ExprCall) -> Option<&Expr> {
    call.args.first().filter(|_| call.args.len() == 1)
}

/// Whether an expression is a path that ends with these segments.
pub(in crate::attrs) fn is_path(expr: &Expr, ending: &[&str]) -> bool {
    let Expr::Path(ExprPath { path, .. }) = expr else {
        return false;
    };
    let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    segments.len() >= ending.len()
        && segments[segments.len() - ending.len()..].iter().zip(ending).all(|(segment, expected)| segment == expected)
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
}
