//! The attributes of schemars that types, fields and variants have in common.

use darling::{Error, Result};
use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Lit, LitStr, Meta, Path, Token, Type, parse::Parse, punctuated::Punctuated};

use super::{
    Errors,
    docs::Docs,
    items,
    key::{Key, keys},
    schema_patch,
    serde_or_schemars::{self, Item},
    validation::{Dialect, Validation, ValidationKey},
};

/// Title, description and the like.
#[derive(Clone, Debug)]
pub(crate) struct Annotations {
    pub(crate) docs: Docs,
    pub(crate) deprecated: Option<String>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) example: Option<Expr>,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) transforms: Vec<Expr>,
}

/// A schema that replaces that of the type.
#[derive(Clone, Debug)]
pub(crate) enum SchemarsOverride {
    /// `with = "Type"`: the schema of another type.
    Type(Type),
    /// `schema_with = "function"`: the schema that a function returns.
    Function(Path),
}

/// `extend("key" = value)`.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    pub(crate) key: LitStr,
    pub(crate) value: TokenStream,
}

impl Parse for Extension {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Self> {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            value.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        if value.is_empty() {
            return Err(input.error("expected a JSON value, as in `extend(\"x\" = true)`"));
        }
        Ok(Self { key, value })
    }
}

/// What types, fields or variants support besides [`AnnotationKey`] and [`SchemarsOverrideKey`].
pub(crate) struct SchemarsTarget {
    pub(crate) keys: &'static [&'static str],
    pub(crate) allows_validation: bool,
    /// Whether `#[validate(...)]` and `#[garde(...)]` are read, too.
    pub(crate) reads_validator_attrs: bool,
}

/// The attributes of schemars, validator and garde.
pub(crate) struct SchemarsAttrs {
    pub(crate) annotations: Annotations,
    pub(crate) schema: Option<SchemarsOverride>,
    pub(crate) validation: Validation,
    /// All items of `#[schemars(...)]` that are not shared with serde.
    pub(crate) items: Vec<Meta>,
    /// The items with the keys of the target, such as `crate` on types.
    pub(crate) target_items: Vec<Meta>,
}

keys! {
    AnnotationKey {
        Title = "title",
        Description = "description",
        Example = "example",
        Extend = "extend",
        Transform = "transform",
    }

    SchemarsOverrideKey { With = "with", SchemaWith = "schema_with" }
}

impl SchemarsAttrs {
    pub(crate) fn parse(attrs: &[Attribute], target: &SchemarsTarget, errors: &mut Errors) -> Self {
        let mut parsed = Self {
            annotations: Annotations::new(attrs),
            schema: None,
            validation: Validation::default(),
            items: Vec::new(),
            target_items: Vec::new(),
        };
        parsed.parse_schemars(attrs, target, errors);
        for item in serde_or_schemars::items(attrs, "serde").unwrap_or_default() {
            if let Item::Meta(meta) = item {
                errors.handle(parsed.annotations.parse_item(&meta));
            }
        }
        reject_legacy_rules(attrs, errors);
        if target.reads_validator_attrs {
            parsed.parse_validator_attrs(attrs, Dialect::Validate, errors);
            parsed.parse_validator_attrs(attrs, Dialect::Garde, errors);
        }
        parsed
    }

    fn parse_schemars(&mut self, attrs: &[Attribute], target: &SchemarsTarget, errors: &mut Errors) {
        let items = match serde_or_schemars::items(attrs, "schemars") {
            Ok(items) => items,
            Err(error) => return errors.push(error.into()),
        };
        for item in items {
            if let Item::Meta(meta) = item {
                self.parse_item(meta, target, errors);
            }
        }
    }

    fn parse_item(&mut self, meta: Meta, target: &SchemarsTarget, errors: &mut Errors) {
        let key = serde_or_schemars::key(&meta);
        if target.keys.contains(&key.as_str()) {
            self.target_items.push(meta);
            return;
        }
        if serde_or_schemars::is_shared(&key) {
            return;
        }
        self.items.push(meta.clone());
        if errors.handle(self.annotations.parse_item(&meta)).unwrap_or(true) {
            return;
        }
        match SchemarsOverrideKey::from_name(&key) {
            Some(_) if self.schema.is_some() => errors.push(items::duplicate(&meta)),
            Some(SchemarsOverrideKey::With) => {
                self.schema = errors.handle(parse_string(&meta).map(SchemarsOverride::Type));
            }
            Some(SchemarsOverrideKey::SchemaWith) => {
                self.schema = errors.handle(parse_string(&meta).map(SchemarsOverride::Function));
            }
            None if target.allows_validation && self.validation.parse_item(&meta, Dialect::Schemars, errors) => {}
            None => errors.push(items::unknown(&meta, &known_keys(target))),
        }
    }

