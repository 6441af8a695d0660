//! Attributes of resources: `#[kube(...)]` with the keys of kube-derive, `#[crd(...)]` with these and more.

use crdkit_core::schema::{AppliesTo, CountBound};
use darling::{Error, FromMeta};
use proc_macro2::Span;
use syn::{Attribute, DeriveInput, Ident, Meta, ext::IdentExt, spanned::Spanned};

use super::{
    Errors,
    crates::Crates,
    field, items,
    json_path::JsonPath,
    keywords,
    metadata::{Annotation, Label},
    names::{Category, Group, Kind, Plural, ShortName, Singular, Version},
    printer_column::{KubePrintColumn, PrintColumn},
    relations,
    root_attribute::{Attr, Derive},
    rule::{Rule, reject_duplicate_rules},
    scale::{Scale, ScalePaths},
    schema_size::Descriptions,
    text::{FromText, Text},
    value::{self, Flag, PathValue},
};

mod members;
mod values;

pub(crate) use members::reject_on_members;
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
    pub(crate) decode: Option<Flag>,
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
    pub(crate) keys: Vec<String>,
}

/// The keys of kube-derive.
const KUBE_KEYS: &[&str] = &[
    "group",
    "version",
    "kind",
    "root",
    "plural",
    "singular",
    "shortname",
    "category",
    "namespaced",
    "no_spec",
    "served",
    "storage",
    "deprecated",
    "label",
    "annotation",
    "doc",
    "schema",
    "status",
    "scale",
    "printcolumn",
    "selectable",
    "validation",
    "cel",
    "derive",
    "attr",
    "crates",
];

/// The additional keys of `#[crd(...)]`.
const ONLY_CRD_KEYS: &[&str] =
    &["list_kind", "descriptions", "nullable", "decode", "decode_any_version", "installed_elsewhere", "test", "crate"];

/// The keys that are booleans, of which kube-derive also accepts the text.
const FLAGS: &[&str] = &["namespaced", "no_spec", "served", "storage", "cel"];

/// The keys that apply to the schema of the spec, as to that of any object.
const SPEC_SCHEMA_KEYS: &[&str] = &[
    "preserve_unknown_fields",
    "title",
    "description",
    "example",
    "external_docs",
    "map_type",
    "struct_type",
    "schema_patch",
];

/// Whether a key applies to the schema of the spec, and so is parsed by `KubeSchema`.
pub(crate) fn is_spec_schema_key(key: &str) -> bool {
    spec_schema_keys().any(|other| other == key)
}

fn spec_schema_keys() -> impl Iterator<Item = &'static str> {
    let bounds = CountBound::applying_to(AppliesTo::Objects).map(CountBound::key);
    let others = SPEC_SCHEMA_KEYS.iter().chain(relations::TYPE_KEYS);
    bounds.chain(others.copied())
}

/// Whether a key applies to resources.
pub(crate) fn is_key(key: &str) -> bool {
    KUBE_KEYS.contains(&key) || ONLY_CRD_KEYS.contains(&key)
}

/// Whether the attributes contain those of a resource.
pub(crate) fn is_resource(attrs: &[Attribute]) -> bool {
    identity_span(attrs, "kube").or(identity_span(attrs, "crd")).is_some()
}

