//! Regular expressions in the syntax of Go, which the API server uses.

use crdkit_core::{literal::regex, rules::patterns::invalid_pattern};
use darling::{Error, FromMeta, Result};
use syn::{Expr, Meta};

use super::{items, schemars::string};

/// A regular expression: a validated literal or a constant expression.
pub(crate) struct Regex(pub(crate) Expr);

impl FromMeta for Regex {
    fn from_meta(item: &Meta) -> Result<Self> {
        let key = items::name(item);
        let expected = || Error::custom(format!("expected `{key} = \"^[a-z]+$\"`"));
        let Meta::NameValue(value) = item else {
            return Err(expected().with_span(item));
        };
        let expr = &value.value;
        match (string(expr), expr) {
            (None, Expr::Lit(_)) => Err(expected().with_span(expr)),
            _ => check_regex(expr.clone()).map(Self),
        }
    }
}

/// The expression, unless it is a literal with a syntax error.
pub(super) fn check_regex(expr: Expr) -> Result<Expr> {
    let Some(literal) = string(&expr) else {
        return Ok(expr);
    };
    let pattern = literal.value();
    match regex::parse(&pattern) {
        Ok(_) => Ok(expr),
        Err(error) => Err(Error::custom(invalid_pattern(&pattern, &error).message).with_span(literal)),
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::check_regex;

    #[test]
    fn literals_are_read() {
        assert!(check_regex(parse_quote!("^[a-z]+$")).is_ok());
        assert!(check_regex(parse_quote!(PATTERN)).is_ok());
        let mistake = check_regex(parse_quote!(r"a\Z")).expect_err("Go has no such escape");
        assert!(mistake.to_string().contains(r"write `\z`"), "{mistake}");
    }
}
