//! Attributes of types that have a schema.

use darling::Error;
use syn::{Attribute, DeriveInput, Meta};

use super::{
    Errors,
    bound::{self, WherePredicates},
    crates::Crates,
    field, items,
    keywords::{self, KeywordAttrs},
    relations::{self, TypeRelations},
    resource,
    rule::{Rule, reject_duplicate_rules},
    schema_override::{self, SchemaOverrideAttrs},
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

const X_KUBE_KEYS: &[&str] = &["crates", "validation", "cel"];
const CRD_KEYS: &[&str] =
    &["crate", "crates", "validation", "cel", "preserve_unknown_fields", "int_or_string", "schema", "decode"];
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
            parsed.parse_item(item, X_KUBE_KEYS, &mut slots, errors);
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
                match items::name(item).as_str() {
                    "crate" => items::parse_once(&mut slots.crdkit, item, &mut ignored),
                    key if !resource::is_spec_schema_key(key) => {}
                    key if schema_override::KEYS.contains(&key) => self.schema_override.parse_item(item, errors),
                    key if relations::TYPE_KEYS.contains(&key) => self.relations.parse_item(item, errors),
                    _ => {
                        self.keywords.parse_item(item, errors);
                    }
                }
            }
            drop(ignored.into_inner());
            return;
        }
        for item in &items::parse_attribute(attrs, "crd", errors) {
            if relations::TYPE_KEYS.contains(&items::name(item).as_str()) {
                self.relations.parse_item(item, errors);
            } else if !self.keywords.parse_item(item, errors) {
                self.parse_item(item, CRD_KEYS, slots, errors);
            }
        }
    }

    fn parse_item(&mut self, item: &Meta, known: &[&str], slots: &mut Slots, errors: &mut Errors) {
        let key = items::name(item);
        match key.as_str() {
            key if is_crd_only(key) && !known.contains(&"decode") => {
                errors.push(items::only_in_crd(item));
            }
            key if !known.contains(&key) => {
                errors.push(if resource::is_key(key) {
                    resource_key_on_type(item, key)
                } else {
                    field::field_key_on_type(item).unwrap_or_else(|| unknown(item, known))
                });
            }
            "validation" => items::parse_repeated(&mut self.rules, item, errors),
            "cel" => items::parse_once(&mut slots.cel, item, errors),
            "crate" => items::parse_once(&mut slots.crdkit, item, errors),
            "decode" => items::parse_once(&mut slots.decode, item, errors),
            key if schema_override::KEYS.contains(&key) => self.schema_override.parse_item(item, errors),
            _ => items::parse_once(&mut slots.crates, item, errors),
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

pub(crate) fn is_key(key: &str) -> bool {
    CRD_KEYS.contains(&key)
}

fn unknown(item: &Meta, known: &[&str]) -> Error {
    if known == CRD_KEYS {
        items::unknown(item, &[known, relations::TYPE_KEYS].concat())
    } else {
        items::unknown(item, known)
    }
}

fn is_crd_only(key: &str) -> bool {
    key == "decode" || keywords::all_keys().contains(&key) || relations::TYPE_KEYS.contains(&key)
}

#[derive(Default)]
struct Slots {
    cel: Option<Flag>,
    decode: Option<Flag>,
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
