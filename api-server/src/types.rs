//! The Go types of Kubernetes' own kinds: what the server reads objects as, and writes.
//!
//! `types.txt` has them with the defaults that do not depend on other fields; `go run ./types` in `api-server/control-plane`
//! writes it, and describes its form.

use std::{collections::HashMap, sync::LazyLock};

use serde_json::{Value, json};

use super::defaults::{self, SetDefaults};

mod decode;
mod text;
mod write;

pub(super) use decode::{DecodeError, decode};
pub(super) use write::complete;

/// The index of a type in the table.
pub(super) type TypeId = usize;

/// A type of Go.
pub(super) struct GoType {
    /// Its name in messages, such as `v1.Container`.
    pub(super) name: &'static str,
    pub(super) form: Form,
}

pub(super) enum Form {
    Boolean,
    /// An integer of so many bits.
    Integer(u32),
    Float,
    Text,
    /// Bytes, which are base64 in JSON.
    Bytes,
    List(TypeId),
    Map(TypeId),
    Pointer(TypeId),
    Struct(Struct),
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any value, or one that a type of Go reads itself.
    Any,
}

pub(super) struct Struct {
    pub(super) merging: Merging,
    /// Sets the defaults that depend on other fields.
    set_defaults: Option<SetDefaults>,
    /// By their names.
    pub(super) fields: Vec<Field>,
    /// The indexes of the fields that are written though a client does not send them.
    completed: Vec<usize>,
}

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) type_: TypeId,
    pub(super) merging: Merging,
    /// The Go fields that it is inlined from, each with a dot.
    inlined: &'static str,
    /// `omitempty`, which has no effect on structs.
    is_omitted_if_empty: bool,
    /// `omitzero`.
    is_omitted_if_zero: bool,
    pub(super) default: Option<Value>,
}

/// How server-side apply merges a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merging {
    /// As others of its form: maps by keys, lists as a whole.
    Usual,
    Granular,
    Atomic,
    Set,
    /// A list by these fields of its items, with commas between.
    Keys(&'static str),
}

struct Table {
    types: Vec<GoType>,
    /// By group, version and kind.
    kinds: HashMap<(&'static str, &'static str, &'static str), TypeId>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("types.txt")));

/// Returns the type of a kind.
pub(super) fn of_kind(group: &str, version: &str, kind: &str) -> Option<TypeId> {
    TABLE.kinds.get(&(group, version, kind)).copied()
}

/// Returns a type.
pub(super) fn get(id: TypeId) -> &'static GoType {
    &TABLE.types[id]
}

impl Struct {
    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        let found = self.fields.binary_search_by(|field| field.name.cmp(name));
        found.ok().map(|index| &self.fields[index])
    }
}

impl GoType {
    /// Whether `omitempty` keeps an empty value of the type: Go has no empty structs.
    const fn is_struct(&self) -> bool {
        use Form::{Any, IntOrString, MicroTime, Quantity, Struct, Time};
        matches!(self.form, Any | IntOrString | MicroTime | Quantity | Struct(_) | Time)
    }

    /// Returns how Go writes an empty value, but for the fields of a struct.
    fn zero(&self) -> Value {
        match self.form {
            Form::Boolean => json!(false),
            Form::Integer(_) | Form::Float | Form::IntOrString => json!(0),
            Form::Text => json!(""),
            Form::Quantity => json!("0"),
            Form::Struct(_) => json!({}),
            Form::Bytes
            | Form::List(_)
            | Form::Map(_)
            | Form::Pointer(_)
            | Form::Time
            | Form::MicroTime
            | Form::Any => Value::Null,
        }
    }
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut table = Self { types: Vec::new(), kinds: HashMap::new() };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let columns: Vec<&'static str> = line.split('\t').collect();
            if let ["kind", group, version, kind, type_] = columns[..] {
                table.kinds.insert((group, version, kind), number(type_));
                continue;
            }
            let form = match columns[..] {
                ["struct", name, package, count, ref merging @ ..] => Form::Struct(Struct {
                    merging: Merging::parse(merging.first().copied().unwrap_or_default()),
                    set_defaults: defaults::of_type(package, name),
                    fields: lines.by_ref().take(number(count)).map(Field::parse).collect(),
                    completed: Vec::new(),
                }),
                _ => simple_form(&columns),
            };
            table.types.push(GoType { name: columns[1], form });
        }
        table.find_completed();
        table
    }

    fn find_completed(&mut self) {
        let is_completed = |field: &Field| {
            let is_written = if self.types[field.type_].is_struct() {
                !field.is_omitted_if_zero || matches!(self.types[field.type_].form, Form::Struct(_))
            } else {
                !field.is_omitted_if_empty
            };
            is_written || field.default.is_some()
        };
        let completed: Vec<Vec<usize>> = self
            .types
            .iter()
            .map(|type_| match &type_.form {
                Form::Struct(fields) => {
                    let fields = fields.fields.iter().enumerate();
                    fields.filter(|(_, field)| is_completed(field)).map(|(index, _)| index).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        for (type_, indexes) in self.types.iter_mut().zip(completed) {
            if let Form::Struct(fields) = &mut type_.form {
                fields.completed = indexes;
            }
        }
    }
}

impl Field {
    fn parse(line: &'static str) -> Self {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let optional = |index: usize| columns.get(index).copied().unwrap_or_default();
        let default = columns.get(3).filter(|text| !text.is_empty());
        Self {
            merging: Merging::parse(optional(4)),
            inlined: optional(5),
            name: columns[0],
            type_: number(columns[2]),
            is_omitted_if_empty: optional(1).contains('e'),
            is_omitted_if_zero: optional(1).contains('z'),
            default: default.map(|text| serde_json::from_str(text).expect("the data is valid")),
        }
    }
}

impl Merging {
    fn parse(column: &'static str) -> Self {
        match column {
            "" => Self::Usual,
            "granular" => Self::Granular,
            "atomic" => Self::Atomic,
            "set" => Self::Set,
            keys => Self::Keys(keys.strip_prefix("map:").expect("the data is valid")),
        }
    }
}

fn simple_form(columns: &[&str]) -> Form {
    match *columns {
        ["list", _, inner] => Form::List(number(inner)),
        ["map", _, inner] => Form::Map(number(inner)),
        ["pointer", _, inner] => Form::Pointer(number(inner)),
        ["bytes", _] => Form::Bytes,
        ["opaque", "v1.Time"] => Form::Time,
        ["opaque", "v1.MicroTime"] => Form::MicroTime,
        ["opaque", "resource.Quantity"] => Form::Quantity,
        ["opaque", "intstr.IntOrString"] => Form::IntOrString,
        ["opaque", _] => Form::Any,
        ["bool", _] => Form::Boolean,
        ["string", _] => Form::Text,
        ["float64", _] => Form::Float,
        [integer, _] => Form::Integer(number(integer.trim_start_matches("uint").trim_start_matches("int")) as u32),
        _ => panic!("the data is valid"),
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("the data is valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn kinds_have_types() {
        for resource in builtin::resources() {
            for version in &resource.versions {
                let found = of_kind(&resource.group, &version.spec.name, &resource.names.kind);
                assert!(found.is_some(), "{} {}", version.spec.name, resource.names.kind);
            }
        }
        let Form::Struct(deployment) = &get(of_kind("apps", "v1", "Deployment").unwrap()).form else { panic!() };
        let Form::Struct(spec) = &get(deployment.field("spec").unwrap().type_).form else { panic!() };
        assert_eq!(spec.field("replicas").unwrap().default, Some(json!(1)));
        assert!(spec.field("none").is_none());
    }
}
