//! An API reference of definitions, as Markdown and as an HTML page.

use crdkit::__internal::{
    crd_accessors::{items, read, schema, values},
    emit::phrase::Phrase,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion as Version, JSONSchemaProps as Props,
};

mod blocks;
mod html;
mod markdown;

use crate::{constraint_phrases, kubernetes::KubernetesType, samples};

/// Returns an API reference as Markdown: kinds, versions, fields with their types, defaults and rules, and examples.
///
/// ```
/// use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
/// use crdkit_tools::reference_markdown;
/// use serde::{Deserialize, Serialize};
///
/// /// Runs a command, once.
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     /// When to run.
///     #[schemars(length(min = 1))]
///     pub schedule: String,
/// }
///
/// let reference = reference_markdown(&[At::crd()]);
/// assert!(reference.contains("`schedule` | string | yes | When to run. At least 1 character. |"), "{reference}");
/// ```
pub fn reference_markdown(crds: &[CustomResourceDefinition]) -> String {
    markdown::page(&kinds(crds))
}

/// Returns an API reference as one HTML page that needs no other files and no server. It can be searched, adapts to the width of the
/// window, and has a light and a dark form.
pub fn reference_html(crds: &[CustomResourceDefinition]) -> String {
    html::page(&kinds(crds))
}

/// A kind.
struct Kind {
    /// The name of the definition.
    definition: String,
    kind: String,
    group: String,
    scope: String,
    plural: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    versions: Vec<KindVersion>,
}

/// A version of a kind.
struct KindVersion {
    name: String,
    description: String,
    /// Words such as `storage version`.
    notes: Vec<Phrase>,
    /// The columns of `kubectl get`: name, type, path and description.
    columns: Vec<[String; 4]>,
    /// The objects of the schema, from the root on.
    objects: Vec<DocumentedObject>,
    /// The rules of the root.
    samples: Vec<(&'static str, String)>,
}

/// An object in a schema, with its fields.
struct DocumentedObject {
    /// The path, such as `.spec.disks[]`.
    path: String,
    /// Rules of the object as a whole.
    rules: Vec<Phrase>,
    fields: Vec<DocumentedField>,
}

/// A field of an object.
struct DocumentedField {
    name: String,
    path: String,
    type_text: String,
    is_required: bool,
    default: Option<String>,
    description: String,
    /// What values must satisfy.
    constraints: Vec<Phrase>,
    /// CEL rules, in words where they have a message.
    rules: Vec<Phrase>,
    example: Option<String>,
    /// What describes the value, or the items or values.
    link: Option<Link>,
}

/// What describes a value.
enum Link {
    /// The object at a path.
    Object(String),
    /// An address.
    Url(String),
}

fn kinds(crds: &[CustomResourceDefinition]) -> Vec<Kind> {
    let mut kinds: Vec<_> = crds.iter().map(kind).collect();
    kinds.sort_by(|first, second| (&first.group, &first.kind).cmp(&(&second.group, &second.kind)));
    kinds
}

fn kind(crd: &CustomResourceDefinition) -> Kind {
    let spec = &crd.spec;
    let samples = samples(crd);
    let versions = spec.versions.iter().filter(|version| version.served).map(|version| {
        let of_version = samples.iter().filter(|sample| sample.version == version.name);
        let samples = of_version.map(|sample| {
            let title = if sample.is_full { "All fields" } else { "Minimal" };
            (title, sample.to_yaml().to_owned())
        });
        KindVersion { samples: samples.collect(), ..kind_version(version) }
    });
    Kind {
        definition: format!("{}.{}", spec.names.plural, spec.group),
        kind: spec.names.kind.clone(),
        group: spec.group.clone(),
        scope: spec.scope.clone(),
        plural: spec.names.plural.clone(),
        short_names: spec.names.short_names.clone().unwrap_or_default(),
        categories: spec.names.categories.clone().unwrap_or_default(),
        versions: versions.collect(),
    }
}

fn kind_version(version: &Version) -> KindVersion {
    let mut notes = Vec::new();
    if version.storage {
        notes.push(Phrase::of("storage version"));
    }
    if version.deprecated == Some(true) {
        notes.push(Phrase::parse(version.deprecation_warning.as_deref().unwrap_or("deprecated")));
    }
    let subresources = version.subresources.as_ref();
    if subresources.is_some_and(|it| it.status.is_some()) {
        notes.push(Phrase::of("status subresource"));
    }
    if let Some(scale) = subresources.and_then(|it| it.scale.as_ref()) {
        let paths = [&scale.spec_replicas_path, &scale.status_replicas_path];
        notes.push(Phrase::of("scale subresource: ").codes(paths, ", "));
    }
    let selectable: Vec<_> = version.selectable_fields.iter().flatten().map(|field| &field.json_path).collect();
    if !selectable.is_empty() {
        notes.push(Phrase::of("field selectors: ").codes(selectable, ", "));
    }
    let columns = version.additional_printer_columns.iter().flatten().map(|column| {
        let description = column.description.clone().unwrap_or_default();
        [column.name.clone(), column.type_.clone(), column.json_path.clone(), description]
    });
    let root = schema(version);
    let mut objects = Vec::new();
    if let Some(root) = root {
        add_object(root, "", &mut objects);
    }
    KindVersion {
        name: version.name.clone(),
        description: root.and_then(|root| root.description.clone()).unwrap_or_default(),
        notes,
        columns: columns.collect(),
        objects,
        samples: Vec::new(),
    }
}

/// Adds an object, and then the objects below it.
fn add_object(schema: &Props, path: &str, objects: &mut Vec<DocumentedObject>) {
    let is_metadata = |name: &str| path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name);
    let all: Vec<_> = schema
        .properties
        .iter()
        .flatten()
        .filter(|(name, _)| !is_metadata(name))
        .map(|(name, part)| (format!("{path}.{name}"), name, part))
        .collect();
    let fields = all.iter().map(|(path, name, part)| field(schema, name, part, path)).collect();
    let mut rules = Vec::new();
    if path.is_empty() {
        rules.extend(constraint_phrases::constraints(schema));
        rules.extend(rule_texts(schema));
    }
    objects.push(DocumentedObject { path: path.to_owned(), rules, fields });
    for (path, _, part) in all {
        if let Some((part, path)) = object_of(part, path)
            && KubernetesType::of(part).is_none()
        {
            add_object(part, &path, objects);
        }
    }
}

