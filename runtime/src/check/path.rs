//! Resolution of field paths in the schema of a resource.

use crdkit_core::rules::{
    column_targets::{ColumnValue, x47},
    definition_lints::{ScalePath, x48},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Message, keyword::Subject, of_rule, suggest::missing};
use crate::schema::walk::{Kind, Location, Member, Step, Value, equal, field, references_error, step_from};
use crate::{
    definition::{Definition, DerivedRoot, RootSchema},
    schema::{KubeSchema, Schema},
};

/// The target of a path.
#[derive(Clone, Copy)]
pub struct Target {
    pub(crate) kind: Kind,
    /// Whether the target is, or is inside, a value of any type.
    any: Option<Any>,
    /// The schema, if it is known; used by selectors.
    #[cfg_attr(not(feature = "client"), allow(dead_code))]
    pub(crate) schema: Option<&'static Schema>,
    format: Option<&'static str>,
    /// Whether the field is marked selectable.
    pub(crate) is_selectable: bool,
}

/// How a value of any type is involved in a path.
#[derive(Clone, Copy)]
enum Any {
    /// The path leads to such a value.
    Itself,
    /// The path leads into such a value.
    Inside,
}

const OPAQUE: Target = Target { kind: Kind::Opaque, any: None, schema: None, format: None, is_selectable: false };

/// Returns the target of a path in a resource.
///
/// # Panics
///
/// If the path does not exist.
#[track_caller]
pub const fn reached(definition: &Definition, steps: &[Step]) -> Target {
    match resolve(definition, steps) {
        Ok(target) => target,
        Err(message) => panic!("{}", message.as_str()),
    }
}

/// Returns the type of a printer column without `type_`. If it cannot be inferred, the check of the column fails.
pub const fn inferred_column_type(definition: &Definition, steps: &[Step]) -> &'static str {
    match resolve(definition, steps) {
        Ok(target) => target.column_value().column_type(),
        Err(_) => "string",
    }
}

/// Checks that the target has the type of a printer column.
pub const fn has_column_type(definition: &Definition, target: Target) -> Result<(), Message> {
    let found = match target {
        Target { any: Some(_), .. } => "any value",
        Target { kind: Kind::Opaque, .. } => "a value whose type is not known while compiling",
        Target { kind: Kind::List | Kind::Map | Kind::Object, .. } => target.kind.name(),
        _ => return Ok(()),
    };
    match derive_failed(definition) {
        true => Ok(()),
        false => Err(Message::concat(&[
            "the type of the column cannot be inferred, as the path leads to ",
            found,
            ": add `type_ = \"string\"`, or another type",
        ])),
    }
}

/// Returns whether the derive of the spec or of the status has reported an error.
const fn derive_failed(definition: &Definition) -> bool {
    match &definition.schema {
        RootSchema::Derived(DerivedRoot { spec, status: Some(status), .. }) => {
            references_error(spec) || references_error(status)
        }
        RootSchema::Derived(DerivedRoot { spec, .. }) => references_error(spec),
        _ => false,
    }
}

/// Checks that a printer column of this type can show the target.
pub const fn column_type(target: Target, type_: &str, path: &str) -> Result<(), Message> {
    of_rule(x47(type_, path, target.column_value()))
}

impl Target {
    const fn column_value(&self) -> ColumnValue<'static> {
        ColumnValue { kind: self.kind, format: self.format }
    }
}

/// Checks that the server can select objects by the field at the path.
pub const fn selectable(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    if let [Step::Field(name)] = steps
        && (equal(name, "apiVersion") || equal(name, "kind"))
    {
        return Err(Message::concat(&[
            "`",
            name,
            "` is the same in all objects of a kind: select by a field of the spec or the status",
        ]));
    }
    match resolve(definition, steps) {
        Ok(target) if target.is_selectable => {
            Err(Message::concat(&["the field is already marked `#[crd(selectable)]`: remove one of the two"]))
        }
        Ok(Target { any: Some(Any::Inside), .. }) => Err(Message::concat(&[
            "the path leads into a value of any type, which has no selectable fields: give it a type, or move the \
             field out of it",
        ])),
        Ok(target) => super::field::selectable_kind(target.kind, matches!(target.any, Some(Any::Itself))),
        Err(message) => Err(message),
    }
}

/// Checks that the field at the path can be a replica count of the scale subresource.
pub const fn scale_replicas(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => of_rule(x48("", ScalePath::Replicas, target.kind)),
        Err(message) => Err(message),
    }
}

/// Checks that the field at the path can be the label selector of the scale subresource.
pub const fn scale_selector(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => of_rule(x48("", ScalePath::LabelSelector, target.kind)),
        Err(message) => Err(message),
    }
}

/// Whether the path leads to a status without a schema, which another component writes.
const fn leads_to_undeclared_status(definition: &Definition, steps: &[Step]) -> bool {
    match steps.first() {
        Some(Step::Field(name)) => !definition.status && equal(name, "status"),
        _ => false,
    }
}

/// Checks that the status has conditions.
pub const fn condition(definition: &Definition) -> Result<(), Message> {
    const fn to(last: &'static str) -> [Step; 4] {
        [Step::Field("status"), Step::Field("conditions"), Step::Items, Step::Field(last)]
    }
    match (resolve(definition, &to("type")), resolve(definition, &to("status"))) {
        (Ok(_), Ok(_)) => Ok(()),
        (Err(message), _) | (_, Err(message)) => {
            Err(message
                .then(". A condition column requires the field `status.conditions` of the type `Vec<Condition>`"))
        }
    }
}

