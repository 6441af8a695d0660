//! `#[convert(...)]`: how a version differs from the hub.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Attribute, DeriveInput, Expr, Field, Lit, LitStr, Meta, Path, Variant};

use super::{
    Errors, items,
    key::{Key, keys},
    value::{BareKey, PathValue},
};

/// The attributes of a type.
pub(crate) struct ConvertAttrs {
    /// The counterpart in the hub version.
    pub(crate) hub: Path,
    pub(crate) hub_defaults: Vec<HubDefault>,
    /// Whether other types set the rest of the hub's fields.
    pub(crate) is_partial: bool,
    /// Other spokes of the hub.
    pub(crate) spokes: Vec<Path>,
}

/// The value of a field that only the hub has.
#[derive(Clone)]
pub(crate) struct HubDefault {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) value: Expr,
}

/// The attributes of a field.
#[derive(Default)]
pub(crate) struct ConvertFieldAttrs {
    pub(crate) to: Option<HubPath>,
    pub(crate) with: Option<WithModule>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) dropped: bool,
    pub(crate) flatten: bool,
}

/// The path of a field in the hub's object.
#[derive(Clone)]
pub(crate) struct HubPath {
    pub(crate) names: Vec<String>,
    pub(crate) span: Span,
}

/// The module with the functions `to_hub` and `from_hub`.
#[derive(Clone)]
pub(crate) struct WithModule {
    pub(crate) path: Path,
    /// Whether the functions return a `Result`.
    pub(crate) can_fail: bool,
}

/// The value of a field that the hub does not have.
#[derive(Clone)]
pub(crate) enum DefaultValue {
    OfType,
    Expr(Box<Expr>),
}

/// The attributes of a variant.
#[derive(Default)]
pub(crate) struct ConvertVariantAttrs {
    pub(crate) to: Option<LitStr>,
    /// Variants that only the hub has.
    pub(crate) from: Vec<LitStr>,
}

keys! {
    TypeKey { Hub = "hub", HubDefault = "hub_default", Partial = "partial", Spokes = "spokes" }

    FieldKey { To = "to", With = "with", TryWith = "try_with", Default = "default", Dropped = "dropped", Flatten = "flatten" }

    VariantKey { To = "to", From = "from" }
}

impl ConvertAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let mut hub = None::<PathValue>;
        let mut partial = None::<BareKey>;
        let (mut hub_defaults, mut spokes) = (Vec::new(), Vec::new());
        for item in &items::parse_attribute(&input.attrs, "convert", errors) {
            match TypeKey::of(item) {
                Some(TypeKey::Hub) => items::parse_once(&mut hub, item, errors),
                Some(TypeKey::Partial) => items::parse_once(&mut partial, item, errors),
                Some(TypeKey::HubDefault) => parse_hub_defaults(item, &mut hub_defaults, errors),
                Some(TypeKey::Spokes) => parse_spokes(item, &mut spokes, errors),
                None => errors.push(items::unknown(item, &TypeKey::names())),
            }
        }
        if hub.is_none() && items::no_errors(errors) {
            let message = "`hub` is missing: write `#[convert(hub = super::v1::Kind)]`, with the root type of the hub version on a \
                           spec, and the type with the same role on any other type";
            errors.push(Error::custom(message).with_span(&input.ident));
        }
        Some(Self { hub: hub?.0, hub_defaults, is_partial: partial.is_some(), spokes })
    }
}

fn parse_spokes(item: &Meta, spokes: &mut Vec<Path>, errors: &mut Errors) {
    let Meta::List(list) = item else {
        errors.push(Error::custom("expected `spokes(super::v1beta1::Kind)`").with_span(item));
        return;
    };
    for spoke in &items::parse_list(list, errors) {
        match spoke {
            Meta::Path(path) => spokes.push(path.clone()),
            _ => errors.push(Error::custom("expected the root type of another spoke").with_span(spoke)),
        }
    }
}

fn parse_hub_defaults(item: &Meta, defaults: &mut Vec<HubDefault>, errors: &mut Errors) {
    let Meta::List(list) = item else {
        errors.push(Error::custom("expected `hub_default(field = value)`").with_span(item));
        return;
    };
    for default in &items::parse_list(list, errors) {
        match (default, default.path().get_ident()) {
            (Meta::NameValue(pair), Some(name)) => defaults.push(HubDefault {
                name: name.to_string().trim_start_matches("r#").to_owned(),
                span: name.span(),
                value: pair.value.clone(),
            }),
            _ => errors.push(Error::custom("expected `field = value`").with_span(default)),
        }
    }
}

