//! `spec.group`, `spec.scope` and `spec.names`.

use alloc::{borrow::Cow, format};

use crate::{
    definition::{Definition, Names},
    literal::dns::{self, KIND, LABEL_1035, SUBDOMAIN},
    rules::{Report, report_at_field},
    text::equal,
    violation::{Arg, ErrorType, Rule, ServerError, Text, Violation},
};

rules! {
    N1 Error [Derive, Validate] "There is a group.";
    N2 Error [Derive, Validate] "The group is a lower-case DNS subdomain of at most 253 bytes.";
    N3 Error [Derive, Validate] "The group has a dot.";
    N4 Error [Validate] "The scope is `Cluster` or `Namespaced`.";
    N5 Error [Derive, Validate] "There is a plural and a kind.";
    N6 Error [Derive, Validate] "Plural, singular, short names and categories are DNS labels.";
    N7 Error [Derive, Validate] "The kind and the list kind are DNS labels in any case.";
    N8 Error [Derive, Validate] "The list kind differs from the kind.";
}

/// A name of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `plural`.
    Plural,
    /// `singular`.
    Singular,
    /// An entry of `shortNames`.
    ShortName,
    /// An entry of `categories`.
    Category,
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let group = definition.group.as_ref();
    for result in [group_is_given(group), group_is_subdomain(group), group_has_dot(group)] {
        report_at_field("spec.group", result, report);
    }
    report_at_field("spec.scope", scope_is_supported(&definition.scope), report);
    let names = &definition.names;
    report_at_field("spec.names.plural", name_is_given("plural", &names.plural), report);
    report_at_field("spec.names.kind", name_is_given("kind", &names.kind), report);
    if !names.plural.is_empty() {
        let result = name_is_label(Name::Plural, &names.plural);
        report_at_field("spec.names.plural", result, report);
    }
    // An empty one counts as absent.
    if let Some(singular) = names.singular.as_deref().filter(|it| !it.is_empty()) {
        report_at_field("spec.names.singular", name_is_label(Name::Singular, singular), report);
    }
    for (at, name) in names.short_names.iter().enumerate() {
        let place = format!("spec.names.shortNames[{at}]");
        report_at_field(&place, name_is_label(Name::ShortName, name), report);
    }
    for (at, name) in names.categories.iter().enumerate() {
        let place = format!("spec.names.categories[{at}]");
        report_at_field(&place, name_is_label(Name::Category, name), report);
    }
    kinds(names, report);
}

fn kinds(names: &Names<'_>, report: &mut Report<'_>) {
    let kind = names.kind.as_ref();
    if kind.is_empty() {
        return;
    }
    report_at_field("spec.names.kind", kind_is_label(kind), report);
    let list_kind = list_kind(names);
    let is_given = names.list_kind.as_deref().is_some_and(|it| !it.is_empty());
    // The server derives it from the kind, whose errors are not repeated.
    if is_given || kind_is_label(kind).is_ok() {
        report_at_field("spec.names.listKind", list_kind_is_label(kind, &list_kind), report);
    }
    report_at_field("spec.names.listKind", list_kind_is_not_kind(kind, &list_kind), report);
}

/// Returns the list kind, or the server's default.
pub fn list_kind<'n>(names: &'n Names<'_>) -> Cow<'n, str> {
    match names.list_kind.as_deref() {
        Some(given) if !given.is_empty() => Cow::Borrowed(given),
        _ => Cow::Owned(format!("{}List", names.kind)),
    }
}

/// Returns the singular, or the server's default.
pub fn singular<'n>(names: &'n Names<'_>) -> Cow<'n, str> {
    match names.singular.as_deref() {
        Some(given) if !given.is_empty() => Cow::Borrowed(given),
        _ => Cow::Owned(dns::to_lower(&names.kind)),
    }
}

/// [`N1`].
pub const fn group_is_given(group: &str) -> Result<(), Violation<'_>> {
    if !group.is_empty() {
        return Ok(());
    }
    let message = Text::literal("the group is empty: write a domain, such as `example.com`");
    Err(Violation::new(&N1, message).with_server_error(ServerError::new(ErrorType::Required, "", "")))
}

/// [`N2`], or empty.
pub const fn group_is_subdomain(group: &str) -> Result<(), Violation<'_>> {
    let Err(error) = dns::subdomain(group) else {
        return Ok(());
    };
    if group.is_empty() {
        return Ok(());
    }
    #[allow(clippy::cast_possible_wrap)] // lengths of strings
    let length = Arg::Integer(group.len() as i64);
    let message = if error.is_malformed {
        Text::new(
            "`{}` is not a valid API group: expected a lower-case DNS subdomain with at least one dot, such as `example.com`",
            &[Arg::Text(group)],
        )
    } else {
        Text::new("the API group `{}` has {} characters: at most 253 are allowed", &[Arg::Text(group), length])
    };
    let server_error = invalid(SUBDOMAIN.text(error)).with_value(Arg::Quoted(group));
    Err(Violation::new(&N2, message).with_server_error(server_error))
}

