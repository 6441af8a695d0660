//! Attributes of fields.

use darling::Error;
use syn::{Attribute, Field, Meta, Path, spanned::Spanned};

use super::{
    Errors, bound,
    default::DefaultAttr,
    items,
    key::{Key, keys},
    keywords::{KeywordAttrs, KeywordKey},
    printer_column::FieldColumn,
    relations::{FieldRelationKey, FieldRelations, TypeRelationKey},
    resource,
    rule::{Rule, reject_duplicate_rules},
    scale::FieldScale,
    schema_override::{OverrideKey, SchemaOverride, SchemaOverrideAttrs},
    schema_size::{SizeAttrs, SizeKey},
    schemars::{SchemarsAttrs, SchemarsOverride, SchemarsTarget},
    serde_or_schemars::with_module,
};

/// The attributes of a field.
pub(crate) struct FieldAttrs {
    pub(crate) rules: Vec<Rule>,
    pub(crate) columns: Vec<FieldColumn>,
    pub(crate) selectable: Option<proc_macro2::Span>,
    pub(crate) scale: Vec<FieldScale>,
    /// Whether `#[crd(conditions)]` marks the field.
    conditions: bool,
    /// Whether the field's role in the scale subresource is invalid.
    pub(crate) has_invalid_scale_role: bool,
    /// The schema that replaces that of the type.
    pub(crate) schema_override: SchemaOverrideAttrs,
    pub(crate) keywords: KeywordAttrs,
    pub(crate) size: SizeAttrs,
    /// The value that the API server sets when the field is omitted.
    pub(crate) default: Option<DefaultAttr>,
    pub(crate) relations: FieldRelations,
    pub(crate) schemars: SchemarsAttrs,
    /// The module or type in `#[serde(with = "...")]`.
    pub(crate) serde_with: Option<(Path, proc_macro2::Span)>,
}

keys! {
    /// The keys of `#[x_kube(...)]`, which `#[crd(...)]` has too.
    XKubeKey { Validation = "validation", MergeStrategy = "merge_strategy" }

    /// The keys of `#[crd(...)]` that only fields have, or that types read in another way.
    OwnKey {
        XKube(XKubeKey),
        Column = "column",
        Selectable = "selectable",
        Scale = "scale",
        Conditions = "conditions",
        Override(OverrideKey),
        Default = "default",
    }

    /// All keys of `#[crd(...)]`.
    FieldKey { Own(OwnKey), Relation(FieldRelationKey), Keyword(KeywordKey), Size(SizeKey) }
}

impl FieldAttrs {
    pub(crate) fn parse(field: &Field, errors: &mut Errors) -> Self {
        let attrs = &field.attrs;
        let target = SchemarsTarget { keys: &["bound"], allows_validation: true, reads_validator_attrs: true };
        let mut parsed = Self {
            rules: Vec::new(),
            columns: Vec::new(),
            selectable: None,
            scale: Vec::new(),
            conditions: false,
            has_invalid_scale_role: false,
            schema_override: SchemaOverrideAttrs::default(),
            keywords: KeywordAttrs::default(),
            size: SizeAttrs::default(),
            default: None,
            relations: FieldRelations::default(),
            schemars: SchemarsAttrs::parse(attrs, &target, errors),
            serde_with: with_module(attrs),
        };
        for item in &items::parse_attribute(attrs, "x_kube", errors) {
            parsed.parse_x_kube(item, errors);
        }
        for item in &items::parse_attribute(attrs, "crd", errors) {
            parsed.parse_crd(item, errors);
        }
        parsed.keywords.finish(errors);
        parsed.keywords.reject_schemars_duplicates(&parsed.schemars, errors);
        bound::from_items(&parsed.schemars.target_items, errors);
        parsed.check_size(errors);
        reject_duplicate_rules(&parsed.rules, errors);
        parsed
    }

    fn parse_x_kube(&mut self, item: &Meta, errors: &mut Errors) {
        match FieldKey::of(item) {
            Some(FieldKey::Own(OwnKey::XKube(key))) => self.parse_shared(key, item, errors),
            Some(_) => errors.push(items::only_in_crd(item)),
            None => errors.push(unknown(item, &XKubeKey::names(), &XKubeKey::names())),
        }
    }

    fn parse_crd(&mut self, item: &Meta, errors: &mut Errors) {
        match FieldKey::of(item) {
            Some(FieldKey::Own(key)) => self.parse_own(key, item, errors),
            Some(FieldKey::Relation(key)) => self.relations.parse_item(key, item, errors),
            Some(FieldKey::Keyword(key)) => self.keywords.parse_item(key, item, errors),
            Some(FieldKey::Size(key)) => self.size.parse_item(key, item, errors),
            None => errors.push(unknown(item, &OwnKey::names(), &FieldKey::names())),
        }
    }

    fn parse_shared(&mut self, key: XKubeKey, item: &Meta, errors: &mut Errors) {
        match key {
            XKubeKey::Validation => items::parse_repeated(&mut self.rules, item, errors),
            XKubeKey::MergeStrategy => self.keywords.parse_merge_strategy(item, errors),
        }
    }