impl ConvertFieldAttrs {
    pub(crate) fn parse(field: &Field, errors: &mut Errors) -> Self {
        let mut to = None;
        let (mut with, mut try_with) = (None::<PathValue>, None::<PathValue>);
        let mut default = None;
        let (mut dropped, mut flatten) = (None::<BareKey>, None::<BareKey>);
        let items = items::parse_attribute(&field.attrs, "convert", errors);
        for item in &items {
            match FieldKey::of(item) {
                Some(FieldKey::To) => items::parse_once(&mut to, item, errors),
                Some(FieldKey::With) => items::parse_once(&mut with, item, errors),
                Some(FieldKey::TryWith) => items::parse_once(&mut try_with, item, errors),
                Some(FieldKey::Default) => items::parse_once(&mut default, item, errors),
                Some(FieldKey::Dropped) => items::parse_once(&mut dropped, item, errors),
                Some(FieldKey::Flatten) => items::parse_once(&mut flatten, item, errors),
                None => errors.push(items::unknown(item, &FieldKey::names())),
            }
        }
        let find = |key| items.iter().find(|item| FieldKey::of(item) == Some(key));
        for &(one, other, reason) in CONFLICTS {
            if let (Some(_), Some(item)) = (find(one), find(other)) {
                let message = format!("`{}` and `{}` exclude each other: {reason}", one.name(), other.name());
                errors.push(Error::custom(message).with_span(item.path()));
            }
        }
        let can_fail = try_with.is_some();
        let with = with.or(try_with).map(|path| WithModule { path: path.0, can_fail });
        Self { to, with, default, dropped: dropped.is_some(), flatten: flatten.is_some() }
    }
}

const CONFLICTS: &[(FieldKey, FieldKey, &str)] = &[
    (FieldKey::Dropped, FieldKey::To, "the hub either has the field or not"),
    (FieldKey::Dropped, FieldKey::With, "the hub has no such field"),
    (FieldKey::Dropped, FieldKey::TryWith, "the hub has no such field"),
    (FieldKey::With, FieldKey::TryWith, "the functions of `try_with` return a `Result`"),
    (FieldKey::Flatten, FieldKey::To, "the fields of the value are fields of the hub's object"),
    (FieldKey::Flatten, FieldKey::With, "the fields of the value are fields of the hub's object"),
    (FieldKey::Flatten, FieldKey::TryWith, "the fields of the value are fields of the hub's object"),
    (FieldKey::Flatten, FieldKey::Dropped, "the fields of the value are fields of the hub's object"),
];

impl FromMeta for HubPath {
    fn from_meta(item: &Meta) -> Result<Self> {
        let text = text(item)?;
        let names: Vec<_> = text.value().split('.').map(str::to_owned).collect();
        if names.iter().any(String::is_empty) {
            let message = "expected the name of a field of the hub, or a path of names such as `resources.cpu`";
            return Err(Error::custom(message).with_span(&text));
        }
        Ok(Self { names, span: text.span() })
    }
}

impl FromMeta for DefaultValue {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self::OfType),
            Meta::NameValue(pair) => Ok(Self::Expr(Box::new(pair.value.clone()))),
            Meta::List(_) => Err(Error::custom("expected `default` or `default = value`").with_span(item)),
        }
    }
}

/// The string of `key = "..."`.
fn text(item: &Meta) -> Result<LitStr> {
    let expected = || Error::custom(format!("expected `{} = \"...\"`", items::name(item))).with_span(item);
    let Meta::NameValue(pair) = item else {
        return Err(expected());
    };
    match &pair.value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Ok(text.clone()),
            _ => Err(expected()),
        },
        _ => Err(expected()),
    }
}

impl ConvertVariantAttrs {
    pub(crate) fn parse(variant: &Variant, errors: &mut Errors) -> Self {
        let mut parsed = Self::default();
        for item in &items::parse_attribute(&variant.attrs, "convert", errors) {
            match VariantKey::of(item) {
                Some(VariantKey::To) if parsed.to.is_some() => errors.push(items::duplicate(item)),
                Some(VariantKey::To) => parsed.to = errors.handle(text(item)),
                Some(VariantKey::From) => parsed.from.extend(errors.handle(text(item))),
                None => errors.push(items::unknown(item, &VariantKey::names())),
            }
        }
        parsed
    }
}

/// Reports `#[convert(...)]` on fields of variants that have none.
pub(crate) fn reject(attrs: &[Attribute], message: &str, errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("convert")) {
        errors.push(Error::custom(message).with_span(&attr.meta));
    }
}
