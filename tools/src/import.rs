//! Rust types from definitions.

use std::fmt::Write as _;

use crdkit::__internal::crd_accessors::schema;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion as Version, JSONSchemaProps as Props,
};
use serde_json::Value;

mod attributes;
mod defects;
mod literals;
mod names;
mod prepare;
mod types;

use self::{
    attributes::Attributes,
    defects::without_defects,
    literals::text,
    names::{field_name, root_name},
    prepare::prepare,
    types::Types,
};

/// The Rust code of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// Types with derives, attributes and documentation; a module for each version if there are several.
    pub code: String,
    /// Where the definition of the types differs from the imported one, or does not compile. The code has them as comments.
    pub notes: Vec<String>,
}

/// Returns types whose definition is the given one, as far as the notes do not state differences.
///
/// The notes have the path or the keyword: a root with a `spec` that is not required, which that of the types always is; a status
/// with a default; `oneOf`, which may be written in an equivalent form; keywords, required fields, columns and scale subresources that
/// the API server accepts and that can never work, which are left out because the generated test rejects them; and a few more.
///
/// The code needs serde, and serde_json for some values. Fields that need a keyword for which crdkit has no key have it in
/// [`schema_patch`](crdkit::attributes::values#patches).
///
/// ```
/// use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
/// use crdkit_tools::import;
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
/// let imported = import(&At::crd());
/// assert!(imported.notes.is_empty(), "{:?}", imported.notes);
/// assert!(imported.code.contains("\
/// pub struct AtSpec {
///     /// When to run.
///     #[crd(min_length = 1)]
///     pub schedule: String,
/// }
/// "), "{}", imported.code);
/// ```
pub fn import(crd: &CustomResourceDefinition) -> Imported {
    let mut notes = Vec::new();
    if crd.spec.conversion.as_ref().is_some_and(|conversion| conversion.strategy != "None") {
        notes.push("the conversion webhook belongs to `merge::Versions::conversion`".to_owned());
    }
    let (crd, left_out) = &without_defects(crd);
    notes.extend(left_out.iter().cloned());
    let is_alone = crd.spec.versions.len() == 1;
    let mut body = String::new();
    for version in &crd.spec.versions {
        let mut version = version.clone();
        let mut module = VersionImport { crd, notes: prepare(&mut version), version: &version };
        let code = module.code();
        notes.extend(module.notes.iter().map(|note| format!("{}: {note}", version.name)));
        if is_alone {
            body += &code;
        } else {
            let module = field_name(&version.name);
            let _ = write!(body, "\n/// Version `{}`.\npub mod {module} {{\n", version.name);
            body += &indented(&code);
            body += "}\n";
        }
    }
    let mut code = format!("//! The kind `{}` of `{}`.\n", crd.spec.names.kind, crd.spec.group);
    if !notes.is_empty() {
        code += "//!\n//! Differences from the imported definition:\n//!\n";
        let is_unprintable = literals::is_unprintable;
        code.extend(notes.iter().map(|note| format!("//! - {}\n", note.replace(is_unprintable, " "))));
    }
    if is_alone {
        code.push('\n');
    }
    Imported { code: code + &body, notes }
}

/// Indents lines outside of raw strings of several lines, which do not occur: texts of several lines are escaped.
fn indented(code: &str) -> String {
    code.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

/// The import of one version.
struct VersionImport<'a> {
    crd: &'a CustomResourceDefinition,
    version: &'a Version,
    notes: Vec<String>,
}