    fn parse_own(&mut self, key: OwnKey, item: &Meta, errors: &mut Errors) {
        match key {
            OwnKey::XKube(key) => self.parse_shared(key, item, errors),
            OwnKey::Override(key) => self.schema_override.parse_item(key, item, errors),
            OwnKey::Default => items::parse_once(&mut self.default, item, errors),
            OwnKey::Column => items::parse_repeated(&mut self.columns, item, errors),
            OwnKey::Selectable => self.parse_selectable(item, errors),
            OwnKey::Conditions => self.parse_conditions(item, errors),
            OwnKey::Scale => {
                let roles = self.scale.len();
                items::parse_repeated(&mut self.scale, item, errors);
                self.has_invalid_scale_role |= self.scale.len() == roles;
                if self.scale.len() > 1 {
                    let one = "a field can have only one role in the scale subresource";
                    errors.push(Error::custom(one).with_span(item));
                }
            }
        }
    }

    fn check_size(&mut self, errors: &mut Errors) {
        if let Some(schema) = self.schema_override.get().or_else(|| self.keywords.nested_override()) {
            self.size.reject_embed(schema.name(), errors);
        }
        if let Some(SchemarsOverride::Function(_)) = &self.schemars.schema {
            self.size.reject_embed("schema_with", errors);
        }
        self.size.check(errors);
    }

    fn parse_selectable(&mut self, item: &Meta, errors: &mut Errors) {
        match item {
            Meta::Path(path) if self.selectable.is_none() => self.selectable = Some(path.span()),
            Meta::Path(_) => errors.push(items::duplicate(item)),
            _ => errors.push(
                Error::custom("`selectable` takes no value on a field: the path is that of the field").with_span(item),
            ),
        }
    }

    fn parse_conditions(&mut self, item: &Meta, errors: &mut Errors) {
        match item {
            Meta::Path(_) if !self.conditions => self.conditions = true,
            Meta::Path(_) => errors.push(items::duplicate(item)),
            _ => errors.push(
                Error::custom("`conditions` takes no value: it marks the field with the conditions").with_span(item),
            ),
        }
    }

    /// Whether the field has `preserve_unknown_fields`.
    pub(crate) fn preserves_unknown_fields(&self) -> bool {
        matches!(self.schema_override.get(), Some(SchemaOverride::PreserveUnknownFields))
    }

    /// Whether the field has another schema than its type.
    pub(crate) fn overrides_schema(&self) -> bool {
        self.schema_override.get().is_some()
            || self.size.is_opaque()
            || self.schemars.schema.is_some()
            || self.serde_with.is_some()
            || self.keywords.nested_override().is_some()
    }

    /// The items of `#[crd(...)]` that can be parsed.
    pub(crate) fn items(attrs: &[Attribute]) -> Vec<Meta> {
        let mut ignored = Error::accumulator();
        let items = items::parse_attribute(attrs, "crd", &mut ignored);
        drop(ignored.into_inner());
        items
    }

    /// Whether an item makes the field part of the resource's definition.
    pub(crate) fn is_marker(item: &Meta) -> bool {
        matches!(FieldKey::of(item), Some(FieldKey::Own(OwnKey::Column | OwnKey::Selectable | OwnKey::Scale)))
    }
}

impl FieldKey {
    fn is_of_fields_only(self) -> bool {
        match self {
            Self::Own(OwnKey::XKube(key)) => key == XKubeKey::MergeStrategy,
            Self::Own(OwnKey::Override(key)) => key != OverrideKey::Schema,
            Self::Own(OwnKey::Column | OwnKey::Conditions | OwnKey::Default) => true,
            Self::Own(OwnKey::Selectable | OwnKey::Scale) | Self::Keyword(_) => false,
            Self::Relation(key) => key == FieldRelationKey::Requires,
            Self::Size(key) => key == SizeKey::Embed,
        }
    }
}

/// The error for a key of fields on a type.
pub(crate) fn field_key_on_type(item: &Meta) -> Option<Error> {
    let key = FieldKey::of(item).filter(|key| key.is_of_fields_only())?.name();
    Some(Error::custom(format!("`{key}` applies to fields; move it to a field")).with_span(item.path()))
}

/// The error for a key that fields do not have. `own` are the keys that are listed for a key of resources.
fn unknown(item: &Meta, own: &[&str], known: &[&str]) -> Error {
    let key = items::name(item);
    if resource::is_key(&key) {
        resource_key_on_field(item, &key, own)
    } else if TypeRelationKey::is(&key) {
        multi_field_key(item, &key)
    } else {
        items::unknown(item, known)
    }
}

/// The error for a key of types, such as `one_of`, on a field.
fn multi_field_key(item: &Meta, key: &str) -> Error {
    Error::custom(format!("`{key}` applies to several fields; write it on the struct that contains them"))
        .with_span(item.path())
}

/// The error for a key of resources on a field.
fn resource_key_on_field(item: &Meta, key: &str, known: &[&str]) -> Error {
    Error::custom(format!("`{key}` applies to resources, not to fields; a field takes `{}`", known.join("`, `")))
        .with_span(item)
}
