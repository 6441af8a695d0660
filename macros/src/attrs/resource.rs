//! Attributes of resources: `#[kube(...)]` with kube-derive's keys, `#[crd(...)]` with these and more.

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
    rule::{Rule, check_repeats},
    scale::{Scale, ScalePaths},
    size::Descriptions,
    text::{Flag, FromText, PathValue, Text},
};

mod members;
mod values;

pub(crate) use members::refuse_on_members;
pub(crate) use values::{Deprecated, RootName, SchemaMode};

/// What a resource says of itself, as far as it could be read.
#[derive(Default)]
pub(crate) struct ResourceAttrs {
    pub(crate) group: Option<Group>,
    pub(crate) version: Option<Version>,
    pub(crate) kind: Option<Kind>,
    /// The kind as it was written or inferred, which may name the root even if the server would refuse it.
    pub(crate) written_kind: Option<Text>,
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
    /// Where something is said of the schema of the spec.
    pub(crate) of_spec: Vec<Span>,
    /// Where something is said of its fields together.
    pub(crate) of_fields: Vec<Span>,
    /// Whether `#[kube(...)]` says which resource it is.
    pub(crate) is_of_kube: bool,
    /// Every key that was written, readable or not.
    pub(crate) written: Vec<String>,
}

/// Kube-derive's keys.
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

/// The keys that `#[crd(...)]` takes besides.
const ONLY_CRD_KEYS: &[&str] =
    &["list_kind", "descriptions", "nullable", "decode", "decode_any_version", "installed_elsewhere", "test", "crate"];

/// The keys that say something about the schema of the spec: those of any type that is an object.
const OF_SPEC: &[&str] = &[
    "preserve_unknown_fields",
    "title",
    "description",
    "example",
    "external_docs",
    "map_type",
    "struct_type",
    "schema_patch",
];

/// Whether a key says something about the schema of the spec, which `KubeSchema` reads.
pub(crate) fn is_of_spec(key: &str) -> bool {
    of_spec().any(|other| other == key)
}

fn of_spec() -> impl Iterator<Item = &'static str> {
    let bounds = CountBound::about(AppliesTo::Objects).map(CountBound::key);
    let others = OF_SPEC.iter().chain(relations::TYPE_KEYS);
    bounds.chain(others.copied())
}

/// Whether a key says something about a resource.
pub(crate) fn is_key(key: &str) -> bool {
    KUBE_KEYS.contains(&key) || ONLY_CRD_KEYS.contains(&key)
}

/// Whether the attributes are those of a resource.
pub(crate) fn is_resource(attrs: &[Attribute]) -> bool {
    identity(attrs, "kube").or(identity(attrs, "crd")).is_some()
}

/// Where an attribute of this name says which resource it is.
pub(crate) fn identity(attrs: &[Attribute], name: &str) -> Option<Span> {
    let mut ignored = Error::accumulator();
    let items = items::of_attribute(attrs, name, &mut ignored);
    drop(ignored.into_inner());
    let keys = ["group", "version", "kind"];
    let is_identity = |item: &&Meta| keys.iter().any(|key| item.path().is_ident(key));
    items.iter().find(is_identity).map(|item| item.path().span())
}