impl VersionImport<'_> {
    fn code(&mut self) -> String {
        let empty = Props::default();
        let root = schema(self.version).unwrap_or(&empty);
        let property = |name: &str| root.properties.as_ref().and_then(|all| all.get(name));
        let kind = root_name(&self.crd.spec.names.kind);
        let mut types = Types::default();
        let others = root
            .properties
            .iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .filter(|name| !["apiVersion", "kind", "metadata", "spec", "status"].contains(name));
        let has_spec = property("spec").is_some_and(is_struct) && others.count() == 0;
        let status = property("status");
        let status_name = status.filter(|status| is_struct(status)).map(|_| format!("{kind}Status"));
        let attributes = self.resource(root, &kind, has_spec, status_name.as_deref());
        let spec_name = if has_spec { format!("{kind}Spec") } else { format!("{kind}Fields") };
        let fields = match property("spec").filter(|_| has_spec) {
            Some(spec) => spec.clone(),
            None => {
                let mut fields = without_metadata(root);
                types.keeps_other_fields = fields.x_kubernetes_preserve_unknown_fields.take() == Some(true);
                fields
            }
        };
        if let Some(spec) = property("spec").filter(|_| has_spec) {
            self.compare_root(root, spec);
        }
        types.root(&spec_name, &fields, &attributes);
        if let (Some(name), Some(status)) = (&status_name, status) {
            types.add_struct(name, status, None);
        }
        let keeps_null = status_name.as_ref().zip(status).is_some_and(|(name, status)| types.keeps_null(name, status));
        self.compare_status(root, status, status_name.is_some(), keeps_null);
        self.notes.extend(types.notes.iter().cloned());
        types.imports() + &types.code
    }

    /// Returns the attributes of the resource.
    fn resource(&self, root: &Props, kind: &str, has_spec: bool, status: Option<&str>) -> Vec<String> {
        let (crd, version) = (self.crd, self.version);
        let names = &crd.spec.names;
        let mut identity = vec![
            format!("group = {}", text(&crd.spec.group)),
            format!("version = {}", text(&version.name)),
            format!("kind = {}", text(&names.kind)),
        ];
        if *kind != names.kind {
            identity.push(format!("root = {}", text(kind)));
        }
        identity.push(format!("plural = {}", text(&names.plural)));
        let singular = names.singular.clone().unwrap_or_default();
        if !singular.is_empty() && singular != names.kind.to_lowercase() {
            identity.push(format!("singular = {}", text(&singular)));
        }
        if names.list_kind.as_ref().is_some_and(|list| !list.is_empty() && *list != format!("{}List", names.kind)) {
            identity.push(format!("list_kind = {}", text(names.list_kind.as_deref().unwrap_or_default())));
        }
        let mut flags = Vec::new();
        flags.extend((crd.spec.scope == "Namespaced").then(|| "namespaced".to_owned()));
        flags.extend((!has_spec).then(|| "no_spec".to_owned()));
        flags.extend((!version.served).then(|| "served = false".to_owned()));
        flags.extend((!version.storage).then(|| "storage = false".to_owned()));
        flags.push("nullable = false".to_owned());
        if version.deprecated == Some(true) {
            let warning = version.deprecation_warning.as_ref();
            flags.push(warning.map_or("deprecated".to_owned(), |warning| format!("deprecated = {}", text(warning))));
        }
        flags.extend(status.map(|name| format!("status = {}", text(name))));
        flags.push("derive = \"PartialEq\"".to_owned());
        let mut lines = vec![identity.join(", "), flags.join(", ")];
        let short = names.short_names.iter().flatten().map(|name| format!("shortname = {}", text(name)));
        let categories = names.categories.iter().flatten().map(|name| format!("category = {}", text(name)));
        let others: Vec<_> = short.chain(categories).collect();
        lines.extend((!others.is_empty()).then(|| others.join(", ")));
        let metadata = &crd.metadata;
        for (key, pairs) in [("label", &metadata.labels), ("annotation", &metadata.annotations)] {
            lines.extend(pairs.iter().flatten().map(|(name, value)| format!("{key}({}, {})", text(name), text(value))));
        }
        lines.extend(root.description.as_ref().filter(|_| has_spec).map(|about| format!("doc = {}", text(about))));
        lines.extend(scale(version));
        lines.extend(columns(version));
        let selectable = version.selectable_fields.iter().flatten();
        lines.extend(selectable.map(|field| format!("selectable = {}", text(&field.json_path))));
        if has_spec {
            let rules = root.x_kubernetes_validations.iter().flatten();
            lines.extend(rules.map(attributes::rule));
        }
        lines
    }

    /// Notes where the root of the types differs.
    fn compare_root(&mut self, root: &Props, spec: &Props) {
        if !root.required.iter().flatten().any(|name| name == "spec") {
            self.notes.push("`.spec` is required".to_owned());
        }
        if root.description.is_none() && spec.description.is_some() {
            self.notes.push("the root has the description of `.spec`".to_owned());
        }
        let mut rest = Attributes::own(root);
        for keyword in ["type", "description", "required", "x-kubernetes-validations"] {
            rest.remove(keyword);
        }
        self.notes.extend(rest.keys().map(|keyword| format!("the root has no `{keyword}`")));
    }

    fn compare_status(&mut self, root: &Props, status: Option<&Props>, has_type: bool, keeps_null: bool) {
        let has_subresource = self.version.subresources.as_ref().is_some_and(|it| it.status.is_some());
        match (has_subresource, has_type) {
            (true, false) => self.notes.push("there is no status subresource: write a type for `.status`".to_owned()),
            (false, true) => self.notes.push("there is a status subresource".to_owned()),
            (false, false) if status.is_some() => {
                self.notes.push("there is no `.status`: write a type for it".to_owned());
            }
            _ => {}
        }
        if has_type && root.required.iter().flatten().any(|name| name == "status") {
            self.notes.push("`.status` is not required".to_owned());
        }
        let has_default = status.is_some_and(|status| status.default.is_some());
        let can_be_null = status.is_some_and(|status| status.nullable == Some(true));
        let note = match (keeps_null, has_default, can_be_null) {
            (false, false, false) | (true, false, true) => return,
            (false, ..) => "`.status` has no default and cannot be null",
            (true, true, true) => "`.status` has no default",
            (true, true, false) => "`.status` has no default and can be null",
            (true, false, false) => "`.status` can be null",
        };
        self.notes.push(note.to_owned());
    }
}

