//! Attributes of resources: `#[kube(...)]` with the keys of kube-derive, `#[crd(...)]` with these and more.

use crdkit_core::schema::{AppliesTo, CountBound};
use darling::{Error, FromMeta};
use proc_macro2::Span;
use syn::{DeriveInput, Ident, Meta, ext::IdentExt, spanned::Spanned};

use super::{
    Errors,
    crates::Crates,
    field, items,
    json_path::JsonPath,
    key::{Key, keys},
    keywords::KeywordKey,
    metadata::{Annotation, Label},
    names::{Category, Group, Kind, Plural, ShortName, Singular, Version},
    printer_column::{KubePrintColumn, PrintColumn},
    relations::{FieldGroupKey, TypeRelationKey},
    root_attribute::{Attr, Derive},
    rule::{Rule, reject_duplicate_rules},
    scale::{Scale, ScalePaths},
    schema_override::OverrideKey,
    schema_size::Descriptions,
    text::{FromText, Text},
    topology::TopologyKey,
    value::{self, Flag, PathValue},
};

mod misplaced;
mod values;

pub(crate) use misplaced::reject_on_members;
pub(crate) use values::{Deprecated, RootName, SchemaMode};

/// The attributes of a resource, without those that have errors.
#[derive(Default)]
pub(crate) struct ResourceAttrs {
    pub(crate) group: Option<Group>,
    pub(crate) version: Option<Version>,
    pub(crate) kind: Option<Kind>,
    /// The kind before validation, which can name the root type even if it is invalid.
    pub(crate) raw_kind: Option<Text>,
    pub(crate) root: Option<RootName>,
    pub(crate) plural: Option<Plural>,
    pub(crate) singular: Option<Singular>,
    pub(crate) list_kind: Option<Kind>,
    pub(crate) short_names: Vec<ShortName>,
    pub(crate) categories: Vec<Category>,
    pub(crate) namespaced: Option<Flag>,
    pub(crate) no_spec: Option<Flag>,
    pub(crate) nullable: Option<Flag>,
    pub(crate) served: Option<Flag>,
    pub(crate) storage: Option<Flag>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) labels: Vec<Label>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) doc: Option<Text>,
    pub(crate) schema: Option<SchemaMode>,
    pub(crate) descriptions: Option<Descriptions>,
    pub(crate) status: Option<PathValue>,
    pub(crate) scale: Option<Scale>,
    pub(crate) printer_columns: Vec<PrintColumn>,
    pub(crate) selectable: Vec<JsonPath>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) cel: Option<Flag>,
    pub(crate) derives: Vec<Derive>,
    pub(crate) attributes: Vec<Attr>,
    pub(crate) crates: Option<Crates>,
    pub(crate) crdkit: Option<PathValue>,
    pub(crate) decode_any_version: Option<Flag>,
    pub(crate) test: Option<Flag>,
    pub(crate) installed_elsewhere: Option<Flag>,
    /// The spans of keys that apply to the schema of the spec.
    pub(crate) spec_schema_spans: Vec<Span>,
    /// The spans of keys that apply to groups of its fields.
    pub(crate) field_group_spans: Vec<Span>,
    /// Whether `#[kube(...)]` identifies the resource.
    pub(crate) has_kube_identity: bool,
    /// All keys, also those with errors.
    keys: Vec<CrdKey>,
}

keys! {
    /// The keys of kube-derive, which `#[crd(...)]` has too.
    KubeKey {
        Group = "group",
        Version = "version",
        Kind = "kind",
        Root = "root",
        Plural = "plural",
        Singular = "singular",
        ShortName = "shortname",
        Category = "category",
        Namespaced = "namespaced",
        NoSpec = "no_spec",
        Served = "served",
        Storage = "storage",
        Deprecated = "deprecated",
        Label = "label",
        Annotation = "annotation",
        Doc = "doc",
        Schema = "schema",
        Status = "status",
        Scale = "scale",
        PrintColumn = "printcolumn",
        Selectable = "selectable",
        Validation = "validation",
        Cel = "cel",
        Derive = "derive",
        Attr = "attr",
        Crates = "crates",
    }

    /// The keys of `#[crd(...)]`.
    CrdKey {
        Kube(KubeKey),
        ListKind = "list_kind",
        Descriptions = "descriptions",
        Nullable = "nullable",
        DecodeAnyVersion = "decode_any_version",
        InstalledElsewhere = "installed_elsewhere",
        Test = "test",
        Crate = "crate",
    }
}

/// The attribute that a key is written in. Their syntax differs slightly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Kube,
    Crd,
}