impl ResourceAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Self {
        let mut parsed = Self { is_of_kube: identity(&input.attrs, "kube").is_some(), ..Self::default() };
        for item in &items::of_attribute(&input.attrs, "kube", errors) {
            parsed.read_kube(item, errors);
        }
        for item in &items::of_attribute(&input.attrs, "crd", errors) {
            parsed.read_crd(item, errors);
        }
        if !parsed.wrote("kind") {
            parsed.infer_kind(&input.ident, errors);
        }
        check_repeats(&parsed.rules, errors);
        parsed
    }

    /// `FooSpec` is the spec of the kind `Foo`.
    fn infer_kind(&mut self, spec: &Ident, errors: &mut Errors) {
        let name = spec.unraw().to_string();
        let Some(kind) = name.strip_suffix("Spec").filter(|kind| !kind.is_empty()) else {
            return;
        };
        let kind = Text::new(kind, spec.span());
        self.kind = errors.handle(Kind::from_text(kind.clone()));
        self.written_kind = Some(kind);
    }

    fn read_kube(&mut self, item: &Meta, errors: &mut Errors) {
        let key = items::name(item);
        match key.as_str() {
            "printcolumn" => {
                let column = errors.handle(KubePrintColumn::from_meta(item));
                self.printer_columns.extend(column.map(|column| PrintColumn::Path(column.0)));
            }
            "scale" => {
                let mut paths = None::<ScalePaths>;
                items::once(&mut paths, item, errors);
                self.set_scale(paths.map(Scale::Paths), item, errors);
            }
            key if KUBE_KEYS.contains(&key) => self.read(key, item, errors),
            key if ONLY_CRD_KEYS.contains(&key) || relations::TYPE_KEYS.contains(&key) => {
                errors.push(Error::custom(format!("`{key}` belongs to `#[crd(...)]`")).with_span(item))
            }
            _ => errors.push(unknown(item, KUBE_KEYS)),
        }
        self.written.push(key);
    }

    fn read_crd(&mut self, item: &Meta, errors: &mut Errors) {
        let key = items::name(item);
        match key.as_str() {
            "printcolumn" => items::many(&mut self.printer_columns, item, errors),
            "scale" => {
                let scale = errors.handle(Scale::from_meta(item));
                self.set_scale(scale, item, errors);
            }
            "list_kind" => items::once(&mut self.list_kind, item, errors),
            "descriptions" => items::once(&mut self.descriptions, item, errors),
            "nullable" => items::once(&mut self.nullable, item, errors),
            "decode" => items::once(&mut self.decode, item, errors),
            "decode_any_version" => items::once(&mut self.decode_any_version, item, errors),
            "installed_elsewhere" => items::once(&mut self.installed_elsewhere, item, errors),
            "test" => items::once(&mut self.test, item, errors),
            "crate" => items::once(&mut self.crdkit, item, errors),
            key if relations::is_set(key) => self.of_fields.push(item.path().span()),
            key if KUBE_KEYS.contains(&key) => self.read(key, item, errors),
            key if is_of_spec(key) => self.of_spec.push(item.path().span()),
            key if keywords::known().contains(&key) => errors.push(of_no_object(item)),
            _ => {
                let known = KUBE_KEYS.iter().chain(ONLY_CRD_KEYS).copied();
                errors.push(unknown(item, &known.chain(of_spec()).collect::<Vec<_>>()));
            }
        }
        self.written.push(key);
    }

    fn set_scale(&mut self, scale: Option<Scale>, item: &Meta, errors: &mut Errors) {
        if self.scale.is_some() {
            errors.push(items::duplicate(item));
        }
        self.scale = self.scale.take().or(scale);
    }

    fn read(&mut self, key: &str, item: &Meta, errors: &mut Errors) {
        match key {
            "group" => items::once(&mut self.group, item, errors),
            "version" => items::once(&mut self.version, item, errors),
            "kind" => {
                items::once(&mut self.kind, item, errors);
                let written = Text::from_meta(item).ok();
                self.written_kind = self.written_kind.take().or(written);
            }
            "root" => items::once(&mut self.root, item, errors),
            "plural" => items::once(&mut self.plural, item, errors),
            "singular" => items::once(&mut self.singular, item, errors),
            "shortname" => items::many(&mut self.short_names, item, errors),
            "category" => items::many(&mut self.categories, item, errors),
            "namespaced" => items::once(&mut self.namespaced, item, errors),
            "no_spec" => items::once(&mut self.no_spec, item, errors),
            "served" => items::once(&mut self.served, item, errors),
            "storage" => items::once(&mut self.storage, item, errors),
            "deprecated" => items::once(&mut self.deprecated, item, errors),
            "label" => items::many(&mut self.labels, item, errors),
            "annotation" => items::many(&mut self.annotations, item, errors),
            "doc" => items::once(&mut self.doc, item, errors),
            "schema" => items::once(&mut self.schema, item, errors),
            "status" => items::once(&mut self.status, item, errors),
            "selectable" => items::many(&mut self.selectable, item, errors),
            "validation" => items::many(&mut self.rules, item, errors),
            "cel" => items::once(&mut self.cel, item, errors),
            "derive" => items::many(&mut self.derives, item, errors),
            "attr" => items::many(&mut self.attributes, item, errors),
            "crates" => items::once(&mut self.crates, item, errors),
            _ => {}
        }
    }

    /// Whether a key was written, readable or not.
    pub(crate) fn wrote(&self, key: &str) -> bool {
        self.written.iter().any(|written| written == key)
    }
}

fn of_no_object(item: &Meta) -> Error {
    Error::custom(format!(
        "the spec is an object, and `{}` is about other values: it belongs on a field",
        items::name(item)
    ))
    .with_span(item.path())
}

fn unknown(item: &Meta, known: &[&str]) -> Error {
    field::misplaced_on_a_type(item).unwrap_or_else(|| items::unknown(item, known))
}
