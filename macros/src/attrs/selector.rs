//! `selector!(Kind, field == value && field != value)`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, Ident, Lit, LitStr, Result, Token, Type, UnOp,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// The input of `selector!`.
pub(crate) struct Selector {
    /// The path of crdkit, which the macro of `crdkit` inserts before the user's input.
    pub(crate) crdkit: TokenTree,
    pub(crate) kind: Type,
    pub(crate) requirements: Vec<Requirement>,
}

/// A requirement on one field.
pub(crate) struct Requirement {
    pub(crate) path: Vec<Segment>,
    pub(crate) equal: bool,
    pub(crate) value: Value,
}

/// A field name in a path.
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The value that a field is compared with.
pub(crate) enum Value {
    /// A literal, with its text in a selector.
    Literal(Kind, String, Span),
    Expression(Expr),
}

/// The type of a literal.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    String,
    Integer,
    Boolean,
}

const EXPECTED: &str = "expected a kind and requirements, such as `Pod, status.phase == \"Running\"`";

impl Parse for Selector {
    fn parse(input: ParseStream) -> Result<Self> {
        let crdkit = input.parse()?;
        let expected = |_| input.error(EXPECTED);
        let kind = input.parse().map_err(expected)?;
        input.parse::<Token![,]>().map_err(expected)?;
        let mut requirements = vec![input.parse()?];
        while input.parse::<Option<Token![&&]>>()?.is_some() {
            requirements.push(input.parse()?);
        }
        input.parse::<Option<Token![,]>>()?;
        Ok(Self { crdkit, kind, requirements })
    }
}

impl Parse for Requirement {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut path = vec![input.parse()?];
        while input.parse::<Option<Token![.]>>()?.is_some() {
            path.push(input.parse()?);
        }
        let equal = if input.peek(Token![==]) {
            input.parse::<Token![==]>()?;
            true
        } else if input.peek(Token![!=]) {
            input.parse::<Token![!=]>()?;
            false
        } else {
            return Err(input.error("expected `==` or `!=`, the only operators of field selectors"));
        };
        Ok(Self { path, equal, value: input.parse()? })
    }
}

impl Parse for Segment {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.peek(LitStr) {
            let name: LitStr = input.parse()?;
            return Self::quoted(&name);
        }
        let ident = input
            .call(Ident::parse_any)
            .map_err(|_| input.error("expected the name of a field, in quotes if it is not an identifier"))?;
        Ok(Self { name: ident.unraw().to_string(), span: ident.span() })
    }
}

impl Segment {
    fn quoted(name: &LitStr) -> Result<Self> {
        let text = name.value();
        if text.is_empty() || text.contains(['=', '!', ',']) {
            let message = "field selectors do not support this name: it must not be empty or contain `=`, `!` or `,`";
            return Err(syn::Error::new(name.span(), message));
        }
        Ok(Self { name: text, span: name.span() })
    }
}

impl Parse for Value {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![&&]) && !input.peek(Token![,]) {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
        if tokens.is_empty() {
            return Err(input.error("expected a value"));
        }
        if input.peek(Token![||]) {
            return Err(or_error(input.span()));
        }
        Self::from_expr(syn::parse2(tokens)?)
    }
}

fn or_error(span: Span) -> syn::Error {
    syn::Error::new(span, "field selectors support only `&&`: send one request for each side of `||`")
}

impl Value {
    fn from_expr(expr: Expr) -> Result<Self> {
        match &expr {
            Expr::Group(group) => Self::from_expr((*group.expr).clone()),
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Or(_)) => {
                Err(or_error(syn::spanned::Spanned::span(&binary.op)))
            }
            Expr::Lit(literal) => Self::literal(&literal.lit, ""),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
                Expr::Lit(literal) => Self::literal(&literal.lit, "-"),
                _ => Ok(Self::Expression(expr)),
            },
            _ => Ok(Self::Expression(expr)),
        }
    }

    fn literal(literal: &Lit, sign: &str) -> Result<Self> {
        let (kind, text) = match literal {
            Lit::Str(text) => (Kind::String, text.value()),
            Lit::Bool(value) => (Kind::Boolean, value.value.to_string()),
            Lit::Int(number) => (Kind::Integer, format!("{sign}{}", number.base10_digits())),
            other => {
                let message = "field selectors support only strings, integers and booleans";
                return Err(syn::Error::new_spanned(other.to_token_stream(), message));
            }
        };
        Ok(Self::Literal(kind, text, literal.span()))
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn parse(tokens: TokenStream) -> Result<Selector> {
        syn::parse2(quote!(crdkit #tokens))
    }

    fn mistake(tokens: TokenStream) -> String {
        match parse(tokens) {
            Ok(_) => panic!("it is right"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn paths_are_names_in_json() {
        let selector = parse(quote!(a::Pod, r#type.metadata."a-b" != -1 && x == f(1, 2) && y == "z",)).unwrap();
        let paths: Vec<String> = selector
            .requirements
            .iter()
            .map(|requirement| {
                let names: Vec<_> = requirement.path.iter().map(|it| it.name.as_str()).collect();
                names.join("/")
            })
            .collect();
        assert_eq!(paths, ["type/metadata/a-b", "x", "y"]);
        let first = &selector.requirements[0];
        assert!(!first.equal);
        assert!(matches!(&first.value, Value::Literal(Kind::Integer, text, _) if text == "-1"));
    }

    #[test]
    fn error_messages() {
        for (tokens, start) in [
            (quote!(), "expected a kind"),
            (quote!(Pod, a < 1), "expected `==` or `!=`"),
            (quote!(Pod, a == ), "expected a value"),
            (quote!(Pod, a == 1.5), "field selectors support only strings"),
            (quote!(Pod, a == "b" || c == "d"), "field selectors support only `&&`"),
            (quote!(Pod, "a=b" == 1), "field selectors do not support this name"),
            (quote!(Pod, == 1), "expected the name of a field"),
        ] {
            let message = mistake(tokens);
            let end = "unexpected end of input, ";
            let message = message.strip_prefix(end).unwrap_or(&message);
            assert!(message.starts_with(start), "{message}");
        }
    }
}
