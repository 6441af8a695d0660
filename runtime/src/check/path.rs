//! Resolution of field paths in the schema of a resource, and what each path may lead to.

mod column;
mod field_path;
mod subresource;

pub use column::{column_type, condition, has_column_type, inferred_column_type};
pub use field_path::{field_path, field_path_of_resource};
pub use subresource::{scale_replicas, scale_selector, selectable};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Message, suggest::missing};
use crate::{
    resource::definition::{Definition, DerivedRoot, RootSchema},
    schema::{
        KubeSchema, Schema,
        walk::{Kind, Location, Member, PathStep, Value, equal, field, step_from},
    },
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
pub const fn reached(definition: &Definition, steps: &[PathStep]) -> Target {
    match resolve(definition, steps) {
        Ok(target) => target,
        Err(message) => panic!("{}", message.as_str()),
    }
}

pub(crate) const fn resolve(definition: &Definition, steps: &[PathStep]) -> Result<Target, Message> {
    let Some(PathStep::Field(first)) = steps.first() else {
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
        if let PathStep::Field(name) = steps[at] {
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
        any: if value.is_any() && !is_data { Some(Any::Itself) } else { None },
        schema: if is_data || value.is_open() { None } else { Some(value.schema) },
        format: value.format(),
        is_selectable: member.is_selectable(),
    }
}

const fn wrong(name: &str, kind: Kind, step: PathStep) -> Message {
    let lacks = match step {
        PathStep::Field(_) => " and has no fields",
        _ => " and has no items",
    };
    Message::concat(&["`", name, "` is ", kind.noun(), lacks])
}

pub(super) const fn missing_at_root(definition: &Definition, name: &str) -> Message {
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
