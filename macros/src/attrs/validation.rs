//! Validation attributes, which schemars reads from `schemars`, `validate` and `garde`.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, Meta, Token, parse::Parser, punctuated::Punctuated, spanned::Spanned};

use super::{
    Errors, items,
    key::{Key, keys},
    regex::check_regex,
    value::BareKey,
};

/// The validation of a field's value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Validation {
    pub(crate) length: Option<Bounds>,
    pub(crate) range: Option<Bounds>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) format: Option<Format>,
    pub(crate) required: bool,
    pub(crate) inner: Option<Box<Validation>>,
    /// The types that the attributes apply to, with their spans.
    pub(crate) targets: Vec<(ValidationTarget, Span)>,
}

/// The type of values that a validation applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValidationTarget {
    /// A string, a list, a map or an object.
    Sized,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    List,
}

/// An inclusive range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

/// What a string must match.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// A regular expression.
    Regex(Expr),
    /// A substring.
    Contains(Expr),
}

/// The format of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Email,
    Url,
    Ip,
    Ipv4,
    Ipv6,
}

/// The attribute that a validation is written in. Their syntax differs slightly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Schemars,
    Validate,
    Garde,
}

impl Dialect {
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Schemars => "schemars",
            Self::Validate => "validate",
            Self::Garde => "garde",
        }
    }
}

keys! {
    ValidationKey {
        Length = "length",
        Range = "range",
        Required = "required",
        Pattern = "pattern",
        Regex = "regex",
        Contains = "contains",
        Inner = "inner",
        Email = "email",
        Url = "url",
        Ip = "ip",
        Ipv4 = "ipv4",
        Ipv6 = "ipv6",
    }
}

impl ValidationKey {
    fn is_in(self, dialect: Dialect) -> bool {
        match self {
            Self::Pattern | Self::Inner => dialect != Dialect::Validate,
            Self::Regex => dialect != Dialect::Garde,
            Self::Length | Self::Range | Self::Required | Self::Contains => true,
            Self::Email | Self::Url | Self::Ip | Self::Ipv4 | Self::Ipv6 => true,
        }
    }

    /// The values that the validation applies to, unless it applies to all.
    fn target(self) -> Option<ValidationTarget> {
        match self {
            Self::Required => None,
            Self::Length => Some(ValidationTarget::Sized),
            Self::Range => Some(ValidationTarget::Number),
            Self::Inner => Some(ValidationTarget::List),
            Self::Pattern | Self::Regex | Self::Contains => Some(ValidationTarget::String),
            Self::Email | Self::Url | Self::Ip | Self::Ipv4 | Self::Ipv6 => Some(ValidationTarget::String),
        }
    }
}

impl Validation {
    /// Parses an item; returns whether it is a validation.
    pub(crate) fn parse_item(&mut self, item: &Meta, dialect: Dialect, errors: &mut Errors) -> bool {
        let Some(key) = ValidationKey::of(item).filter(|key| key.is_in(dialect)) else {
            return false;
        };
        self.targets.extend(key.target().map(|target| (target, item.path().span())));
        errors.handle(self.parse_known(key, item, dialect));
        true
    }

    fn parse_known(&mut self, key: ValidationKey, item: &Meta, dialect: Dialect) -> Result<()> {
        let mut format = |format| {
            let format = bare_key(item, dialect).map(|()| format);
            set(&mut self.format, item, dialect, format)
        };
        match key {
            ValidationKey::Length => set(&mut self.length, item, dialect, bounds(item, dialect)),
            ValidationKey::Range => set(&mut self.range, item, dialect, bounds(item, dialect)),
            ValidationKey::Pattern => {
                let regex = argument(item).and_then(check_regex).map(Pattern::Regex);
                set(&mut self.pattern, item, dialect, regex)
            }
            ValidationKey::Regex => {
                let name = if dialect == Dialect::Validate { "path" } else { "pattern" };
                let regex = named_argument(item, name).and_then(check_regex).map(Pattern::Regex);
                set(&mut self.pattern, item, dialect, regex)
            }
            ValidationKey::Contains => {
                let text = named_argument(item, "pattern").or_else(|_| argument(item));
                set(&mut self.pattern, item, dialect, text.map(Pattern::Contains))
            }
            ValidationKey::Inner => self.parse_inner(item, dialect),
            ValidationKey::Required => {
                self.required = true;
                bare_key(item, dialect)
            }
            ValidationKey::Email => format(Format::Email),
            ValidationKey::Url => format(Format::Url),
            ValidationKey::Ip => format(Format::Ip),
            ValidationKey::Ipv4 => format(Format::Ipv4),
            ValidationKey::Ipv6 => format(Format::Ipv6),
        }
    }

