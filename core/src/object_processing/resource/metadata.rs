//! Validation of metadata.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{invalid, typed::object_meta_error};
use crate::{
    go,
    json::Json,
    literal::dns::{self, QualifiedNameError},
    object_processing::{FieldError, ValuePath},
    violation::ErrorType,
};

/// The limit of all keys and values of annotations in total, in bytes: `TotalAnnotationSizeLimitB` of apimachinery.
pub(crate) const ANNOTATIONS_LIMIT: usize = 262_144;
/// The server's message for an event as an owner.
pub(crate) const EVENT_OWNER: &str = "/v1, Kind=Event is disallowed from being an owner";
/// The server's message for finalizers that exclude each other.
pub(crate) const EXCLUSIVE_FINALIZERS: &str = "finalizer orphan and foregroundDeletion cannot be both set";
/// The server's message for an API version that has another form.
pub(crate) const API_VERSION_FORM: &str = "must be <group>/<version> or <version>";
/// `FieldManagerMaxLength` of apimachinery.
const MANAGER_LIMIT: usize = 128;
/// `MaxSubresourceNameLength` of apimachinery.
const SUBRESOURCE_LIMIT: usize = 256;

/// Whether a text is a version, or a group and a version. An empty text counts, as the server reports it as missing.
pub(crate) fn is_api_version(text: &str) -> bool {
    match text.rsplit_once('/') {
        Some((group, version)) => !group.contains('/') && !version.is_empty(),
        None => true,
    }
}

/// Whether a reference is to an event, which owns nothing.
pub(crate) fn is_event(api_version: &str, kind: &str) -> bool {
    matches!(api_version, "v1" | "/v1") && kind == "Event"
}

pub(super) fn check(metadata: &Json<'_>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if let Some(error) = object_meta_error(metadata) {
        errors.push(invalid(path.place(), go::quoted(metadata), error));
        return;
    }
    let mut validator = ObjectMetaValidator::new(metadata, path.place());
    validator.path_segments();
    let namespace = text(metadata, "namespace");
    if !namespace.is_empty() {
        validator.invalid_text(".namespace", namespace, dns::label_1123_messages(namespace));
    }
    validator.generation();
    validator.labels_to_owners();
    validator.finalizers();
    validator.managed_fields();
    errors.extend(validator.into_distinct_errors());
}

fn text<'j>(value: &'j Json<'_>, name: &str) -> &'j str {
    value.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn list<'j, 'a>(value: &'j Json<'a>, name: &str) -> &'j [Json<'a>] {
    match value.get(name) {
        Some(Json::Array(items)) => items,
        _ => &[],
    }
}

/// Returns the entries of a map of strings; null counts as empty.
fn members<'j>(value: &'j Json<'_>, name: &str) -> Vec<(&'j str, &'j str)> {
    match value.get(name) {
        Some(Json::Object(members)) => {
            let entry = |(key, value): &'j (Cow<'_, str>, Json<'_>)| (&**key, value.as_str().unwrap_or_default());
            members.iter().map(entry).collect()
        }
        _ => Vec::new(),
    }
}

/// Validates the metadata of an object as apimachinery does. Each method adds the errors of some fields.
#[derive(Debug)]
pub struct ObjectMetaValidator<'m, 'j> {
    metadata: &'m Json<'j>,
    place: String,
    errors: Vec<FieldError>,
}

impl<'m, 'j> ObjectMetaValidator<'m, 'j> {
    /// Validates metadata at a place, such as `.metadata`.
    pub const fn new(metadata: &'m Json<'j>, place: String) -> Self {
        Self { metadata, place, errors: Vec::new() }
    }

    /// Returns whether there are errors so far.
    pub const fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns all errors, some of which may be equal.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Returns the errors without duplicates, such as those of two labels with the same value.
    pub fn into_distinct_errors(self) -> Vec<FieldError> {
        let mut distinct = Vec::new();
        for error in self.errors {
            if !distinct.contains(&error) {
                distinct.push(error);
            }
        }
        distinct
    }

    /// Adds an error of a field, such as `.name`.
    pub fn add(&mut self, field: &str, kind: ErrorType, value: Option<String>, detail: &str) {
        self.errors.push(FieldError { place: format!("{}{field}", self.place), kind, value, detail: detail.into() });
    }

    /// Adds an error of a field with a value in the form that the server quotes.
    pub fn invalid(&mut self, field: &str, value: String, detail: &str) {
        self.add(field, ErrorType::Invalid, Some(value), detail);
    }

    /// Adds an error for each message about a string.
    pub fn invalid_text(&mut self, field: &str, text: &str, messages: impl IntoIterator<Item = &'static str>) {
        for message in messages {
            self.invalid(field, go::quote(text), message);
        }
    }

    fn qualified(&mut self, field: &str, value: &str, result: Result<(), QualifiedNameError>) {
        if let Err(error) = result {
            self.invalid_text(field, value, error.messages());
        }
    }

    /// Validates that the name and the generated prefix can be segments of a path.
    pub fn path_segments(&mut self) {
        let name = text(self.metadata, "name");
        if name == "." || name == ".." {
            self.invalid(".name", go::quote(name), &format!("may not be '{name}'"));
        } else {
            self.path_segment(".name", name);
        }
        self.path_segment(".generateName", text(self.metadata, "generateName"));
    }

