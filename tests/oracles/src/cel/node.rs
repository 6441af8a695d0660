//! Random schemas, with all types that CEL sees.

use std::collections::BTreeMap;

use crdkit_core::{
    literal::cel::escaped,
    schema::{AdditionalProperties, Items, SchemaProps},
};

use super::{texts::Flavor, types::Type};
use crate::Random;

/// A schema.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its type.
    pub kind: Kind,
    /// `nullable`.
    pub is_nullable: bool,
}

/// The types of schemas.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `boolean`
    Bool,
    /// `integer`
    Int,
    /// `number`
    Double,
    /// `string`, with the texts that its values are.
    Text(Flavor),
    /// `string` with this format.
    Formatted(&'static str),
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// `x-kubernetes-preserve-unknown-fields` without a type, which rules do not see.
    Unknown,
    /// `array`
    List(ListKind, Box<Node>),
    /// `object` with `additionalProperties`
    Map(Box<Node>),
    /// `object`
    Object {
        /// `properties`
        fields: Vec<Field>,
        /// `x-kubernetes-preserve-unknown-fields`
        preserves: bool,
        /// `x-kubernetes-embedded-resource`
        is_embedded: bool,
    },
}

/// `x-kubernetes-list-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// `atomic`
    Atomic,
    /// `set`
    Set,
    /// `map`, by the field `k`.
    Map,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in the schema.
    pub name: &'static str,
    /// Its schema.
    pub node: Node,
    /// Whether it is required.
    pub is_required: bool,
}

const NAMES: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/// Names that rules have in another form, or cannot have.
const ODD_NAMES: &[&str] = &[
    "a-b",
    "a.b",
    "a/b",
    "namespace",
    "in",
    "for",
    "true",
    "_x",
    "__y",
    "self",
    "size",
    "a__b",
    "1a",
    "ü",
    "if",
    "type",
    "int",
    "has",
    "value",
    "oldSelf",
];

/// A random schema of the value that has the rules.
pub fn random_root(random: &mut Random) -> Node {
    let kind = if random.once_in(8) { any_kind(random, 2) } else { object(random, 8, 2) };
    let kind = if matches!(kind, Kind::Unknown) { Kind::Int } else { kind };
    Node { kind, is_nullable: false }
}

fn any(random: &mut Random, depth: usize) -> Node {
    Node { kind: any_kind(random, depth), is_nullable: random.once_in(12) }
}

fn any_kind(random: &mut Random, depth: usize) -> Kind {
    match random.below(if depth == 0 { 14 } else { 22 }) {
        0 | 1 => Kind::Int,
        2 | 3 => Kind::Double,
        4 => Kind::Bool,
        5 if random.once_in(3) => Kind::Unknown,
        5 => Kind::IntOrString,
        6 | 7 => Kind::Formatted(random.pick(&[
            "byte",
            "date",
            "date-time",
            "duration",
            "date-time",
            "duration",
            "uuid",
            "ipv4",
        ])),
        8..=13 => Kind::Text(Flavor::any(random)),
        14..=17 => list(random, depth - 1),
        18 | 19 => Kind::Map(Box::new(known(random, depth - 1))),
        _ => object(random, 4, depth - 1),
    }
}

/// A schema that rules see.
fn known(random: &mut Random, depth: usize) -> Node {
    let node = any(random, depth);
    if matches!(node.kind, Kind::Unknown) { Node { kind: Kind::IntOrString, ..node } } else { node }
}