    fn parse_inner(&mut self, item: &Meta, dialect: Dialect) -> Result<()> {
        let items = nested(item)?;
        let mut errors = Error::accumulator();
        let inner = self.inner.get_or_insert_default();
        for nested in &items {
            if !inner.parse_item(nested, dialect, &mut errors) && dialect == Dialect::Schemars {
                errors.push(items::unknown(nested, &ValidationKey::names()));
            }
        }
        errors.finish()
    }
}

/// Sets a value that must be unique in `#[schemars(...)]`. In `#[validate(...)]` and `#[garde(...)]`, the first one
/// applies, as in schemars.
fn set<T>(slot: &mut Option<T>, item: &Meta, dialect: Dialect, value: Result<T>) -> Result<()> {
    if slot.is_some() && dialect != Dialect::Schemars {
        return Ok(());
    }
    if slot.is_some() {
        return Err(Error::custom(format!(
            "`{}` is given twice, possibly under another name; remove one",
            items::name(item)
        ))
        .with_span(item));
    }
    *slot = Some(value?);
    Ok(())
}

fn bare_key(item: &Meta, dialect: Dialect) -> Result<()> {
    match dialect {
        Dialect::Validate => Ok(()),
        Dialect::Schemars | Dialect::Garde => BareKey::from_meta(item).map(drop),
    }
}

fn nested(item: &Meta) -> Result<Vec<Meta>> {
    let expected = || {
        let name = items::name(item);
        Error::custom(format!("expected `{name}(...)`")).with_span(item)
    };
    let list = item.require_list().map_err(|_| expected())?;
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    Ok(metas.into_iter().collect())
}

fn bounds(item: &Meta, dialect: Dialect) -> Result<Bounds> {
    let mut bounds = Bounds::default();
    let items = nested(item)?;
    let mut errors = Error::accumulator();
    for nested in &items {
        match items::name(nested).as_str() {
            "min" => errors.handle(set(&mut bounds.min, nested, dialect, value(nested))),
            "max" => errors.handle(set(&mut bounds.max, nested, dialect, value(nested))),
            "equal" => {
                errors.handle(set(&mut bounds.min, nested, dialect, value(nested)));
                errors.handle(set(&mut bounds.max, nested, dialect, value(nested)))
            }
            _ if dialect == Dialect::Schemars => {
                errors.push(items::unknown(nested, &["min", "max", "equal"]));
                None
            }
            _ => None,
        };
    }
    errors.finish_with(bounds)
}

/// The value of `key = value`, also an expression in a string literal.
fn value(item: &Meta) -> Result<Expr> {
    let value = &item.require_name_value()?.value;
    if let Expr::Lit(literal) = value
        && let Lit::Str(text) = &literal.lit
    {
        return Ok(text.parse()?);
    }
    Ok(value.clone())
}

/// The only argument of `key(value)`.
fn argument(item: &Meta) -> Result<Expr> {
    let list = item.require_list()?;
    Ok(<Expr as syn::parse::Parse>::parse.parse2(list.tokens.clone())?)
}

/// The argument of `key(name = value)`. For `key(value)`, see [`argument`].
fn named_argument(item: &Meta, name: &str) -> Result<Expr> {
    let expected = || {
        let key = items::name(item);
        Error::custom(format!("expected `{key}({name} = \"...\")`")).with_span(item)
    };
    let nested = nested(item).map_err(|_| expected())?;
    match nested.iter().find(|meta| meta.path().is_ident(name)) {
        Some(Meta::NameValue(value)) => Ok(value.value.clone()),
        _ => Err(expected()),
    }
}