    fn path_segment(&mut self, field: &str, text: &str) {
        for (c, message) in [('/', "may not contain '/'"), ('%', "may not contain '%'")] {
            self.invalid_text(field, text, text.contains(c).then_some(message));
        }
    }

    /// Validates that the generation is not negative.
    pub fn generation(&mut self) {
        if let Some(Json::Integer(generation @ ..0)) = self.metadata.get("generation") {
            let detail = "must be greater than or equal to 0";
            self.invalid(".generation", go::quoted(&Json::Integer(*generation)), detail);
        }
    }

    /// Validates labels, annotations and owner references.
    pub fn labels_to_owners(&mut self) {
        for (key, value) in members(self.metadata, "labels") {
            self.qualified(".labels", key, dns::qualified_name(key));
            if let Err(error) = dns::label_value(value) {
                self.invalid_text(".labels", value, dns::LABEL_VALUE.messages(error));
            }
        }
        self.annotations(&members(self.metadata, "annotations"));
        self.owners(list(self.metadata, "ownerReferences"));
    }

    fn annotations(&mut self, annotations: &[(&str, &str)]) {
        for (key, _) in annotations {
            self.qualified(".annotations", key, dns::annotation_key(key));
        }
        let sizes = annotations.iter().map(|(key, value)| key.len() + value.len());
        if sizes.sum::<usize>() > ANNOTATIONS_LIMIT {
            let detail = format!("may not be more than {ANNOTATIONS_LIMIT} bytes");
            self.add(".annotations", ErrorType::TooLong, None, &detail);
        }
    }

    fn owners(&mut self, owners: &[Json<'_>]) {
        let mut first: Option<String> = None;
        for (at, owner) in owners.iter().enumerate() {
            let place = format!(".ownerReferences[{at}]");
            self.owner(&place, owner);
            if owner.get("controller") != Some(&Json::Bool(true)) {
                continue;
            }
            let controller = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
            let Some(first) = &first else {
                first = Some(controller);
                continue;
            };
            let detail = format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {controller}"
            );
            let all: Vec<_> = owners.iter().map(owner_json).collect();
            self.invalid(".ownerReferences", format!("[{}]", all.join(",")), &detail);
        }
    }

    fn owner(&mut self, place: &str, owner: &Json<'_>) {
        for name in ["apiVersion", "kind", "name", "uid"] {
            if text(owner, name).is_empty() {
                let field = format!("{place}.{name}");
                self.add(&field, ErrorType::Required, None, "must not be empty");
            }
        }
        let version = text(owner, "apiVersion");
        if !is_api_version(version) {
            self.invalid(&format!("{place}.apiVersion"), go::quote(version), API_VERSION_FORM);
        }
        if is_event(version, text(owner, "kind")) {
            self.invalid(place, owner_json(owner), EVENT_OWNER);
        }
    }

    /// Validates finalizers.
    pub fn finalizers(&mut self) {
        let finalizers = list(self.metadata, "finalizers");
        let names = || finalizers.iter().map(|it| it.as_str().unwrap_or_default());
        for name in names() {
            self.qualified(".finalizers", name, dns::qualified_name(name));
        }
        if names().any(|it| it == "orphan") && names().any(|it| it == "foregroundDeletion") {
            let all = go::json(&Json::Array(finalizers.to_vec()));
            self.invalid(".finalizers", all, EXCLUSIVE_FINALIZERS);
        }
    }

    /// Validates managed fields, except the fields themselves.
    pub fn managed_fields(&mut self) {
        for (at, entry) in list(self.metadata, "managedFields").iter().enumerate() {
            self.managed_fields_entry(&format!(".managedFields[{at}]"), entry);
        }
    }

    fn managed_fields_entry(&mut self, place: &str, entry: &Json<'_>) {
        let operation = text(entry, "operation");
        let field = format!("{place}.operation");
        match operation {
            "" => self.add(&field, ErrorType::Required, None, "must not be empty"),
            "Apply" | "Update" => {}
            other => {
                let detail = "supported values: \"Apply\", \"Update\"";
                self.add(&field, ErrorType::NotSupported, Some(go::quote(other)), detail);
            }
        }
        let type_ = text(entry, "fieldsType");
        if !matches!(type_, "" | "FieldsV1") {
            self.invalid(&format!("{place}.fieldsType"), go::quote(type_), "must be `FieldsV1`");
        }
        let manager = text(entry, "manager");
        if manager.len() > MANAGER_LIMIT {
            let detail = format!("may not be more than {MANAGER_LIMIT} bytes");
            self.add(&format!("{place}.manager"), ErrorType::TooLong, None, &detail);
        }
        if text(entry, "subresource").len() > SUBRESOURCE_LIMIT {
            let detail = format!("may not be more than {SUBRESOURCE_LIMIT} bytes");
            self.add(&format!("{place}.subresource"), ErrorType::TooLong, None, &detail);
        }
    }
}

/// Formats an owner reference as Go does, with the fields in the order of the struct.
fn owner_json(owner: &Json<'_>) -> String {
    let texts = ["apiVersion", "kind", "name", "uid"].map(|name| {
        let value = go::json(&Json::String(text(owner, name).into()));
        format!("\"{name}\":{value}")
    });
    let flags = ["controller", "blockOwnerDeletion"].into_iter().filter_map(|name| {
        let value = owner.get(name).filter(|value| !value.is_null())?;
        Some(format!("\"{name}\":{value}"))
    });
    let all: Vec<_> = texts.into_iter().chain(flags).collect();
    format!("{{{}}}", all.join(","))
}
