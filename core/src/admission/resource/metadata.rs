//! Validation of the metadata of embedded resources.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{invalid, typed::object_meta_error};
use crate::{
    admission::{FieldError, ValuePath, go},
    json::Json,
    literal::dns::{self, NameError, NamePartError, QualifiedNameError},
    violation::ErrorType,
};

/// The limit of all keys and values of annotations in total, in bytes.
const ANNOTATIONS_LIMIT: usize = 262_144;
const MANAGER_LIMIT: usize = 128;
const SUBRESOURCE_LIMIT: usize = 256;

pub(super) fn check(metadata: &Json<'_>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if let Some(error) = object_meta_error(metadata) {
        errors.push(invalid(path.place(), go::quoted(metadata), error));
        return;
    }
    let mut checks = Checks { place: path.place(), errors };
    checks.name(text(metadata, "name"), text(metadata, "generateName"));
    checks.namespace(text(metadata, "namespace"));
    if let Some(Json::Integer(generation)) = metadata.get("generation")
        && *generation < 0
    {
        let detail = "must be greater than or equal to 0";
        checks.invalid(".generation", go::quoted(&Json::Integer(*generation)), detail);
    }
    for (key, value) in members(metadata, "labels") {
        checks.qualified(".labels", key, dns::qualified_name(key));
        if let Err(error) = dns::label_value(value) {
            checks.each(".labels", value, error, |it| dns::LABEL_VALUE.text(it).into());
        }
    }
    checks.annotations(&members(metadata, "annotations"));
    checks.owners(list(metadata, "ownerReferences"));
    checks.finalizers(list(metadata, "finalizers"));
    for (at, entry) in list(metadata, "managedFields").iter().enumerate() {
        checks.managed_fields(&format!(".managedFields[{at}]"), entry);
    }
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

struct Checks<'f> {
    place: String,
    errors: &'f mut Vec<FieldError>,
}

impl Checks<'_> {
    fn add(&mut self, field: &str, kind: ErrorType, value: Option<String>, detail: &str) {
        let finding = FieldError { place: format!("{}{field}", self.place), kind, value, detail: detail.into() };
        // The server reports equal errors once, such as those of two labels with the same value.
        if !self.errors.contains(&finding) {
            self.errors.push(finding);
        }
    }

    fn invalid(&mut self, field: &str, value: String, detail: &str) {
        self.add(field, ErrorType::Invalid, Some(value), detail);
    }

    /// Reports each part of a name error separately.
    fn each(&mut self, field: &str, value: &str, error: NameError, of: impl Fn(NameError) -> String) {
        let parts = [NameError { is_malformed: false, ..error }, NameError { is_too_long: false, ..error }];
        for part in parts.into_iter().filter(|it| it.is_too_long || it.is_malformed) {
            self.invalid(field, go::quote(value), &of(part));
        }
    }

    fn qualified(&mut self, field: &str, value: &str, result: Result<(), QualifiedNameError>) {
        let Err(error) = result else {
            return;
        };
        let QualifiedNameError::Parts { prefix, name } = error else {
            return self.invalid(field, go::quote(value), error.wording());
        };
        let of_prefix = |prefix| QualifiedNameError::Parts { prefix: Some(prefix), name: None };
        let of_name = |name| QualifiedNameError::Parts { prefix: None, name: Some(name) };
        self.part(field, value, prefix, &of_prefix);
        self.part(field, value, name, &of_name);
        if name == Some(NamePartError::Empty) {
            let malformed = NameError { is_too_long: false, is_malformed: true };
            self.part(field, value, Some(NamePartError::Other(malformed)), &of_name);
        }
    }

    fn part(
        &mut self,
        field: &str,
        value: &str,
        part: Option<NamePartError>,
        of: &dyn Fn(NamePartError) -> QualifiedNameError,
    ) {
        match part {
            None => {}
            Some(NamePartError::Empty) => {
                self.invalid(field, go::quote(value), of(NamePartError::Empty).wording());
            }
            Some(NamePartError::Other(error)) => {
                self.each(field, value, error, |it| of(NamePartError::Other(it)).wording().into());
            }
        }
    }

    fn name(&mut self, name: &str, generate_name: &str) {
        if name == "." || name == ".." {
            self.invalid(".name", go::quote(name), &format!("may not be '{name}'"));
        } else {
            self.segment(".name", name);
        }
        self.segment(".generateName", generate_name);
    }

    fn segment(&mut self, field: &str, text: &str) {
        for c in ['/', '%'] {
            if text.contains(c) {
                self.invalid(field, go::quote(text), &format!("may not contain '{c}'"));
            }
        }
    }

    fn namespace(&mut self, namespace: &str) {
        if namespace.is_empty() {
            return;
        }
        if let Err(error) = dns::label_1123(namespace) {
            self.each(".namespace", namespace, error, |it| {
                let is_subdomain = !dns::subdomain(namespace).is_err_and(|it| it.is_malformed);
                if it.is_too_long {
                    return "must be no more than 63 characters".into();
                }
                if is_subdomain {
                    return "must not contain dots".into();
                }
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
                 with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                    .into()
            });
        }
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
        let is_wrong = match version.rsplit_once('/') {
            Some((group, version)) => group.contains('/') || version.is_empty(),
            None => false,
        };
        if is_wrong {
            let detail = "must be <group>/<version> or <version>";
            self.invalid(&format!("{place}.apiVersion"), go::quote(version), detail);
        }
        if matches!(version, "v1" | "/v1") && text(owner, "kind") == "Event" {
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            self.invalid(place, owner_json(owner), detail);
        }
    }

    fn finalizers(&mut self, finalizers: &[Json<'_>]) {
        let names = || finalizers.iter().map(|it| it.as_str().unwrap_or_default());
        for name in names() {
            self.qualified(".finalizers", name, dns::qualified_name(name));
        }
        if names().any(|it| it == "orphan") && names().any(|it| it == "foregroundDeletion") {
            let detail = "finalizer orphan and foregroundDeletion cannot be both set";
            let all = go::json(&Json::Array(finalizers.to_vec()));
            self.invalid(".finalizers", all, detail);
        }
    }

    fn managed_fields(&mut self, place: &str, entry: &Json<'_>) {
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