fn is_struct(schema: &Props) -> bool {
    schema.type_.as_deref() == Some("object")
        && schema.additional_properties.is_none()
        && (schema.properties.is_some() || schema.x_kubernetes_preserve_unknown_fields != Some(true))
}

/// Returns a root without the fields that the root of each type has.
fn without_metadata(root: &Props) -> Props {
    let mut root = root.clone();
    let is_own = |name: &str| !["apiVersion", "kind", "metadata", "status"].contains(&name);
    if let Some(properties) = &mut root.properties {
        properties.retain(|name, _| is_own(name));
    }
    if let Some(required) = &mut root.required {
        required.retain(|name| is_own(name));
    }
    root.required = root.required.filter(|names| !names.is_empty());
    root
}

fn scale(version: &Version) -> Option<String> {
    let scale = version.subresources.as_ref()?.scale.as_ref()?;
    let mut keys = vec![
        format!("spec_replicas_path = {}", text(&scale.spec_replicas_path)),
        format!("status_replicas_path = {}", text(&scale.status_replicas_path)),
    ];
    keys.extend(scale.label_selector_path.as_ref().map(|path| format!("label_selector_path = {}", text(path))));
    Some(format!("scale({})", keys.join(", ")))
}

fn columns(version: &Version) -> Vec<String> {
    let columns = version.additional_printer_columns.iter().flatten().map(|column| {
        let mut keys = vec![
            format!("name = {}", text(&column.name)),
            format!("type_ = {}", text(&column.type_)),
            format!("json_path = {}", text(&column.json_path)),
        ];
        keys.extend(column.description.as_ref().map(|it| format!("description = {}", text(it))));
        keys.extend(column.format.as_ref().filter(|it| !it.is_empty()).map(|it| format!("format = {}", text(it))));
        keys.extend(column.priority.filter(|it| *it != 0).map(|it| format!("priority = {it}")));
        format!("printcolumn({})", keys.join(", "))
    });
    columns.collect()
}

/// Whether a JSON value is null or false, which is the same as an absent one.
fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Null) || *value == Value::Bool(false)
}

#[cfg(test)]
mod tests;