/// Whether a key applies to the schema of the spec, and so is parsed by `KubeSchema`.
pub(crate) fn is_spec_schema_key(key: &str) -> bool {
    spec_schema_keys().any(|other| other == key)
}

/// The keys that apply to the schema of the spec, as to that of any object.
fn spec_schema_keys() -> impl Iterator<Item = &'static str> {
    let bounds = CountBound::applying_to(AppliesTo::Objects).map(CountBound::key);
    let keywords = [
        KeywordKey::Title,
        KeywordKey::Description,
        KeywordKey::Example,
        KeywordKey::ExternalDocs,
        KeywordKey::Topology(TopologyKey::MapType),
        KeywordKey::Topology(TopologyKey::StructType),
        KeywordKey::SchemaPatch,
    ];
    let others = [OverrideKey::PreserveUnknownFields.name()].into_iter().chain(keywords.map(Key::name));
    bounds.chain(others).chain(TypeRelationKey::names())
}

/// Whether a key applies to resources.
pub(crate) fn is_key(key: &str) -> bool {
    CrdKey::is(key)
}

/// Whether the attributes contain those of a resource.
pub(crate) fn is_resource(attrs: &[syn::Attribute]) -> bool {
    identity_span(attrs, "kube").or(identity_span(attrs, "crd")).is_some()
}

/// Whether the fields of a spec are at the root of its resource.
pub(crate) fn has_no_spec(attrs: &[syn::Attribute]) -> bool {
    let mut ignored = Error::accumulator();
    let items = ["kube", "crd"].map(|name| items::parse_attribute(attrs, name, &mut ignored));
    drop(ignored.into_inner());
    items.iter().flatten().any(|item| matches!(KubeKey::of(item), Some(KubeKey::NoSpec)))
}

/// The span of `group`, `version` or `kind` in the attribute of this name.
pub(crate) fn identity_span(attrs: &[syn::Attribute], name: &str) -> Option<Span> {
    let mut ignored = Error::accumulator();
    let items = items::parse_attribute(attrs, name, &mut ignored);
    drop(ignored.into_inner());
    let is_identity =
        |item: &&Meta| matches!(KubeKey::of(item), Some(KubeKey::Group | KubeKey::Version | KubeKey::Kind));
    items.iter().find(is_identity).map(|item| item.path().span())
}

