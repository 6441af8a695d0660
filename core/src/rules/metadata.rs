//! `metadata` of the definition.

use alloc::{format, string::String, vec::Vec};

use crate::{
    definition::{Definition, Metadata, OwnerReference},
    literal::dns::{self, LABEL_VALUE, QualifiedNameError, SUBDOMAIN},
    object_processing::resource::{API_VERSION_FORM, EVENT_OWNER, EXCLUSIVE_FINALIZERS, is_api_version, is_event},
    rules::{Report, report_at_field, report_at_path},
    text::equal,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    M1 Error [Validate] "The name is the plural, a dot and the group.";
    M2 Error [Derive, Validate] "The name has at most 253 bytes.";
    M3 Error [Validate] "There is a name.";
    M4 Lint [Never("the server removes the namespace, and nothing is lost")] "There is no namespace.";
    M5 Error [Derive, Validate] "Label and annotation keys are qualified names, and label values are valid.";
    M6 Error [Validate] "Finalizers are qualified names, and `orphan` and `foregroundDeletion` exclude each other.";
    M7 Error [Validate] "A `generateName` is equal to the name.";
    M8 Error [Validate] "Owner references are complete, and at most one refers to a controller.";
    M9 Warning [Validate] "No owner reference is repeated.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let metadata = &definition.metadata;
    name(definition, report);
    for (key, value) in &metadata.labels {
        report_at_field("metadata.labels", label_key_is_qualified(key), report);
        report_at_field("metadata.labels", label_value_is_valid(value), report);
    }
    for (key, _) in &metadata.annotations {
        report_at_field("metadata.annotations", annotation_key_is_qualified(key), report);
    }
    for finalizer in &metadata.finalizers {
        report_at_field("metadata.finalizers", finalizer_is_qualified(finalizer), report);
    }
    report_at_field("metadata.finalizers", finalizers_are_compatible(metadata), report);
    let owners = distinct(&metadata.owner_references);
    for (at, owner) in owners.iter().enumerate() {
        owner_reference(&format!("metadata.ownerReferences[{at}]"), owner, report);
    }
    controllers(&owners, report);
    let repeated = repeated_uids(&metadata.owner_references);
    if !repeated.is_empty() {
        report_at_field("metadata.ownerReferences", Err(repeated_owners(&repeated)), report);
    }
}

fn name(definition: &Definition<'_>, report: &mut Report<'_>) {
    let (metadata, group) = (&definition.metadata, definition.group.as_ref());
    let plural = definition.names.plural.as_ref();
    let name = metadata.name.as_deref().filter(|it| !it.is_empty());
    let generate_name = metadata.generate_name.as_deref().unwrap_or_default();
    if !generate_name.is_empty() {
        let result = generate_name_is_name(generate_name, name, plural, group);
        report_at_field("metadata.generateName", result, report);
    }
    let Some(name) = name else {
        if generate_name.is_empty() {
            report_at_field("metadata.name", Err(missing_name()), report);
        }
        return;
    };
    // Without plural or group, which have rules of their own, the expected name is unknown.
    if !plural.is_empty() && !group.is_empty() {
        report_at_field("metadata.name", name_is_plural_and_group(name, plural, group), report);
    }
    let parts_are_valid = dns::label_1035(plural).is_ok() && dns::subdomain(group).is_ok();
    if parts_are_valid || !is_joined(name, plural, group) {
        report_at_field("metadata.name", name_is_subdomain(name), report);
    }
}

/// [`M1`].
pub const fn name_is_plural_and_group<'a>(name: &'a str, plural: &'a str, group: &'a str) -> Result<(), Violation<'a>> {
    if is_joined(name, plural, group) {
        return Ok(());
    }
    let message = Text::new(
        "`{}` must be `{}.{}`, the plural and the group",
        &[Arg::Text(name), Arg::Text(plural), Arg::Text(group)],
    );
    let detail = "must be spec.names.plural+\".\"+spec.group";
    Err(Violation::new(&M1, message).with_server_error(invalid(detail).with_value(Arg::Quoted(name))))
}