/// Returns the object that describes a value, its items or its values.
fn object_of(schema: &Props, path: String) -> Option<(&Props, String)> {
    if schema.properties.as_ref().is_some_and(|all| !all.is_empty()) {
        return Some((schema, path));
    }
    match (items(schema), values(schema)) {
        (Some(items), _) => object_of(items, format!("{path}[]")),
        (_, Some(values)) => object_of(values, format!("{path}.*")),
        _ => None,
    }
}

fn field(parent: &Props, name: &str, schema: &Props, path: &str) -> DocumentedField {
    let mut constraints = constraint_phrases::constraints(schema);
    let mut rules = rule_texts(schema);
    for (whose, part) in [("each item", items(schema)), ("each value", values(schema))] {
        let Some(part) = part else { continue };
        let start = || Phrase::of(format!("{whose}: "));
        constraints.extend(constraint_phrases::constraints(part).into_iter().map(|phrase| start().then(phrase)));
        rules.extend(rule_texts(part).into_iter().map(|rule| start().then(rule)));
    }
    let described = object_of(schema, path.to_owned());
    let kubernetes = described.as_ref().and_then(|(part, _)| KubernetesType::of(part));
    let type_text = constraint_phrases::type_text(schema);
    DocumentedField {
        name: name.to_owned(),
        path: path.to_owned(),
        type_text: kubernetes.map_or(type_text.clone(), |it| type_text.replace("object", it.name())),
        is_required: read::schema(parent).requires(name),
        default: schema.default.as_ref().map(|default| default.0.to_string()),
        description: schema.description.clone().unwrap_or_default().trim().to_owned(),
        constraints,
        rules,
        example: schema.example.as_ref().map(|example| example.0.to_string()),
        link: described.map(|(_, path)| kubernetes.map_or(Link::Object(path), |it| Link::Url(it.url()))),
    }
}

fn rule_texts(schema: &Props) -> Vec<Phrase> {
    let rules = constraint_phrases::rules(schema).into_iter();
    let text = |(rule, message): (String, Option<String>)| match message {
        Some(message) => Phrase::parse(&message).text(" (").code(rule).text(")"),
        None => Phrase::default().code(rule),
    };
    rules.map(text).collect()
}

/// Returns facts about a kind in a version.
fn facts(kind: &Kind, version: &KindVersion) -> Vec<Phrase> {
    let mut facts = vec![
        Phrase::of(format!("{} scope", kind.scope.to_lowercase())),
        Phrase::default().code(format!("kubectl get {}", kind.plural)),
    ];
    for (title, names) in [("short names: ", &kind.short_names), ("categories: ", &kind.categories)] {
        if !names.is_empty() {
            facts.push(Phrase::of(title).codes(names, ", "));
        }
    }
    facts.extend(version.notes.iter().cloned());
    facts.into_iter().map(Phrase::sentence).collect()
}

/// Returns the phrases about a field besides its description, as sentences.
fn field_facts(field: &DocumentedField) -> Vec<Phrase> {
    let mut facts: Vec<_> = field.constraints.iter().chain(&field.rules).cloned().collect();
    for (title, value) in [("Default: ", &field.default), ("Example: ", &field.example)] {
        facts.extend(value.as_ref().map(|value| Phrase::of(title).code(value)));
    }
    facts.into_iter().map(Phrase::sentence).collect()
}

/// Returns the target of a link.
fn target(kind: &Kind, version: &KindVersion, link: &Link) -> String {
    match link {
        Link::Object(path) => format!("#{}", anchor(kind, version, path)),
        Link::Url(url) => url.clone(),
    }
}

/// Returns the anchor of a path in a version.
fn anchor(kind: &Kind, version: &KindVersion, path: &str) -> String {
    let path: String = path.replace("[]", "-items").replace(".*", "-values").replace('.', "-");
    // Other characters would end a link or an attribute.
    let plain = |letter: char| {
        let is_plain = letter.is_alphanumeric() || matches!(letter, '-' | '_');
        if is_plain { letter.to_string() } else { format!("_{:x}", u32::from(letter)) }
    };
    let path: String = path.chars().map(plain).collect();
    format!("{}-{}{path}", kind.definition.replace('.', "-"), version.name)
}

/// Returns the anchor of a field, besides that of the object that it contains.
fn field_anchor(kind: &Kind, version: &KindVersion, field: &DocumentedField) -> String {
    format!("{}-field", anchor(kind, version, &field.path))
}

#[cfg(test)]
mod tests;
