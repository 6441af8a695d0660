//! The types of schemas in CEL, with the sizes of their values.

use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    format,
    string::String,
    sync::Arc,
    vec::Vec,
};

use super::{scalar::Scalar, types::Type};
use crate::{
    json::Json,
    literal::cel::escaped,
    schema::{self, AdditionalProperties, SchemaProps},
};

/// The maximum size of a request, in bytes: `MaxRequestSizeBytes` of the API server.
pub(super) const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// The maximum length of the name of a resource.
const MAX_NAME: u64 = 253;

/// The type of a schema in CEL, as `DeclType` of the API server.
#[derive(Clone, Debug)]
pub(super) struct DeclType {
    pub(super) type_: Type,
    /// The maximum number of characters, items or entries; zero for other types.
    pub(super) max_elements: u64,
    /// The size of the smallest value as JSON, in bytes.
    pub(super) min_size: u64,
    /// Whether the schema bounds the number of elements.
    pub(super) is_bounded: bool,
    pub(super) list_type: ListType,
    pub(super) is_nullable: bool,
    /// Whether there are strings whose conversion may fail, at any depth.
    pub(super) has_formats: bool,
    pub(super) inner: Inner,
}

/// How the server compares and adds lists.
#[derive(Clone, Debug)]
pub(super) enum ListType {
    Atomic,
    /// The order of the items does not matter, and `+` adds an item only once.
    Set,
    /// As a set of items with these keys, by their names in the schema.
    Map(Arc<[String]>),
}

impl ListType {
    fn of(schema: &SchemaProps<'_>) -> Self {
        match schema.list_type.as_deref() {
            Some("set") => Self::Set,
            Some("map") => Self::Map(schema.list_map_keys.iter().map(|key| key.as_ref().to_owned()).collect()),
            _ => Self::Atomic,
        }
    }

    pub(super) const fn is_keyed(&self) -> bool {
        !matches!(self, Self::Atomic)
    }
}

/// The types of nested values.
#[derive(Clone, Debug)]
pub(super) enum Inner {
    Nothing,
    Items(Box<DeclType>),
    Values(Box<DeclType>),
    /// The fields, by their names in CEL. One that has none is there by its name in the schema.
    Fields(Vec<(String, DeclType)>),
}

impl DeclType {
    /// Returns the type of a schema; `None` if it has none. `is_root` applies to resources, including embedded ones.
    pub(super) fn of(schema: &SchemaProps<'_>, is_root: bool, path: &str) -> Option<Self> {
        let declared = Self::of_present(schema, is_root, path)?;
        let has_formats = match &declared.inner {
            Inner::Nothing => matches!(declared.type_, Type::Bytes | Type::Duration | Type::Timestamp),
            Inner::Items(inner) | Inner::Values(inner) => inner.has_formats,
            Inner::Fields(fields) => fields.iter().any(|(_, field)| field.has_formats),
        };
        Some(Self { is_nullable: schema.nullable, has_formats, ..declared })
    }

    fn of_present(schema: &SchemaProps<'_>, is_root: bool, path: &str) -> Option<Self> {
        if schema.int_or_string {
            let bound = schema.max_length.map(|length| nonnegative(length) * 4);
            return Some(Self::text(Type::Dyn, bound, 1));
        }
        let type_ = schema.type_.as_deref()?;
        match type_ {
            "array" => Self::list(schema, path),
            "object" => match &schema.additional_properties {
                Some(AdditionalProperties::Schema(values)) => Self::map(schema, values, path),
                _ => Some(Self::object(schema, is_root, path)),
            },
            "string" => Some(Self::string(schema)),
            other => {
                let scalar = Scalar::of(schema::Type::from_name(Some(other)).kind(), None)?;
                Some(Self::simple(scalar.into(), if scalar == Scalar::Bool { 4 } else { 1 }))
            }
        }
    }

    fn list(schema: &SchemaProps<'_>, path: &str) -> Option<Self> {
        let items = schema.items()?;
        let items = Self::of(items, items.embedded_resource, &format!("{path}.@idx"))?;
        let bound = schema.max_items.map(nonnegative);
        Some(Self {
            type_: Type::list(items.type_.clone()),
            max_elements: bound.unwrap_or((MAX_REQUEST - 2) / (items.min_size + 1)),
            min_size: 2,
            is_bounded: bound.is_some(),
            list_type: ListType::of(schema),
            is_nullable: false,
            has_formats: false,
            inner: Inner::Items(Box::new(items)),
        })
    }

    fn map(schema: &SchemaProps<'_>, values: &SchemaProps<'_>, path: &str) -> Option<Self> {
        let values = Self::of(values, values.embedded_resource, &format!("{path}.@elem"))?;
        let bound = schema.max_properties.map(nonnegative);
        Some(Self {
            type_: Type::map(Type::String, values.type_.clone()),
            max_elements: bound.unwrap_or((MAX_REQUEST - 2) / (values.min_size + 6)),
            min_size: 2,
            is_bounded: bound.is_some(),
            list_type: ListType::Atomic,
            is_nullable: false,
            has_formats: false,
            inner: Inner::Values(Box::new(values)),
        })
    }