const fn is_joined(name: &str, plural: &str, group: &str) -> bool {
    if name.len() != plural.len() + 1 + group.len() || !name.is_char_boundary(plural.len()) {
        return false;
    }
    let (before, behind) = name.split_at(plural.len());
    if behind.as_bytes()[0] != b'.' {
        return false;
    }
    equal(before, plural) && equal(behind.split_at(1).1, group)
}

/// [`M2`], and is a DNS subdomain.
pub const fn name_is_subdomain(name: &str) -> Result<(), Violation<'_>> {
    let Err(error) = dns::subdomain(name) else {
        return Ok(());
    };
    let message = if error.is_too_long {
        Text::new(
            "the name of the definition, `{}`, has more than 253 characters: shorten the plural or the group",
            &[Arg::Text(name)],
        )
    } else {
        Text::new("`{}` is not a valid name: expected lower-case letters, digits, `-` and `.`", &[Arg::Text(name)])
    };
    let server_error = invalid(SUBDOMAIN.text(error)).with_value(Arg::Quoted(name));
    Err(Violation::new(&M2, message).with_server_error(server_error))
}

const fn missing_name<'a>() -> Violation<'a> {
    let message = Text::literal("a definition needs a name: its plural, a dot and its group");
    let detail = "name or generateName is required";
    Violation::new(&M3, message).with_server_error(ServerError::new(ErrorType::Required, "", detail))
}

/// [`M7`], because a generated name is never valid.
pub const fn generate_name_is_name<'a>(
    generate_name: &'a str,
    name: Option<&str>,
    plural: &str,
    group: &str,
) -> Result<(), Violation<'a>> {
    let is_name = is_joined(generate_name, plural, group);
    if name.is_some() && is_name {
        return Ok(());
    }
    let message = Text::literal("the name of a definition is its plural, a dot and its group: remove `generateName`");
    let detail = "must be spec.names.plural+\".\"+spec.group";
    let violation = Violation::new(&M7, message);
    Err(if is_name {
        // The server reports the name that it generated.
        violation
    } else {
        violation.with_server_error(invalid(detail).with_value(Arg::Quoted(generate_name)))
    })
}

/// [`M5`].
pub const fn label_key_is_qualified(key: &str) -> Result<(), Violation<'_>> {
    match dns::qualified_name(key) {
        Ok(()) => Ok(()),
        Err(error) => Err(bad_key(key, error)),
    }
}

/// [`M5`], regardless of case.
pub fn annotation_key_is_qualified(key: &str) -> Result<(), Violation<'_>> {
    dns::annotation_key(key).map_err(|error| bad_key(key, error))
}

const fn bad_key(key: &str, error: QualifiedNameError) -> Violation<'_> {
    let message = Text::new(
        "`{}` is not a valid key: expected at most 63 letters, digits, `-`, `_` and `.`, optionally after a DNS subdomain and \
         a slash, such as `example.com/name`",
        &[Arg::Text(key)],
    );
    Violation::new(&M5, message).with_server_error(invalid(error.wording()).with_value(Arg::Quoted(key)))
}

/// [`M5`].
pub const fn label_value_is_valid(value: &str) -> Result<(), Violation<'_>> {
    let Err(error) = dns::label_value(value) else {
        return Ok(());
    };
    let message = Text::new(
        "`{}` is not a valid label value: expected at most 63 letters, digits, `-`, `_` and `.`, starting and ending with a \
         letter or digit",
        &[Arg::Text(value)],
    );
    let server_error = invalid(LABEL_VALUE.text(error)).with_value(Arg::Quoted(value));
    Err(Violation::new(&M5, message).with_server_error(server_error))
}

/// [`M6`].
pub const fn finalizer_is_qualified(finalizer: &str) -> Result<(), Violation<'_>> {
    let Err(error) = dns::qualified_name(finalizer) else {
        return Ok(());
    };
    let message = Text::new(
        "`{}` is not a valid finalizer: expected a name such as `example.com/cleanup`",
        &[Arg::Text(finalizer)],
    );
    let server_error = invalid(error.wording()).with_value(Arg::Quoted(finalizer));
    Err(Violation::new(&M6, message).with_server_error(server_error))
}