impl ResourceAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Self {
        let has_kube_identity = identity_span(&input.attrs, "kube").is_some();
        let mut parsed = Self { has_kube_identity, ..Self::default() };
        for item in &items::parse_attribute(&input.attrs, "kube", errors) {
            parsed.parse_kube(item, errors);
        }
        for item in &items::parse_attribute(&input.attrs, "crd", errors) {
            parsed.parse_crd(item, errors);
        }
        if !parsed.has_key(KubeKey::Kind) {
            parsed.infer_kind(&input.ident, errors);
        }
        reject_duplicate_rules(&parsed.rules, errors);
        parsed
    }

    /// Infers the kind `Foo` from the type name `FooSpec`.
    fn infer_kind(&mut self, spec: &Ident, errors: &mut Errors) {
        let name = spec.unraw().to_string();
        let Some(kind) = name.strip_suffix("Spec").filter(|kind| !kind.is_empty()) else {
            return;
        };
        let kind = Text::new(kind, spec.span());
        self.kind = errors.handle(Kind::from_text(kind.clone()));
        self.raw_kind = Some(kind);
    }

    fn parse_kube(&mut self, item: &Meta, errors: &mut Errors) {
        let name = items::name(item);
        let key = CrdKey::from_name(&name);
        self.keys.extend(key);
        match key {
            Some(CrdKey::Kube(key)) => self.parse_key(key, item, Attribute::Kube, errors),
            Some(_) => errors.push(items::only_in_crd(item)),
            None if TypeRelationKey::is(&name) => errors.push(items::only_in_crd(item)),
            None => errors.push(unknown(item, &KubeKey::names())),
        }
    }

    fn parse_crd(&mut self, item: &Meta, errors: &mut Errors) {
        let name = items::name(item);
        let key = CrdKey::from_name(&name);
        self.keys.extend(key);
        match key {
            Some(CrdKey::Kube(key)) => self.parse_key(key, item, Attribute::Crd, errors),
            Some(CrdKey::ListKind) => items::parse_once(&mut self.list_kind, item, errors),
            Some(CrdKey::Descriptions) => items::parse_once(&mut self.descriptions, item, errors),
            Some(CrdKey::Nullable) => items::parse_once(&mut self.nullable, item, errors),
            Some(CrdKey::DecodeAnyVersion) => items::parse_once(&mut self.decode_any_version, item, errors),
            Some(CrdKey::InstalledElsewhere) => items::parse_once(&mut self.installed_elsewhere, item, errors),
            Some(CrdKey::Test) => items::parse_once(&mut self.test, item, errors),
            Some(CrdKey::Crate) => items::parse_once(&mut self.crdkit, item, errors),
            None if FieldGroupKey::is(&name) => self.field_group_spans.push(item.path().span()),
            None if is_spec_schema_key(&name) => self.spec_schema_spans.push(item.path().span()),
            None if KeywordKey::is(&name) => errors.push(keyword_on_spec(item)),
            None => {
                let known = CrdKey::names().into_iter().chain(spec_schema_keys());
                errors.push(unknown(item, &known.collect::<Vec<_>>()));
            }
        }
    }

    fn set_scale(&mut self, scale: Option<Scale>, item: &Meta, errors: &mut Errors) {
        if self.scale.is_some() {
            errors.push(items::duplicate(item));
        }
        self.scale = self.scale.take().or(scale);
    }

    fn parse_key(&mut self, key: KubeKey, item: &Meta, attribute: Attribute, errors: &mut Errors) {
        let flag = |slot: &mut Option<Flag>, errors: &mut Errors| {
            // kube-derive also accepts the text of a boolean.
            if attribute == Attribute::Crd && value::is_quoted(item) {
                errors.push(value::not_a_boolean(item));
            } else {
                items::parse_once(slot, item, errors);
            }
        };
        match key {
            KubeKey::Group => items::parse_once(&mut self.group, item, errors),
            KubeKey::Version => items::parse_once(&mut self.version, item, errors),
            KubeKey::Kind => {
                items::parse_once(&mut self.kind, item, errors);
                let raw = Text::from_meta(item).ok();
                self.raw_kind = self.raw_kind.take().or(raw);
            }
            KubeKey::Root => items::parse_once(&mut self.root, item, errors),
            KubeKey::Plural => items::parse_once(&mut self.plural, item, errors),
            KubeKey::Singular => items::parse_once(&mut self.singular, item, errors),
            KubeKey::ShortName => items::parse_repeated(&mut self.short_names, item, errors),
            KubeKey::Category => items::parse_repeated(&mut self.categories, item, errors),
            KubeKey::Namespaced => flag(&mut self.namespaced, errors),
            KubeKey::NoSpec => flag(&mut self.no_spec, errors),
            KubeKey::Served => flag(&mut self.served, errors),
            KubeKey::Storage => flag(&mut self.storage, errors),
            KubeKey::Deprecated => items::parse_once(&mut self.deprecated, item, errors),
            KubeKey::Label => items::parse_repeated(&mut self.labels, item, errors),
            KubeKey::Annotation => items::parse_repeated(&mut self.annotations, item, errors),
            KubeKey::Doc => items::parse_once(&mut self.doc, item, errors),
            KubeKey::Schema => items::parse_once(&mut self.schema, item, errors),
            KubeKey::Status => items::parse_once(&mut self.status, item, errors),
            KubeKey::Selectable => items::parse_repeated(&mut self.selectable, item, errors),
            KubeKey::Validation => items::parse_repeated(&mut self.rules, item, errors),
            KubeKey::Cel => flag(&mut self.cel, errors),
            KubeKey::Derive => items::parse_repeated(&mut self.derives, item, errors),
            KubeKey::Attr => items::parse_repeated(&mut self.attributes, item, errors),
            KubeKey::Crates => items::parse_once(&mut self.crates, item, errors),
            KubeKey::PrintColumn => match attribute {
                Attribute::Kube => {
                    let column = errors.handle(KubePrintColumn::from_meta(item));
                    self.printer_columns.extend(column.map(|column| PrintColumn::Path(column.0)));
                }
                Attribute::Crd => items::parse_repeated(&mut self.printer_columns, item, errors),
            },
            KubeKey::Scale => {
                let scale = match attribute {
                    Attribute::Kube => ScalePaths::from_meta(item).map(Scale::Paths),
                    Attribute::Crd => Scale::from_meta(item),
                };
                self.set_scale(errors.handle(scale), item, errors);
            }
        }
    }

    /// Whether a key is present, also if its value has an error.
    pub(crate) fn has_key(&self, key: KubeKey) -> bool {
        self.keys.contains(&CrdKey::Kube(key))
    }
}

fn keyword_on_spec(item: &Meta) -> Error {
    Error::custom(format!("`{}` does not apply to objects such as the spec: write it on a field", items::name(item)))
        .with_span(item.path())
}

fn unknown(item: &Meta, known: &[&str]) -> Error {
    field::field_key_on_type(item).unwrap_or_else(|| items::unknown(item, known))
}
