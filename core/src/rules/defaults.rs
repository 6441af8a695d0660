//! Defaults. The server validates each against its own schema when the definition is created.
//!
//! The server validates defaults outside of maps and branches, without applying nested defaults and without dropping nulls. CEL
//! rules are evaluated elsewhere (`E7`, `E8`).

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use crate::{
    go,
    json::Json,
    object_processing::{
        FieldError, Patterns, ValueSource, coerce_metadata, normalize_numbers, prune, validate, validate_list_types,
        validate_resources,
    },
    path::SchemaStep,
    rules::{NodeReport, report_at_node},
    schema::SchemaProps,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    E1 Error [Validate] "No default is in the `metadata`, `apiVersion` or `kind` of a resource.";
    E2 Error [Validate] "No default is in a map within the metadata of an embedded resource.";
    E3 Error [Never("J3 covers it")] "No branch has a default.";
    E4 Error [Validate] "A default has only fields of its schema.";
    E5 Error [Validate] "A default passes its own schema.";
    E6 Error [Validate] "A default of an embedded resource is a valid resource.";
    E7 Error [Validate] "A default passes the rules of its own schema.";
    E8 Error [Validate] "The rules for defaults do not exceed the run-time cost limit.";
    E9 Defect [Validate] "A default passes its own schema as it is applied to objects, also where the server does not validate defaults.";
}

/// The position of a node relative to a resource's `apiVersion`, `kind` and `metadata`.
#[derive(Clone, Copy, PartialEq)]
enum Meta<'a> {
    /// Outside of these fields.
    Outside,
    /// Within these fields of an embedded resource.
    ElementStep,
    /// Within this field of the root resource.
    TopLevel(&'a str),
    /// A map within metadata.
    Map,
}

impl<'a> Meta<'a> {
    fn of(node: &Node<'a, '_>) -> Self {
        let Some((parent, step)) = node.parent.zip(node.step()) else {
            return Self::Outside;
        };
        let around = Meta::of(parent);
        match step {
            SchemaStep::Values if around != Self::Outside => Self::Map,
            SchemaStep::Property(name) if is_meta(name) && parent.is_root() => Self::TopLevel(name),
            SchemaStep::Property(name) if is_meta(name) && parent.schema.embedded_resource => match around {
                Self::Outside => Self::ElementStep,
                around => around,
            },
            _ => around,
        }
    }
}

fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let Some(default) = &node.schema.default else {
        return;
    };
    match Meta::of(node) {
        Meta::TopLevel(name) => report_at_node(node, Err(default_in_resource_field(name)), report),
        Meta::Map => report_at_node(node, Err(default_in_metadata_map()), report),
        Meta::Outside | Meta::ElementStep => {}
    }
    if node.in_junctor {
        return;
    }
    let found = if is_validated(node) { validate_default(node, default) } else { DefaultErrors::default() };
    let mut is_wrong = false;
    if !found.unknown.is_empty() {
        is_wrong = true;
        let unknown = found.unknown.join("`, `");
        report_at_node(node, Err(unknown_fields(&unknown, &found.quoted)), report);
    }
    for (rule, finding) in found.all() {
        is_wrong = true;
        report_error(rule, finding, default, &mut |violation| report(node, violation));
    }
    if !is_wrong {
        check_as_object(node, default, report);
    }
}

/// The errors of a default.
#[derive(Default)]
struct DefaultErrors {
    /// The paths of fields that are not in the schema.
    unknown: Vec<String>,
    /// The default as the server quotes it, with coerced metadata.
    quoted: String,
    of_resources: Vec<FieldError>,
    of_schema: Vec<FieldError>,
}

impl DefaultErrors {
    /// Returns the errors with their rules, each path once.
    fn all(&self) -> impl Iterator<Item = (&'static crate::Rule, &FieldError)> {
        let is_new = |finding: &&FieldError| !self.of_resources.iter().any(|it| it.place == finding.place);
        let of_resources = self.of_resources.iter().map(|it| (&E6, it));
        of_resources.chain(self.of_schema.iter().filter(is_new).map(|it| (&E5, it)))
    }
}