/// [`N3`], if it is a subdomain.
pub const fn group_has_dot(group: &str) -> Result<(), Violation<'_>> {
    if dns::subdomain(group).is_err() || has_dot(group) {
        return Ok(());
    }
    let message = Text::new(
        "the API group `{}` has no dot: add a domain, as in `{}.example.com`",
        &[Arg::Text(group), Arg::Text(group)],
    );
    let server_error = invalid("should be a domain with at least one dot").with_value(Arg::Quoted(group));
    Err(Violation::new(&N3, message).with_server_error(server_error))
}

const fn has_dot(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'.' {
            return true;
        }
        at += 1;
    }
    false
}

/// [`N4`].
pub const fn scope_is_supported(scope: &str) -> Result<(), Violation<'_>> {
    if equal(scope, "Cluster") || equal(scope, "Namespaced") {
        return Ok(());
    }
    let message = Text::new("`{}` is not a scope: write `Cluster` or `Namespaced`", &[Arg::Text(scope)]);
    let server_error = if scope.is_empty() {
        ServerError::new(ErrorType::Required, "", "")
    } else {
        let detail = "supported values: \"Cluster\", \"Namespaced\"";
        ServerError::new(ErrorType::NotSupported, "", detail).with_value(Arg::Quoted(scope))
    };
    Err(Violation::new(&N4, message).with_server_error(server_error))
}

/// [`N5`].
pub const fn name_is_given<'a>(name: &'a str, text: &str) -> Result<(), Violation<'a>> {
    if !text.is_empty() {
        return Ok(());
    }
    let example = match name.as_bytes() {
        b"kind" => "VirtualMachine",
        _ => "virtualmachines",
    };
    let message = Text::new("the {} is empty: write one such as `{}`", &[Arg::Text(name), Arg::Text(example)]);
    Err(Violation::new(&N5, message).with_server_error(ServerError::new(ErrorType::Required, "", "")))
}

/// [`N6`].
pub const fn name_is_label(name: Name, text: &str) -> Result<(), Violation<'_>> {
    let (what, example) = match name {
        Name::Plural => ("plural name", "virtualmachines"),
        Name::Singular => ("singular name", "virtualmachine"),
        Name::ShortName => ("short name", "vm"),
        Name::Category => ("category", "all"),
    };
    label(&N6, what, example, text)
}

/// The value is a DNS label.
pub(super) const fn label<'a>(
    rule: &'static Rule,
    what: &'a str,
    example: &'a str,
    text: &'a str,
) -> Result<(), Violation<'a>> {
    let Err(error) = dns::label_1035(text) else {
        return Ok(());
    };
    let message = if error.is_malformed {
        Text::new(
            "`{}` is not a valid {}: expected lower-case letters, digits and `-`, starting with a letter and not ending with \
             `-`, such as `{}`",
            &[Arg::Text(text), Arg::Text(what), Arg::Text(example)],
        )
    } else {
        too_long(what, text)
    };
    let server_error = invalid(LABEL_1035.text(error)).with_value(Arg::Quoted(text));
    Err(Violation::new(rule, message).with_server_error(server_error))
}

#[allow(clippy::cast_possible_wrap)] // lengths of strings
const fn too_long<'a>(what: &'a str, text: &'a str) -> Text<'a> {
    let length = Arg::Integer(text.len() as i64);
    Text::new("the {} `{}` has {} characters: at most 63 are allowed", &[Arg::Text(what), Arg::Text(text), length])
}

/// [`N7`].
pub const fn kind_is_label(kind: &str) -> Result<(), Violation<'_>> {
    let Err(error) = dns::kind(kind) else {
        return Ok(());
    };
    let message = if error.is_malformed {
        Text::new(
            "`{}` is not a valid kind: expected ASCII letters, digits and `-`, starting with a letter and not ending with `-`, \
             such as `VirtualMachine`",
            &[Arg::Text(kind)],
        )
    } else {
        too_long("kind", kind)
    };
    let server_error = invalid(KIND.text(error)).with_value(Arg::Quoted(kind));
    Err(Violation::new(&N7, message).with_server_error(server_error))
}

/// [`N7`], even if the server derives the list kind from the kind.
pub fn list_kind_is_label<'a>(kind: &'a str, list_kind: &'a str) -> Result<(), Violation<'a>> {
    let Err(violation) = kind_is_label(list_kind) else {
        return Ok(());
    };
    if list_kind.strip_prefix(kind) != Some("List") || dns::kind(kind).is_err() {
        return Err(violation);
    }
    let message = Text::new(
        "with `List` appended, the kind `{}` has more than 63 characters: set `list_kind`",
        &[Arg::Text(kind)],
    );
    Err(Violation { message, ..violation })
}

/// [`N8`].
pub const fn list_kind_is_not_kind<'a>(kind: &'a str, list_kind: &'a str) -> Result<(), Violation<'a>> {
    if !equal(kind, list_kind) {
        return Ok(());
    }
    let message = Text::new("the list kind cannot be the kind itself: remove it to use `{}List`", &[Arg::Text(kind)]);
    let detail = "kind and listKind may not be the same";
    let server_error = invalid(detail).with_value(Arg::Quoted(list_kind));
    Err(Violation::new(&N8, message).with_server_error(server_error))
}

const fn invalid(detail: &str) -> ServerError<'_> {
    ServerError::new(ErrorType::Invalid, "", detail)
}