    /// Parses an attribute of another crate. Ignores the keys that do not affect schemas.
    fn parse_validator_attrs(&mut self, attrs: &[Attribute], dialect: Dialect, errors: &mut Errors) {
        for item in serde_or_schemars::items(attrs, dialect.attribute()).unwrap_or_default() {
            if let Item::Meta(meta) = item {
                self.validation.parse_item(&meta, dialect, errors);
            }
        }
    }
}

/// Reports `#[validate(rule = "...")]`, which older versions of kube read as a CEL rule.
fn reject_legacy_rules(attrs: &[Attribute], errors: &mut Errors) {
    let mut ignored = Error::accumulator(); // reported by the crate that the attribute belongs to
    for item in items::parse_attribute(attrs, "validate", &mut ignored) {
        if matches!(item, Meta::NameValue(_)) && item.path().is_ident("rule") {
            let message = "this rule has no effect: write `#[x_kube(validation = \"...\")]` or `#[crd(validation = \
                           \"...\")]`";
            errors.push(Error::custom(message).with_span(&item));
        }
    }
    drop(ignored.into_inner());
}

fn known_keys(target: &SchemarsTarget) -> Vec<&'static str> {
    let mut keys = [&AnnotationKey::names(), &SchemarsOverrideKey::names(), target.keys].concat();
    if target.allows_validation {
        keys.extend(ValidationKey::names());
    }
    keys
}

impl Annotations {
    fn new(attrs: &[Attribute]) -> Self {
        Self {
            docs: Docs::from_attrs(attrs),
            deprecated: attrs.iter().find_map(deprecation),
            title: None,
            description: None,
            example: None,
            extensions: Vec::new(),
            transforms: Vec::new(),
        }
    }

    /// Parses an item; returns whether it is an annotation.
    fn parse_item(&mut self, meta: &Meta) -> Result<bool> {
        let Some(key) = AnnotationKey::from_name(&serde_or_schemars::key(meta)) else {
            return Ok(false);
        };
        match key {
            AnnotationKey::Title => set(&mut self.title, meta)?,
            AnnotationKey::Description => set(&mut self.description, meta)?,
            AnnotationKey::Example => {
                // A schema in a CustomResourceDefinition has one example; schemars allows several.
                let example = value(meta)?;
                self.example.get_or_insert(example);
            }
            AnnotationKey::Extend => {
                let parser = Punctuated::<Extension, Token![,]>::parse_terminated;
                let members = meta.require_list()?.parse_args_with(parser)?;
                let mut errors = Error::accumulator();
                for member in &members {
                    schema_patch::check_member(&member.key, &member.value, &mut errors);
                }
                self.extensions.extend(members);
                errors.finish()?;
            }
            AnnotationKey::Transform => self.transforms.push(value(meta)?),
        }
        Ok(true)
    }
}

fn set(slot: &mut Option<Expr>, meta: &Meta) -> Result<()> {
    if slot.is_some() {
        return Err(items::duplicate(meta));
    }
    *slot = Some(value(meta)?);
    Ok(())
}

fn value(meta: &Meta) -> Result<Expr> {
    match meta {
        Meta::NameValue(value) => Ok(value.value.clone()),
        _ => Err(Error::custom(format!("expected `{} = ...`", items::name(meta))).with_span(meta)),
    }
}

/// The note of `#[deprecated]`, empty if it has none.
fn deprecation(attr: &Attribute) -> Option<String> {
    if !attr.path().is_ident("deprecated") {
        return None;
    }
    let note = match &attr.meta {
        Meta::Path(_) => None,
        Meta::NameValue(value) => string(&value.value).map(|text| text.value()),
        Meta::List(list) => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .ok()?
            .iter()
            .find(|meta| meta.path().is_ident("note"))
            .and_then(|meta| string(&meta.require_name_value().ok()?.value))
            .map(|text| text.value()),
    };
    Some(note.unwrap_or_default())
}

pub(crate) fn string(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text),
            _ => None,
        },
        Expr::Group(group) => string(&group.expr),
        _ => None,
    }
}

/// The code in a string literal, as in attributes of serde and schemars.
pub(crate) fn parse_string<T: Parse>(meta: &Meta) -> Result<T> {
    let value = value(meta)?;
    match string(&value) {
        Some(text) => text.parse().map_err(|error: syn::Error| {
            Error::custom(format!("cannot parse `{}`: {error}", text.value())).with_span(text)
        }),
        None => Err(Error::custom(format!("expected `{} = \"...\"`", items::name(meta))).with_span(meta)),
    }
}