/// The span of `group`, `version` or `kind` in the attribute of this name.
pub(crate) fn identity_span(attrs: &[Attribute], name: &str) -> Option<Span> {
    let mut ignored = Error::accumulator();
    let items = items::parse_attribute(attrs, name, &mut ignored);
    drop(ignored.into_inner());
    let keys = ["group", "version", "kind"];
    let is_identity = |item: &&Meta| keys.iter().any(|key| item.path().is_ident(key));
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
        if !parsed.has_key("kind") {
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
        let key = items::name(item);
        match key.as_str() {
            "printcolumn" => {
                let column = errors.handle(KubePrintColumn::from_meta(item));
                self.printer_columns.extend(column.map(|column| PrintColumn::Path(column.0)));
            }
            "scale" => {
                let mut paths = None::<ScalePaths>;
                items::parse_once(&mut paths, item, errors);
                self.set_scale(paths.map(Scale::Paths), item, errors);
            }
            key if KUBE_KEYS.contains(&key) => self.parse_item(key, item, errors),
            key if ONLY_CRD_KEYS.contains(&key) || relations::TYPE_KEYS.contains(&key) => {
                errors.push(items::only_in_crd(item));
            }
            _ => errors.push(unknown(item, KUBE_KEYS)),
        }
        self.keys.push(key);
    }

    fn parse_crd(&mut self, item: &Meta, errors: &mut Errors) {
        let key = items::name(item);
        match key.as_str() {
            flag if FLAGS.contains(&flag) && value::is_quoted(item) => errors.push(value::not_a_boolean(item)),
            "printcolumn" => items::parse_repeated(&mut self.printer_columns, item, errors),
            "scale" => {
                let scale = errors.handle(Scale::from_meta(item));
                self.set_scale(scale, item, errors);
            }
            "list_kind" => items::parse_once(&mut self.list_kind, item, errors),
            "descriptions" => items::parse_once(&mut self.descriptions, item, errors),
            "nullable" => items::parse_once(&mut self.nullable, item, errors),
            "decode" => items::parse_once(&mut self.decode, item, errors),
            "decode_any_version" => items::parse_once(&mut self.decode_any_version, item, errors),
            "installed_elsewhere" => items::parse_once(&mut self.installed_elsewhere, item, errors),
            "test" => items::parse_once(&mut self.test, item, errors),
            "crate" => items::parse_once(&mut self.crdkit, item, errors),
            key if relations::is_field_group_key(key) => self.field_group_spans.push(item.path().span()),
            key if KUBE_KEYS.contains(&key) => self.parse_item(key, item, errors),
            key if is_spec_schema_key(key) => self.spec_schema_spans.push(item.path().span()),
            key if keywords::all_keys().contains(&key) => errors.push(keyword_on_spec(item)),
            _ => {
                let known = KUBE_KEYS.iter().chain(ONLY_CRD_KEYS).copied();
                errors.push(unknown(item, &known.chain(spec_schema_keys()).collect::<Vec<_>>()));
            }
        }
        self.keys.push(key);
    }

    fn set_scale(&mut self, scale: Option<Scale>, item: &Meta, errors: &mut Errors) {
        if self.scale.is_some() {
            errors.push(items::duplicate(item));
        }
        self.scale = self.scale.take().or(scale);
    }

    fn parse_item(&mut self, key: &str, item: &Meta, errors: &mut Errors) {
        match key {
            "group" => items::parse_once(&mut self.group, item, errors),
            "version" => items::parse_once(&mut self.version, item, errors),
            "kind" => {
                items::parse_once(&mut self.kind, item, errors);
                let raw = Text::from_meta(item).ok();
                self.raw_kind = self.raw_kind.take().or(raw);
            }
            "root" => items::parse_once(&mut self.root, item, errors),
            "plural" => items::parse_once(&mut self.plural, item, errors),
            "singular" => items::parse_once(&mut self.singular, item, errors),
            "shortname" => items::parse_repeated(&mut self.short_names, item, errors),
            "category" => items::parse_repeated(&mut self.categories, item, errors),
            "namespaced" => items::parse_once(&mut self.namespaced, item, errors),
            "no_spec" => items::parse_once(&mut self.no_spec, item, errors),
            "served" => items::parse_once(&mut self.served, item, errors),
            "storage" => items::parse_once(&mut self.storage, item, errors),
            "deprecated" => items::parse_once(&mut self.deprecated, item, errors),
            "label" => items::parse_repeated(&mut self.labels, item, errors),
            "annotation" => items::parse_repeated(&mut self.annotations, item, errors),
            "doc" => items::parse_once(&mut self.doc, item, errors),
            "schema" => items::parse_once(&mut self.schema, item, errors),
            "status" => items::parse_once(&mut self.status, item, errors),
            "selectable" => items::parse_repeated(&mut self.selectable, item, errors),
            "validation" => items::parse_repeated(&mut self.rules, item, errors),
            "cel" => items::parse_once(&mut self.cel, item, errors),
            "derive" => items::parse_repeated(&mut self.derives, item, errors),
            "attr" => items::parse_repeated(&mut self.attributes, item, errors),
            "crates" => items::parse_once(&mut self.crates, item, errors),
            _ => {}
        }
    }

    /// Whether a key is present, also if its value has an error.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|it| it == key)
    }
}

fn keyword_on_spec(item: &Meta) -> Error {
    Error::custom(format!("`{}` does not apply to objects such as the spec: write it on a field", items::name(item)))
        .with_span(item.path())
}

fn unknown(item: &Meta, known: &[&str]) -> Error {
    field::field_key_on_type(item).unwrap_or_else(|| items::unknown(item, known))
}