fn validate_default(node: &Node<'_, '_>, default: &Json<'_>) -> DefaultErrors {
    let patterns = Patterns::default();
    let schema = resource(node);
    if let Some((root, whole)) = enclosing_resource(node, default) {
        return DefaultErrors {
            of_resources: validate_enclosing(&resource(root), &whole),
            of_schema: validate(&schema, default, ValueSource::Default, &patterns),
            ..DefaultErrors::default()
        };
    }
    let mut value = default.clone();
    let unknown = prune(&schema, &mut value);
    let mut coerced = default.clone();
    coerce_metadata(&schema, &mut coerced);
    DefaultErrors {
        unknown,
        quoted: go::quoted(&coerced),
        of_resources: validate_resources(&schema, &coerced),
        of_schema: validate(&schema, &coerced, ValueSource::Default, &patterns),
    }
}

/// Returns the schema of a node, marked as a resource at the root.
fn resource<'n, 's>(node: &Node<'n, 's>) -> Cow<'n, SchemaProps<'s>> {
    if !node.is_root() || node.schema.embedded_resource {
        return Cow::Borrowed(node.schema);
    }
    let mut root = node.schema.clone();
    root.embedded_resource = true;
    Cow::Owned(root)
}

/// If a default is in `apiVersion`, `kind` or `metadata`, returns the enclosing resource and a value with only the default.
fn enclosing_resource<'n, 's>(node: &'n Node<'n, 's>, default: &Json<'s>) -> Option<(&'n Node<'n, 's>, Json<'s>)> {
    if node.schema.embedded_resource {
        return None;
    }
    let mut whole = default.clone();
    let mut at = node;
    loop {
        let (parent, step) = at.parent.zip(at.step())?;
        whole = match step {
            SchemaStep::Property(name) => {
                let name = Cow::Owned(name.into());
                Json::Object([(name, whole)].into())
            }
            _ => Json::Array([whole].into()),
        };
        if parent.is_root() || parent.schema.embedded_resource {
            let is_meta = matches!(step, SchemaStep::Property(name) if is_meta(name));
            return is_meta.then_some((parent, whole));
        }
        at = parent;
    }
}

/// Validates a resource with only one part, and returns the errors as one error about that part.
fn validate_enclosing(schema: &SchemaProps<'_>, whole: &Json<'_>) -> Vec<FieldError> {
    let mut whole = whole.clone();
    if let Json::Object(members) = &mut whole {
        for (name, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
            if !members.iter().any(|(member, _)| member == name) {
                members.push((name.into(), Json::String(value.into())));
            }
        }
    }
    coerce_metadata(schema, &mut whole);
    let errors = validate_resources(schema, &whole);
    let texts: Vec<_> = errors.iter().map(|it| format!("{it}")).collect();
    let detail = match &*texts {
        [] => return Vec::new(),
        [one] => format!("must result in valid metadata: {one}"),
        all => format!("must result in valid metadata: [{}]", all.join(", ")),
    };
    [FieldError { place: String::new(), kind: ErrorType::Invalid, value: None, detail }].into()
}

/// Reports an error of a default.
fn report_error(
    rule: &'static crate::Rule,
    finding: &FieldError,
    default: &Json<'_>,
    report: &mut dyn FnMut(&Violation<'_>),
) {
    let is_whole = finding.place.is_empty();
    let value = match (&finding.value, is_whole && rule.id == E6.id) {
        (None, true) => Some(go::quoted(default)),
        (value, _) => value.clone(),
    };
    let reason = reason(finding);
    let shown = format!("{default}");
    let place = finding.place.trim_start_matches('.');
    let args = [Arg::Text(&shown), Arg::Text(place), Arg::Text(&reason)];
    let message = if is_whole {
        Text::new("the default `{}` does not match its own schema: it {}", &[args[0], args[2]])
    } else {
        Text::new("the default `{}` does not match its own schema: `{}` {}", &args)
    };
    let mut server_error = ServerError::new(finding.kind, "", "");
    server_error.field = Text::new(".default{}", &[Arg::Text(&finding.place)]);
    if !finding.detail.is_empty() {
        server_error.detail = Text::new("{}", &[Arg::Text(&finding.detail)]);
    }
    if let Some(value) = &value {
        server_error = server_error.with_value(Arg::Text(value));
    }
    report(&Violation::new(rule, message).with_server_error(server_error));
}

/// Returns the end of the sentence that starts with the path.
fn reason(finding: &FieldError) -> String {
    match finding.kind {
        ErrorType::Required => "is missing".into(),
        ErrorType::NotSupported => {
            let values = finding.detail.trim_start_matches("supported values: ");
            format!("is not among the values of the `enum`: {values}")
        }
        ErrorType::TooLong => finding.detail.replace("byte", "character"),
        ErrorType::Duplicate => "is repeated in its list".into(),
        ErrorType::TooMany => finding.detail.clone(),
        _ => match finding.detail.split_once(" in body ") {
            Some((_, reason)) => reason.into(),
            None => format!("is invalid: {}", finding.detail),
        },
    }
}

/// [`E1`].
pub const fn default_in_resource_field(field: &str) -> Violation<'_> {
    let message = Text::new("the server sets `{}` of a resource: remove the default", &[Arg::Text(field)]);
    let mut server_error = ServerError::new(ErrorType::Forbidden, ".default", "");
    server_error.detail = Text::new("must not be set in top-level {}", &[Arg::Text(field)]);
    Violation::new(&E1, message).with_server_error(server_error)
}

