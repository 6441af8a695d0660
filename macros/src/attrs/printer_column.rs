//! Printer columns: `printcolumn` on the type, `column` on a field.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use serde_json::{Map, Value};
use syn::{Meta, MetaNameValue};

use self::{
    parts::{FIELD_KEYS, PATH_KEYS, Parts, TYPE_KEYS},
    values::ColumnName,
};
use super::{
    items, json,
    json_path::JsonPath,
    text::{FromText, Text},
};

mod parts;
mod values;

pub(crate) use values::{ColumnFormat, ColumnType};

/// `printcolumn(...)`.
#[derive(Clone, Debug)]
pub(crate) enum PrintColumn {
    /// A path and what it shows.
    Path(PathColumn),
    /// `printcolumn(age)`, and where it stands.
    Age(Span),
    /// `printcolumn(condition = "Ready")`.
    Condition(ConditionColumn),
}

/// A column that names its path.
#[derive(Clone, Debug)]
pub(crate) struct PathColumn {
    pub(crate) name: Text,
    /// If there is none, the type is that of what the path leads to.
    pub(crate) type_: Option<ColumnType>,
    pub(crate) json_path: JsonPath,
    pub(crate) look: Look,
}

/// A column that shows the status of a condition.
#[derive(Clone, Debug)]
pub(crate) struct ConditionColumn {
    pub(crate) condition: Text,
    pub(crate) name: Option<Text>,
    pub(crate) look: Look,
}

/// `column` or `column(...)` on a field.
#[derive(Clone, Debug)]
pub(crate) struct FieldColumn {
    pub(crate) name: Option<Text>,
    pub(crate) look: Look,
    pub(crate) span: Span,
}

/// What every column may say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) description: Option<Text>,
    pub(crate) format: Option<ColumnFormat>,
    pub(crate) priority: Option<i32>,
}

/// `printcolumn` as kube-derive has it: a list of keys, or JSON in a string.
#[derive(Clone, Debug)]
pub(crate) struct KubePrintColumn(pub(crate) PathColumn);

impl FromMeta for KubePrintColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        let column = match item {
            Meta::List(list) => {
                let mut errors = Error::accumulator();
                let items = items::of_list(list, &mut errors);
                Parts::parse(items, PATH_KEYS, &mut errors).path_column(item, errors)
            }
            Meta::NameValue(value) => json_column(item, value),
            Meta::Path(_) => Err(form(item)),
        };
        column.map(Self)
    }
}

impl FromMeta for PrintColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::List(list) => {
                let mut errors = Error::accumulator();
                let items = items::of_list(list, &mut errors);
                Parts::parse(items, TYPE_KEYS, &mut errors).column(item, errors)
            }
            Meta::NameValue(value) => json_column(item, value).map(Self::Path),
            Meta::Path(_) => Err(form(item)),
        }
    }
}

const JSON_KEYS: &[&str] = &["name", "type", "jsonPath", "description", "format", "priority"];

fn form(item: &Meta) -> Error {
    Error::custom("expected `printcolumn(name = \"Replicas\", json_path = \".spec.replicas\")`").with_span(item)
}

/// The raw form: the members of a CustomResourceDefinition's column as JSON.
fn json_column(item: &Meta, value: &MetaNameValue) -> Result<PathColumn> {
    let text = Text::literal(&value.value).ok_or_else(|| form(item))?;
    let object = json::object(&text, JSON_KEYS)?;
    let string = |key: &str| json::string(&object, key, &text);
    let needed = |key: &str| json::needed(&object, key, &text);
    Ok(PathColumn {
        name: ColumnName::from_text(needed("name")?)?.0,
        type_: Some(ColumnType::from_text(needed("type")?)?),
        json_path: JsonPath::from_text(needed("jsonPath")?)?,
        look: Look {
            description: string("description")?,
            format: string("format")?.map(ColumnFormat::from_text).transpose()?,
            priority: json_priority(&object, &text)?,
        },
    })
}

fn json_priority(object: &Map<String, Value>, text: &Text) -> Result<Option<i32>> {
    match object.get("priority") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_i64().and_then(|value| i32::try_from(value).ok()).map(Some).ok_or_else(|| {
            Error::custom(format!("the priority {value} is not a 32-bit integer")).with_span(&text.span())
        }),
    }
}

impl FromMeta for FieldColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        let mut errors = Error::accumulator();
        let parts = match item {
            Meta::List(list) => {
                let items = items::of_list(list, &mut errors);
                Parts::parse(items, FIELD_KEYS, &mut errors)
            }
            Meta::Path(_) => Parts::default(),
            Meta::NameValue(_) => {
                errors.push(Error::custom("expected `column` or `column(name = \"...\", ...)`").with_span(item));
                Parts::default()
            }
        };
        errors.finish_with(Self {
            name: parts.name.map(|name| name.0),
            look: parts.look,
            span: syn::spanned::Spanned::span(item.path()),
        })
    }
}