fn finalizers_are_compatible<'a>(metadata: &Metadata<'_>) -> Result<(), Violation<'a>> {
    let has = |name: &str| metadata.finalizers.iter().any(|it| it == name);
    if !has("orphan") || !has("foregroundDeletion") {
        return Ok(());
    }
    let message = Text::literal("the finalizers `orphan` and `foregroundDeletion` exclude each other: keep one");
    Err(Violation::new(&M6, message).with_server_error(invalid(EXCLUSIVE_FINALIZERS)))
}

fn owner_reference(place: &str, owner: &OwnerReference<'_>, report: &mut Report<'_>) {
    let required =
        [("apiVersion", &owner.api_version), ("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)];
    for (name, value) in required {
        if value.is_empty() {
            report_at_field(&format!("{place}.{name}"), Err(missing_owner_field(name)), report);
        }
    }
    let result = owner_api_version_is_valid(&owner.api_version);
    report_at_field(&format!("{place}.apiVersion"), result, report);
    if is_event(&owner.api_version, &owner.kind) {
        let message = Text::literal("an event cannot own anything");
        let violation = Violation::new(&M8, message).with_server_error(invalid(EVENT_OWNER));
        report_at_field(place, Err(violation), report);
    }
}

const fn missing_owner_field(field: &str) -> Violation<'_> {
    let message = Text::new("a reference to an owner needs `{}`", &[Arg::Text(field)]);
    let server_error = ServerError::new(ErrorType::Required, "", "must not be empty");
    Violation::new(&M8, message).with_server_error(server_error)
}

fn owner_api_version_is_valid(api_version: &str) -> Result<(), Violation<'_>> {
    if is_api_version(api_version) {
        return Ok(());
    }
    let message = Text::new(
        "`{}` is not an API version: write `group/version`, or `version` for the core group",
        &[Arg::Text(api_version)],
    );
    let server_error = invalid(API_VERSION_FORM).with_value(Arg::Quoted(api_version));
    Err(Violation::new(&M8, message).with_server_error(server_error))
}

/// Returns the owners without duplicates, which the server drops.
fn distinct<'o, 'a>(owners: &'o [OwnerReference<'a>]) -> Vec<&'o OwnerReference<'a>> {
    let mut distinct = Vec::new();
    for owner in owners {
        if !distinct.contains(&owner) {
            distinct.push(owner);
        }
    }
    distinct
}

/// Returns the UIDs of the duplicates, separated by commas.
fn repeated_uids(owners: &[OwnerReference<'_>]) -> String {
    let is_repeated = |(at, owner): &(usize, &OwnerReference<'_>)| owners[..*at].contains(owner);
    let uids: Vec<_> = owners.iter().enumerate().filter(is_repeated).map(|(_, owner)| &*owner.uid).collect();
    uids.join(", ")
}

fn repeated_owners(uids: &str) -> Violation<'_> {
    let args = &[Arg::Text(uids)];
    let message = Text::new("the owner with the UID `{}` is listed twice: remove one of the references", args);
    let mut server_error = ServerError::new(ErrorType::Warning, "", "");
    server_error.detail = Text::new(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such \
         requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        args,
    );
    Violation::new(&M9, message).with_server_error(server_error)
}

fn controllers(owners: &[&OwnerReference<'_>], report: &mut Report<'_>) {
    let mut first: Option<String> = None;
    for owner in owners.iter().filter(|owner| owner.controller) {
        let name = format!("{}/{}", owner.kind, owner.name);
        let Some(first) = &first else {
            first = Some(name.clone());
            continue;
        };
        let args = [Arg::Text(first), Arg::Text(&name)];
        let message = Text::new("only one owner can be the controller, not both `{}` and `{}`", &args);
        let mut server_error = invalid("");
        server_error.detail = Text::new(
            "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
            &args,
        );
        let violation = Violation::new(&M8, message).with_server_error(server_error);
        report_at_path("metadata.ownerReferences", "metadata.ownerReferences", Err(violation), report);
    }
}

const fn invalid(detail: &str) -> ServerError<'_> {
    ServerError::new(ErrorType::Invalid, "", detail)
}
