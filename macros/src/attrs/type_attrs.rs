//! Attributes of types that have a schema.

use darling::Error;
use syn::{Attribute, DeriveInput, Meta};

use super::{
    Errors,
    bound::{self, WherePredicates},
    crates::Crates,
    field, items,
    key::{Key, keys},
    keywords::{KeywordAttrs, KeywordKey},
    relations::{TypeRelationKey, TypeRelations},
    resource,
    rule::{Rule, reject_duplicate_rules},
    schema_override::{OverrideKey, SchemaOverrideAttrs},
    schemars::{SchemarsAttrs, SchemarsTarget, parse_string},
    value::{Flag, PathValue},
};

/// The attributes of a type.
pub(crate) struct TypeAttrs {
    pub(crate) rules: Vec<Rule>,
    /// The span of `cel`.
    pub(crate) cel: Option<proc_macro2::Span>,
    pub(crate) crates: Crates,
    /// The span of `group`, `version` or `kind` in `#[crd(...)]`, which make the type the spec of a resource.
    pub(crate) resource: Option<proc_macro2::Span>,
    /// Bounds that replace the inferred ones.
    pub(crate) bound: Option<WherePredicates>,
    /// The schema that replaces that of the type.
    pub(crate) schema_override: SchemaOverrideAttrs,
    pub(crate) keywords: KeywordAttrs,
    pub(crate) relations: TypeRelations,
    pub(crate) schemars: SchemarsAttrs,
}

keys! {
    /// The keys of `#[x_kube(...)]`, which `#[crd(...)]` has too.
    XKubeKey { Crates = "crates", Validation = "validation", Cel = "cel" }

    /// The keys of `#[crd(...)]` besides those of keywords and relations.
    OwnKey { Crate = "crate", XKube(XKubeKey), Override(OverrideKey) }

    /// All keys of `#[crd(...)]`.
    TypeKey { Own(OwnKey), Relation(TypeRelationKey), Keyword(KeywordKey) }
}

const SCHEMARS_KEYS: &[&str] = &["crate", "inline", "bound"];
const TARGET: SchemarsTarget =
    SchemarsTarget { keys: SCHEMARS_KEYS, allows_validation: false, reads_validator_attrs: false };

impl TypeAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Self {
        let attrs = &input.attrs;
        let mut parsed = Self {
            rules: Vec::new(),
            cel: None,
            crates: Crates::default(),
            resource: resource::identity_span(attrs, "crd"),
            bound: None,
            schema_override: SchemaOverrideAttrs::default(),
            keywords: KeywordAttrs::default(),
            relations: TypeRelations::default(),
            schemars: SchemarsAttrs::parse(attrs, &TARGET, errors),
        };
        let mut slots = Slots::default();
        for item in &items::parse_attribute(attrs, "x_kube", errors) {
            parsed.parse_x_kube(item, &mut slots, errors);
        }
        parsed.parse_crd(attrs, &mut slots, errors);
        parsed.keywords.finish(errors);
        parsed.keywords.reject_schemars_duplicates(&parsed.schemars, errors);
        reject_duplicate_rules(&parsed.rules, errors);
        parsed.cel = slots.cel.filter(|flag| flag.value).map(|flag| flag.span);
        parsed.crates = slots.crates.unwrap_or_default();
        parsed.crates.crdkit = slots.crdkit.map(|path| path.0);
        parsed.parse_schemars_items(errors);
        parsed
    }

    /// On a resource, `CustomResource` parses `#[crd(...)]`, except for the keys that apply to the schema of the spec.
    /// Both derives parse `crate`.
    fn parse_crd(&mut self, attrs: &[Attribute], slots: &mut Slots, errors: &mut Errors) {
        if resource::is_resource(attrs) {
            let mut ignored = Error::accumulator();
            for item in &items::parse_attribute(attrs, "crd", &mut ignored) {
                match TypeKey::of(item) {
                    Some(TypeKey::Own(OwnKey::Crate)) => items::parse_once(&mut slots.crdkit, item, &mut ignored),
                    Some(key) if resource::is_spec_schema_key(key.name()) => self.parse_key(key, item, slots, errors),
                    _ => {}
                }
            }
            drop(ignored.into_inner());
            return;
        }
        for item in &items::parse_attribute(attrs, "crd", errors) {
            match TypeKey::of(item) {
                Some(key) => self.parse_key(key, item, slots, errors),
                None => errors.push(unknown(item, &[OwnKey::names(), TypeRelationKey::names()].concat())),
            }
        }
    }

    fn parse_x_kube(&mut self, item: &Meta, slots: &mut Slots, errors: &mut Errors) {
        match TypeKey::of(item) {
            Some(TypeKey::Own(OwnKey::XKube(key))) => self.parse_shared(key, item, slots, errors),
            Some(TypeKey::Relation(_) | TypeKey::Keyword(_)) => {
                errors.push(items::only_in_crd(item));
            }
            Some(TypeKey::Own(OwnKey::Crate | OwnKey::Override(_))) | None => {
                errors.push(unknown(item, &XKubeKey::names()));
            }
        }
    }

    fn parse_key(&mut self, key: TypeKey, item: &Meta, slots: &mut Slots, errors: &mut Errors) {
        match key {
            TypeKey::Own(OwnKey::XKube(key)) => self.parse_shared(key, item, slots, errors),
            TypeKey::Own(OwnKey::Override(key)) => self.schema_override.parse_item(key, item, errors),
            TypeKey::Own(OwnKey::Crate) => items::parse_once(&mut slots.crdkit, item, errors),
            TypeKey::Relation(key) => self.relations.parse_item(key, item, errors),
            TypeKey::Keyword(key) => self.keywords.parse_item(key, item, errors),
        }
    }

    fn parse_shared(&mut self, key: XKubeKey, item: &Meta, slots: &mut Slots, errors: &mut Errors) {
        match key {
            XKubeKey::Validation => items::parse_repeated(&mut self.rules, item, errors),
            XKubeKey::Cel => items::parse_once(&mut slots.cel, item, errors),
            XKubeKey::Crates => items::parse_once(&mut slots.crates, item, errors),
        }
    }

    /// `crate` is the path of schemars, as in `crates(schemars = "...")`. `inline` has no effect: all derived schemas
    /// are inlined.
    fn parse_schemars_items(&mut self, errors: &mut Errors) {
        self.bound = bound::from_items(&self.schemars.target_items, errors);
        for item in &self.schemars.target_items {
            if item.path().is_ident("crate") {
                self.crates.schemars = errors.handle(parse_string(item));
            }
        }
    }
}

/// The error for a key that types do not have.
fn unknown(item: &Meta, known: &[&str]) -> Error {
    let key = items::name(item);
    if resource::is_key(&key) {
        return resource_key_on_type(item, &key);
    }
    field::field_key_on_type(item).unwrap_or_else(|| items::unknown(item, known))
}

#[derive(Default)]
struct Slots {
    cel: Option<Flag>,
    crates: Option<Crates>,
    crdkit: Option<PathValue>,
}

fn resource_key_on_type(item: &Meta, key: &str) -> Error {
    Error::custom(format!(
        "`{key}` applies to resources: write it beside `group`, `version` and `kind` on a type that derives \
         `CustomResource`"
    ))
    .with_span(item)
}