fn list(random: &mut Random, depth: usize) -> Kind {
    match random.below(6) {
        0 => {
            let kind = match random.below(4) {
                0 => Kind::Int,
                1 => Kind::Formatted("duration"),
                _ => Kind::Text(Flavor::Any),
            };
            Kind::List(ListKind::Set, Box::new(Node { kind, is_nullable: false }))
        }
        1 => {
            let Kind::Object { mut fields, .. } = object(random, 3, depth) else { return Kind::Bool };
            fields.retain(|it| it.name != "k");
            let kind = if random.once_in(3) { Kind::Int } else { Kind::Text(Flavor::Name) };
            fields.push(Field { name: "k", node: Node { kind, is_nullable: false }, is_required: true });
            let items = Kind::Object { fields, preserves: false, is_embedded: false };
            Kind::List(ListKind::Map, Box::new(Node { kind: items, is_nullable: false }))
        }
        _ => Kind::List(ListKind::Atomic, Box::new(known(random, depth))),
    }
}

fn object(random: &mut Random, most: usize, depth: usize) -> Kind {
    let mut fields: Vec<Field> = Vec::new();
    for _ in 0..=random.below(most) {
        let name = if random.once_in(6) { *random.choose(ODD_NAMES) } else { *random.choose(NAMES) };
        if fields.iter().all(|it| it.name != name) {
            fields.push(Field { name, node: any(random, depth), is_required: random.once_in(4) });
        }
    }
    Kind::Object { fields, preserves: random.once_in(8), is_embedded: depth < 2 && random.once_in(8) }
}

impl Node {
    /// Whether a resource can have this schema.
    pub const fn can_be_root(&self) -> bool {
        matches!(self.kind, Kind::Object { is_embedded: false, .. })
    }

    /// The schema.
    pub fn schema(&self) -> SchemaProps<'static> {
        let typed = |type_: &'static str| SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() };
        let schema = match &self.kind {
            Kind::Bool => typed("boolean"),
            Kind::Int => typed("integer"),
            Kind::Double => typed("number"),
            Kind::Text(_) => typed("string"),
            Kind::Formatted(format) => SchemaProps { format: Some((*format).into()), ..typed("string") },
            Kind::IntOrString => SchemaProps { int_or_string: true, ..SchemaProps::default() },
            Kind::Unknown => SchemaProps { preserve_unknown_fields: Some(true), ..SchemaProps::default() },
            Kind::List(kind, items) => {
                let (list_type, list_map_keys) = match kind {
                    ListKind::Atomic => (None, Vec::new()),
                    ListKind::Set => (Some("set".into()), Vec::new()),
                    ListKind::Map => (Some("map".into()), vec!["k".into()]),
                };
                let items = Some(Items::Schema(Box::new(items.schema())));
                SchemaProps { items, list_type, list_map_keys, ..typed("array") }
            }
            Kind::Map(values) => {
                let values = AdditionalProperties::Schema(Box::new(values.schema()));
                SchemaProps { additional_properties: Some(values), ..typed("object") }
            }
            Kind::Object { fields, preserves, is_embedded } => SchemaProps {
                properties: Some(fields.iter().map(|it| (it.name.into(), it.node.schema())).collect()),
                required: fields.iter().filter(|it| it.is_required).map(|it| it.name.into()).collect(),
                preserve_unknown_fields: (*preserves || *is_embedded && fields.is_empty()).then_some(true),
                embedded_resource: *is_embedded,
                ..typed("object")
            },
        };
        SchemaProps { nullable: self.is_nullable, ..schema }
    }

    /// The flavor of the texts that it has, or that its items are.
    pub(crate) fn flavor(&self) -> Flavor {
        match &self.kind {
            Kind::Text(flavor) => *flavor,
            Kind::List(_, inner) | Kind::Map(inner) => inner.flavor(),
            _ => Flavor::Any,
        }
    }
}

/// The value that has rules, with the types of what is within.
#[derive(Debug)]
pub struct Scope {
    /// The schema.
    pub node: Node,
    /// Whether it is a resource.
    pub is_root: bool,
    /// The type of `self`.
    pub type_: Type,
    /// The fields of objects, by the names of their types.
    objects: BTreeMap<String, Vec<Member>>,
}

/// A field as rules see it.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) type_: Type,
    pub(crate) flavor: Flavor,
}