/// Checks the `fieldPath` of a rule, relative to the value that the rule is specified on.
///
/// See the API server's rule on `fieldPath`.
pub const fn field_path(subject: Subject, steps: &[&'static str]) -> Result<(), Message> {
    match subject.is_known {
        true => below(Location::At(Member::of(subject)), steps),
        false => Ok(()),
    }
}

/// Checks the `fieldPath` of a rule on the resource.
pub const fn field_path_of_resource(definition: &Definition, steps: &[&'static str]) -> Result<(), Message> {
    let [first, rest @ ..] = steps else {
        return Ok(());
    };
    if equal(first, "apiVersion") || equal(first, "kind") || equal(first, "metadata") {
        return Err(Message::concat(&[
            "the schema of a resource does not declare `",
            first,
            "`: use a field of the spec or the status",
        ]));
    }
    match from_root(definition, first) {
        Location::MissingAtRoot if is_in_spec(definition, first) => Err(Message::concat(&[
            "the rule applies to `",
            definition.kind,
            "`, not to its spec: write `.spec.",
            first,
            "`",
        ])),
        Location::MissingAtRoot => Err(missing_at_root(definition, first)),
        place => below(place, rest),
    }
}

const fn is_in_spec(definition: &Definition, name: &str) -> bool {
    match definition.schema {
        RootSchema::Derived(root) => matches!(of_spec(&root, name), Location::At(_)),
        _ => false,
    }
}

const fn below(mut place: Location, steps: &[&'static str]) -> Result<(), Message> {
    let mut at = 0;
    while at < steps.len() {
        place = match step_from(&place, Step::Field(steps[at])) {
            Some(place) => place,
            None => return Ok(()),
        };
        match place {
            Location::Missing(object) => return Err(missing(object, steps[at])),
            Location::Wrong(kind) => {
                return Err(match kind {
                    Kind::List => Message::concat(&[
                        "a field path cannot lead into a list: end it before `",
                        steps[at],
                        "`, or write the rule on the items",
                    ]),
                    kind => Message::concat(&[kind.name(), " has no field `", steps[at], "`"]),
                });
            }
            Location::Any => {
                return Err(Message::concat(&[
                    "the schema declares no field `",
                    steps[at],
                    "`, because its parent can be any value: end the path before it",
                ]));
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

pub(crate) const fn resolve(definition: &Definition, steps: &[Step]) -> Result<Target, Message> {
    let Some(Step::Field(first)) = steps.first() else {
        return Ok(OPAQUE);
    };
    let mut place = from_root(definition, first);
    let mut at = 1;
    let mut reached = *first;
    while at < steps.len() {
        place = match step_from(&place, steps[at]) {
            Some(place) => place,
            None => break,
        };
        if let Location::Wrong(kind) = place {
            return Err(wrong(reached, kind, steps[at]));
        }
        if let Step::Field(name) = steps[at] {
            reached = name;
        }
        at += 1;
    }
    match place {
        Location::At(member) => Ok(target(&member)),
        Location::Missing(object) => Err(missing(object, reached)),
        Location::MissingAtRoot => Err(missing_at_root(definition, reached)),
        Location::Any => Ok(Target { any: Some(Any::Inside), ..OPAQUE }),
        Location::Opaque | Location::Wrong(_) => Ok(OPAQUE),
    }
}

const fn target(member: &Member) -> Target {
    let value = &member.value;
    let is_data = member.data_of.is_some();
    Target {
        kind: member.kind(),
        any: match value.is_any() && !is_data {
            true => Some(Any::Itself),
            false => None,
        },
        schema: match is_data || value.is_open() {
            true => None,
            false => Some(value.schema),
        },
        format: value.format(),
        is_selectable: member.is_selectable(),
    }
}

const fn wrong(name: &str, kind: Kind, step: Step) -> Message {
    let lacks = match step {
        Step::Field(_) => " and has no fields",
        _ => " and has no items",
    };
    Message::concat(&["`", name, "` is ", kind.name(), lacks])
}

const fn missing_at_root(definition: &Definition, name: &str) -> Message {
    let message = Message::concat(&["`", definition.kind, "` has no field `", name, "`"]);
    if equal(name, "status") {
        return message.then(": declare one with `status = \"...\"`");
    }
    match definition.schema {
        RootSchema::Derived(root) if root.status.is_some() => message.then("; it has `metadata`, `spec` and `status`"),
        _ => message.then("; it has `metadata` and `spec`"),
    }
}

/// Returns the location of a field of the root object.
pub(crate) const fn from_root(definition: &Definition, name: &str) -> Location {
    let RootSchema::Derived(root) = &definition.schema else {
        return Location::Opaque;
    };
    if equal(name, "metadata") {
        return at(ObjectMeta::SCHEMA_REF);
    }
    if equal(name, "apiVersion") || equal(name, "kind") {
        return at(<String as KubeSchema>::SCHEMA_REF);
    }
    if equal(name, "status")
        && let Some(status) = root.status
    {
        return at(status);
    }
    from_spec(root, name)
}

const fn from_spec(root: &DerivedRoot, name: &str) -> Location {
    if root.flatten_spec {
        return of_spec(root, name);
    }
    if equal(name, "spec") {
        return at(root.spec);
    }
    Location::MissingAtRoot
}

const fn of_spec(root: &DerivedRoot, name: &str) -> Location {
    field(&Value::of(root.spec), name)
}

const fn at(schema: &'static Schema) -> Location {
    Location::At(Member::of(Value::of(schema)))
}