/// [`E2`].
pub const fn default_in_metadata_map<'a>() -> Violation<'a> {
    let message = Text::literal("the values of a map in metadata cannot have a default: remove it");
    let detail = "must not be set inside additionalProperties applying to object metadata";
    let server_error = ServerError::new(ErrorType::Forbidden, ".default", detail);
    Violation::new(&E2, message).with_server_error(server_error)
}

fn unknown_fields<'a>(unknown: &'a str, default: &'a str) -> Violation<'a> {
    let message = Text::new("the default has fields that are not in its schema: `{}`", &[Arg::Text(unknown)]);
    let server_error = ServerError::new(ErrorType::Invalid, ".default", "must not have unknown fields");
    Violation::new(&E4, message).with_server_error(server_error.with_value(Arg::Text(default)))
}

/// [`E7`], with the error of the server: its kind, the path within the default, the quoted value, and the detail.
pub fn broken_rule<'a>(kind: ErrorType, place: &'a str, value: Option<&'a str>, detail: &'a str) -> Violation<'a> {
    let message = Text::new("the default breaks a rule of its own schema: {}", &[Arg::Text(detail)]);
    Violation::new(&E7, message).with_server_error(rule_error(kind, place, value, detail))
}

/// [`E8`], for the rule that exceeds the limit, with the type of the value in quotes.
pub fn exceeded_budget<'a>(place: &'a str, type_: &'a str) -> Violation<'a> {
    let message = "the rules that the defaults of this version must pass cost more than 10,000,000 in total: shorten the defaults, \
                   or simplify the rules";
    Violation::new(&E8, Text::new(message, &[])).with_server_error(rule_error(
        ErrorType::Invalid,
        place,
        Some(type_),
        OUT_OF_BUDGET,
    ))
}

/// The server's text for rules that cost more than their budget in total.
pub const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

fn rule_error<'a>(kind: ErrorType, place: &'a str, value: Option<&'a str>, detail: &'a str) -> ServerError<'a> {
    let mut server_error = ServerError::new(kind, "", "");
    server_error.field = Text::new(".default{}", &[Arg::Text(place)]);
    if !matches!(kind, ErrorType::Duplicate) {
        server_error.detail = Text::new("{}", &[Arg::Text(detail)]);
    }
    server_error.value = value.map(Arg::Text);
    server_error
}

/// Whether the server validates the default of a node, which it does outside of maps and branches.
pub fn is_validated(node: &Node<'_, '_>) -> bool {
    node.schema.default.is_some() && !node.in_junctor && !node.is_in_map()
}

/// Checks a default that the server accepts as part of an object: whole numbers become integers, and duplicate items of lists
/// are errors.
fn check_as_object(node: &Node<'_, '_>, default: &Json<'_>, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    let mut value = default.clone();
    normalize_numbers(&mut value);
    if let Some(unknown) = prune(schema, &mut value.clone()).first() {
        let message = Text::new(
            "the server accepts the default, but drops `{}`, which is not a field of its schema",
            &[Arg::Text(unknown)],
        );
        report_at_node(node, Err(Violation::new(&E9, message)), report);
    }
    let mut errors = validate(schema, &value, ValueSource::Object, &Patterns::default());
    errors.extend(validate_resources(schema, &value));
    errors.extend(validate_list_types(schema, &value));
    if let Some(finding) = errors.first() {
        let shown = format!("{value}");
        let reason = reason(finding);
        let place = match finding.place.trim_start_matches('.') {
            "" => "it",
            place => place,
        };
        let message = Text::new(
            "the server accepts the default `{}`, but rejects every object that has it: {} {}",
            &[Arg::Text(&shown), Arg::Text(place), Arg::Text(&reason)],
        );
        report_at_node(node, Err(Violation::new(&E9, message)), report);
    }
}

#[cfg(test)]
mod tests;