    fn object(schema: &SchemaProps<'_>, is_root: bool, path: &str) -> Self {
        let mut fields = Vec::new();
        let mut min_size = 2;
        for (name, property) in &*properties(schema, is_root) {
            let is_resource = property.embedded_resource;
            let Some(field) = Self::of(property, is_resource, &format!("{path}.{name}")) else {
                continue;
            };
            if schema.requires(name) && property.default.is_none() {
                min_size += name.len() as u64 + field.min_size + 4;
            }
            // Expressions cannot name the other fields, but loops and comparisons find them.
            fields.push((escaped(name).unwrap_or_else(|| name.clone().into_owned()), field));
        }
        Self { inner: Inner::Fields(fields), ..Self::simple(Type::Object(path.into()), min_size) }
    }

    fn string(schema: &SchemaProps<'_>) -> Self {
        let length = schema.max_length.map(nonnegative);
        let fixed = |type_, max_elements, min_size| Self { max_elements, ..Self::simple(type_, min_size) };
        let format = schema.format.as_deref();
        let type_ = Scalar::of_string(format);
        match type_ {
            Scalar::Bytes => Self::text(Type::Bytes, length, 2),
            Scalar::Duration => fixed(Type::Duration, 32, 3),
            Scalar::Timestamp if format == Some("date") => fixed(Type::Timestamp, 12, 12),
            Scalar::Timestamp => fixed(Type::Timestamp, 32, 21),
            _ => Self::text(type_.into(), length.map(|it| it * 4).or(longest(schema)), 2),
        }
    }

    fn text(type_: Type, bound: Option<u64>, min_size: u64) -> Self {
        Self {
            max_elements: bound.unwrap_or(MAX_REQUEST - 2),
            is_bounded: bound.is_some(),
            ..Self::simple(type_, min_size)
        }
    }

    /// Returns an object type with these fields, by their names in CEL.
    pub(super) fn object_with(name: &str, fields: Vec<(String, Self)>) -> Self {
        Self { inner: Inner::Fields(fields), ..Self::simple(Type::Object(name.into()), 2) }
    }

    /// Returns the fields that each resource has.
    pub(super) fn fields_of_resources() -> Vec<(String, Self)> {
        match Self::object(&SchemaProps::default(), true, "self").inner {
            Inner::Fields(fields) => fields,
            _ => Vec::new(),
        }
    }

    /// Returns a list type of these items.
    pub(super) fn list_of(items: Self) -> Self {
        Self { inner: Inner::Items(Box::new(items.clone())), ..Self::simple(Type::list(items.type_), 2) }
    }

    pub(super) const fn simple(type_: Type, min_size: u64) -> Self {
        Self {
            type_,
            max_elements: 0,
            min_size,
            is_bounded: true,
            list_type: ListType::Atomic,
            is_nullable: false,
            has_formats: false,
            inner: Inner::Nothing,
        }
    }

    /// Finds the object type with this name, at any depth.
    pub(super) fn object_named(&self, name: &str) -> Option<&[(String, Self)]> {
        match &self.inner {
            Inner::Nothing => None,
            Inner::Items(inner) | Inner::Values(inner) => inner.object_named(name),
            Inner::Fields(fields) => match &self.type_ {
                Type::Object(own) if **own == *name => Some(fields),
                _ => fields.iter().find_map(|(_, field)| field.object_named(name)),
            },
        }
    }
}

fn nonnegative(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Returns the length of the longest value of an `enum`, in bytes.
fn longest(schema: &SchemaProps<'_>) -> Option<u64> {
    let values = schema.enum_.as_deref().filter(|values| !values.is_empty())?;
    let lengths = values.iter().filter_map(Json::as_str).map(str::len);
    Some(lengths.max().unwrap_or(0) as u64)
}

type Properties<'a> = Vec<(Cow<'a, str>, SchemaProps<'a>)>;

/// Returns the fields of an object. A resource always has `apiVersion`, `kind` and `metadata`.
fn properties<'p>(schema: &'p SchemaProps<'p>, is_root: bool) -> Cow<'p, Properties<'p>> {
    let own = schema.properties.as_ref();
    let is =
        |schema: Option<&SchemaProps<'_>>, type_| schema.is_some_and(|schema| schema.type_.as_deref() == Some(type_));
    let metadata = schema.property("metadata");
    let part = |name| metadata.and_then(|metadata| metadata.property(name));
    let is_complete = is(schema.property("kind"), "string")
        && is(schema.property("apiVersion"), "string")
        && is(metadata, "object")
        && is(part("name"), "string")
        && is(part("generateName"), "string");
    if !is_root || is_complete {
        return own.map_or(Cow::Owned(Vec::new()), Cow::Borrowed);
    }
    let string =
        |max_length: Option<i64>| SchemaProps { type_: Some("string".into()), max_length, ..SchemaProps::default() };
    let capped = |name, limit: u64| {
        let own = part(name).and_then(|part| part.max_length);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        string(Some(own.map_or(limit, |own| own.min(limit))))
    };
    let metadata = SchemaProps {
        type_: Some("object".into()),
        properties: Some(alloc::vec![
            ("name".into(), capped("name", MAX_NAME)),
            ("generateName".into(), capped("generateName", MAX_NAME - 1)),
        ]),
        ..SchemaProps::default()
    };
    let given = ["apiVersion", "kind", "metadata"];
    let mut fields: Properties<'p> = own.into_iter().flatten().cloned().collect();
    fields.retain(|(name, _)| !given.contains(&&**name));
    fields.push(("apiVersion".into(), string(None)));
    fields.push(("kind".into(), string(None)));
    fields.push(("metadata".into(), metadata));
    Cow::Owned(fields)
}