/// What a path leads to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// What follows the variable.
    pub(crate) path: String,
    pub(crate) type_: Type,
    pub(crate) flavor: Flavor,
}

impl Scope {
    /// The scope of the rules of a schema.
    pub fn of(node: Node, is_root: bool) -> Self {
        let mut objects = BTreeMap::new();
        let type_ = declare(&node, is_root, "self", &mut objects).unwrap_or_else(|| Type::named("dyn"));
        Self { node, is_root, type_, objects }
    }

    pub(crate) fn members(&self, type_: &Type) -> &[Member] {
        self.objects.get(&*type_.name).map_or(&[], Vec::as_slice)
    }

    /// The types of all objects.
    pub(crate) fn object_types(&self) -> Vec<Type> {
        self.objects.keys().map(|name| Type::named(name.clone())).collect()
    }

    /// All that a variable of a type leads to.
    pub(crate) fn places(&self, type_: &Type, flavor: Flavor) -> Vec<Place> {
        let mut all = Vec::new();
        self.add_places(&Place { path: String::new(), type_: type_.clone(), flavor }, 3, &mut all);
        all
    }

    fn add_places(&self, from: &Place, depth: usize, all: &mut Vec<Place>) {
        all.push(from.clone());
        if depth == 0 {
            return;
        }
        let mut add = |step: &str, type_: &Type, flavor| {
            let path = format!("{}{step}", from.path);
            self.add_places(&Place { path, type_: type_.clone(), flavor }, depth - 1, all);
        };
        match &*from.type_.name {
            "list" => add("[0]", &from.type_.of[0], from.flavor),
            "map" => add("['a']", &from.type_.of[1], from.flavor),
            _ => {
                for member in self.members(&from.type_) {
                    add(&format!(".{}", member.name), &member.type_, member.flavor);
                }
            }
        }
    }
}

/// Returns the type of a schema, and adds those of its objects; `None` if rules do not see it.
fn declare(node: &Node, is_root: bool, path: &str, objects: &mut BTreeMap<String, Vec<Member>>) -> Option<Type> {
    Some(match &node.kind {
        Kind::Bool => Type::named("bool"),
        Kind::Int => Type::named("int"),
        Kind::Double => Type::named("double"),
        Kind::Text(_) => Type::named("string"),
        Kind::Formatted("byte") => Type::named("bytes"),
        Kind::Formatted("date" | "date-time") => Type::named("timestamp"),
        Kind::Formatted("duration") => Type::named("duration"),
        Kind::Formatted(_) => Type::named("string"),
        Kind::IntOrString => Type::named("dyn"),
        Kind::Unknown => return None,
        Kind::List(_, items) => Type::list(declare(items, false, &format!("{path}.@idx"), objects)?),
        Kind::Map(values) => {
            Type::map(Type::named("string"), declare(values, false, &format!("{path}.@elem"), objects)?)
        }
        Kind::Object { fields, is_embedded, .. } => {
            let mut members = Vec::new();
            let is_resource = is_root || *is_embedded;
            for field in fields {
                let type_ = declare(&field.node, false, &format!("{path}.{}", field.name), objects);
                if let (Some(type_), Some(name)) = (type_, escaped(field.name)) {
                    members.push(Member { name, type_, flavor: field.node.flavor() });
                }
            }
            if is_resource {
                let text =
                    |name: &str| Member { name: name.to_owned(), type_: Type::named("string"), flavor: Flavor::Any };
                let metadata = format!("{path}.metadata");
                members.extend([text("apiVersion"), text("kind")]);
                let type_ = Type::named(metadata.clone());
                members.push(Member { name: "metadata".to_owned(), type_, flavor: Flavor::Any });
                objects.insert(metadata, vec![text("name"), text("generateName")]);
            }
            objects.insert(path.to_owned(), members);
            Type::named(path.to_owned())
        }
    })
}
