//! `#[convert(...)]`: how a version differs from the hub.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Attribute, DeriveInput, Expr, Field, Lit, LitStr, Meta, Path, Variant};

use super::{
    Errors, items,
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

const TYPE_KEYS: &[&str] = &["hub", "hub_default", "partial", "spokes"];
const FIELD_KEYS: &[&str] = &["to", "with", "try_with", "default", "dropped", "flatten"];
const VARIANT_KEYS: &[&str] = &["to", "from"];

impl ConvertAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let mut hub = None::<PathValue>;
        let mut partial = None::<BareKey>;
        let (mut hub_defaults, mut spokes) = (Vec::new(), Vec::new());
        for item in &items::parse_attribute(&input.attrs, "convert", errors) {
            match items::name(item).as_str() {
                "hub" => items::parse_once(&mut hub, item, errors),
                "partial" => items::parse_once(&mut partial, item, errors),
                "hub_default" => parse_hub_defaults(item, &mut hub_defaults, errors),
                "spokes" => parse_spokes(item, &mut spokes, errors),
                _ => errors.push(items::unknown(item, TYPE_KEYS)),
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
            match items::name(item).as_str() {
                "to" => items::parse_once(&mut to, item, errors),
                "with" => items::parse_once(&mut with, item, errors),
                "try_with" => items::parse_once(&mut try_with, item, errors),
                "default" => items::parse_once(&mut default, item, errors),
                "dropped" => items::parse_once(&mut dropped, item, errors),
                "flatten" => items::parse_once(&mut flatten, item, errors),
                _ => errors.push(items::unknown(item, FIELD_KEYS)),
            }
        }
        let has = |key: &str| items.iter().any(|item| item.path().is_ident(key));
        for [one, other, reason] in CONFLICTS {
            if let Some(item) = items.iter().find(|item| item.path().is_ident(other)).filter(|_| has(one)) {
                errors.push(
                    Error::custom(format!("`{one}` and `{other}` exclude each other: {reason}")).with_span(item.path()),
                );
            }
        }
        let can_fail = try_with.is_some();
        let with = with.or(try_with).map(|path| WithModule { path: path.0, can_fail });
        Self { to, with, default, dropped: dropped.is_some(), flatten: flatten.is_some() }
    }
}

const CONFLICTS: &[[&str; 3]] = &[
    ["dropped", "to", "the hub either has the field or not"],
    ["dropped", "with", "the hub has no such field"],
    ["dropped", "try_with", "the hub has no such field"],
    ["with", "try_with", "the functions of `try_with` return a `Result`"],
    ["flatten", "to", "the fields of the value are fields of the hub's object"],
    ["flatten", "with", "the fields of the value are fields of the hub's object"],
    ["flatten", "try_with", "the fields of the value are fields of the hub's object"],
    ["flatten", "dropped", "the fields of the value are fields of the hub's object"],
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
            match items::name(item).as_str() {
                "to" if parsed.to.is_some() => errors.push(items::duplicate(item)),
                "to" => parsed.to = errors.handle(text(item)),
                "from" => parsed.from.extend(errors.handle(text(item))),
                _ => errors.push(items::unknown(item, VARIANT_KEYS)),
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
