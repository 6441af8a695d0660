//! Printer columns: `printcolumn` on the type and `column` on a field.

use crdkit_core::json::Json;
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Meta, MetaNameValue};

use self::{
    column_attrs::{ColumnAttrs, ColumnPlace},
    values::ColumnName,
};
use super::{
    items, json,
    json_path::JsonPath,
    key::keys,
    text::{FromText, Text},
};

mod column_attrs;
mod values;

pub(crate) use values::{ColumnFormat, ColumnType};

/// `printcolumn(...)`.
#[derive(Clone, Debug)]
pub(crate) enum PrintColumn {
    /// A column with an explicit path.
    Path(PathColumn),
    /// `printcolumn(age)`, with its span.
    Age(Span),
    /// `printcolumn(condition = "Ready")`.
    Condition(ConditionColumn),
}

/// A column with an explicit path, name and type.
#[derive(Clone, Debug)]
pub(crate) struct PathColumn {
    pub(crate) name: Text,
    /// If it is missing, it is inferred from the value at the path.
    pub(crate) type_: Option<ColumnType>,
    pub(crate) json_path: JsonPath,
    pub(crate) options: ColumnOptions,
}

/// A column that shows the status of a condition.
#[derive(Clone, Debug)]
pub(crate) struct ConditionColumn {
    pub(crate) condition: Text,
    pub(crate) name: Option<Text>,
    pub(crate) options: ColumnOptions,
}

/// `column` or `column(...)` on a field.
#[derive(Clone, Debug)]
pub(crate) struct FieldColumn {
    pub(crate) name: Option<Text>,
    pub(crate) options: ColumnOptions,
    pub(crate) span: Span,
}

/// The options that all columns have.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnOptions {
    pub(crate) description: Option<Text>,
    pub(crate) format: Option<ColumnFormat>,
    pub(crate) priority: Option<i32>,
}

/// `printcolumn` in the forms of kube-derive: a list of keys, or JSON in a string.
#[derive(Clone, Debug)]
pub(crate) struct KubePrintColumn(pub(crate) PathColumn);

impl FromMeta for KubePrintColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        let column = match item {
            Meta::List(list) => {
                let mut errors = Error::accumulator();
                let items = items::parse_list(list, &mut errors);
                ColumnAttrs::parse(items, ColumnPlace::Kube, &mut errors).path_column(item, errors)
            }
            Meta::NameValue(value) => json_column(item, value),
            Meta::Path(_) => Err(expected(item)),
        };
        column.map(Self)
    }
}

impl FromMeta for PrintColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::List(list) => {
                let mut errors = Error::accumulator();
                let items = items::parse_list(list, &mut errors);
                ColumnAttrs::parse(items, ColumnPlace::Crd, &mut errors).column(item, errors)
            }
            Meta::NameValue(value) => json_column(item, value).map(Self::Path),
            Meta::Path(_) => Err(expected(item)),
        }
    }
}

keys! {
    /// The keys of the JSON form.
    JsonKey {
        Name = "name",
        Type = "type",
        JsonPath = "jsonPath",
        Description = "description",
        Format = "format",
        Priority = "priority",
    }
}

fn expected(item: &Meta) -> Error {
    Error::custom("expected `printcolumn(name = \"Replicas\", json_path = \".spec.replicas\")`").with_span(item)
}

/// A column as JSON, with the fields that it has in a CustomResourceDefinition.
fn json_column(item: &Meta, value: &MetaNameValue) -> Result<PathColumn> {
    let text = Text::literal(&value.value).ok_or_else(|| expected(item))?;
    let object = json::object(&text)?;
    let string = |key| json::string(&object, key, &text);
    let required_string = |key| json::required_string(&object, key, &text);
    Ok(PathColumn {
        name: ColumnName::from_text(required_string(JsonKey::Name)?)?.0,
        type_: Some(ColumnType::from_text(required_string(JsonKey::Type)?)?),
        json_path: JsonPath::from_text(required_string(JsonKey::JsonPath)?)?,
        options: ColumnOptions {
            description: string(JsonKey::Description)?,
            format: string(JsonKey::Format)?.map(ColumnFormat::from_text).transpose()?,
            priority: json_priority(&object, &text)?,
        },
    })
}

fn json_priority(object: &json::JsonMembers<JsonKey>, text: &Text) -> Result<Option<i32>> {
    let priority = |value: &Json| match value {
        Json::Integer(value) => i32::try_from(*value).ok(),
        _ => None,
    };
    let Some(value) = object.get(JsonKey::Priority) else {
        return Ok(None);
    };
    let message = || format!("the priority {value} is not a 32-bit integer");
    priority(value).map(Some).ok_or_else(|| Error::custom(message()).with_span(&text.span()))
}

impl FromMeta for FieldColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        let mut errors = Error::accumulator();
        let attrs = match item {
            Meta::List(list) => {
                let items = items::parse_list(list, &mut errors);
                ColumnAttrs::parse(items, ColumnPlace::Field, &mut errors)
            }
            Meta::Path(_) => ColumnAttrs::default(),
            Meta::NameValue(_) => {
                errors.push(Error::custom("expected `column` or `column(name = \"...\", ...)`").with_span(item));
                ColumnAttrs::default()
            }
        };
        errors.finish_with(Self {
            name: attrs.name.map(|name| name.0),
            options: attrs.options,
            span: syn::spanned::Spanned::span(item.path()),
        })
    }
}
