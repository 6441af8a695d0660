//! `default = ...`: the value that the API server sets when the field is omitted.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, ExprPath, Lit, Meta, spanned::Spanned};

use super::{
    keywords::{OUT_OF_RANGE, Scalar, scalar},
    rule::string,
};

/// A default, with its span.
pub(crate) struct DefaultAttr {
    pub(crate) value: DefaultExpr,
    pub(crate) span: Span,
}

/// The value of a default.
pub(crate) enum DefaultExpr {
    Literal(DefaultLiteral),
    /// Serialized by serde when the schema is rendered.
    Expression(Expr),
}

/// A default whose value is known to the macro.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DefaultLiteral {
    Boolean(bool),
    Scalar(Scalar),
    List(Vec<DefaultLiteral>),
    /// An empty object.
    Object,
}

impl FromMeta for DefaultAttr {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::NameValue(named) => Self::from_expr(&named.value),
            _ => Err(Error::custom(
                "expected a value, as in `default = 5`; `#[serde(default)]` uses the default of the type",
            )
            .with_span(item)),
        }
    }

    fn from_expr(expr: &Expr) -> Result<Self> {
        let value = match constant(expr)? {
            Some(constant) => DefaultExpr::Literal(constant),
            None => DefaultExpr::Expression(expr.clone()),
        };
        let span = expr.span();
        Ok(Self { value, span })
    }
}

/// The value of a literal; none if the expression has to be evaluated.
fn constant(expr: &Expr) -> Result<Option<DefaultLiteral>> {
    if let Some(text) = string(expr) {
        let text = Scalar::Text(text.as_str().to_owned());
        return Ok(Some(DefaultLiteral::Scalar(text)));
    }
    if let Some(scalar) = scalar(expr) {
        return Ok(Some(DefaultLiteral::Scalar(scalar)));
    }
    match expr {
        Expr::Group(group) => constant(&group.expr),
        Expr::Paren(paren) => constant(&paren.expr),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Bool(value) => Ok(Some(DefaultLiteral::Boolean(value.value))),
            Lit::Int(_) | Lit::Float(_) => Err(Error::custom(OUT_OF_RANGE).with_span(expr)),
            _ => Ok(None),
        },
        Expr::Array(array) => {
            let items: Option<Vec<_>> = array.elems.iter().map(constant).collect::<Result<_>>()?;
            Ok(items.map(DefaultLiteral::List))
        }
        Expr::Block(block) if block.block.stmts.is_empty() => Ok(Some(DefaultLiteral::Object)),
        Expr::Path(path) if is_none(path) => {
            Err(Error::custom("a default cannot be null: remove it, and an omitted field has no value").with_span(expr))
        }
        _ => Ok(None),
    }
}

fn is_none(path: &ExprPath) -> bool {
    path.qself.is_none() && path.path.segments.last().is_some_and(|it| it.ident == "None")
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn parse(expr: Expr) -> Option<DefaultLiteral> {
        constant(&expr).unwrap()
    }

    #[test]
    fn literals_are_data() {
        let text = |text: &str| DefaultLiteral::Scalar(Scalar::Text(text.to_owned()));
        let integer = |number| DefaultLiteral::Scalar(Scalar::Integer(number));
        assert_eq!(parse(parse_quote!(true)), Some(DefaultLiteral::Boolean(true)));
        assert_eq!(parse(parse_quote!(-5i64)), Some(integer(-5)));
        assert_eq!(parse(parse_quote!(-9223372036854775808)), Some(integer(i64::MIN)));
        assert_eq!(parse(parse_quote!("a")), Some(text("a")));
        assert_eq!(parse(parse_quote!("a".to_owned())), Some(text("a")));
        assert_eq!(parse(parse_quote!([1, (2)])), Some(DefaultLiteral::List(vec![integer(1), integer(2)])));
        assert_eq!(parse(parse_quote!([])), Some(DefaultLiteral::List(Vec::new())));
        assert_eq!(parse(parse_quote!({})), Some(DefaultLiteral::Object));
    }

    #[test]
    fn other_expressions_are_not_evaluated() {
        assert_eq!(parse(parse_quote!(Phase::Running)), None);
        assert_eq!(parse(parse_quote!(["a", NAME])), None);
        assert_eq!(parse(parse_quote!(size())), None);
    }

    #[test]
    fn invalid_defaults() {
        assert!(constant(&parse_quote!(None)).is_err());
        assert!(constant(&parse_quote!(18446744073709551615)).is_err());
        assert!(constant(&parse_quote!(1e400)).is_err());
    }
}
