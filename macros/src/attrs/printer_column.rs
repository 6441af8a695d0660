//! Printer columns: `printcolumn` on the type, `column` on a field.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use proc_macro2::Span;
use syn::{Lit, Meta};

use super::{
    Errors, items,
    json_path::JsonPath,
    text::{Checked, Text},
};

/// `printcolumn(...)`.
#[derive(Clone, Debug)]
pub(crate) enum PrintColumn {
    /// A path and what it shows.
    Path(PathColumn),
    /// `printcolumn(age)`.
    Age,
    /// `printcolumn(condition = "Ready")`.
    Condition(ConditionColumn),
}

/// A column that names its path.
#[derive(Clone, Debug)]
pub(crate) struct PathColumn {
    pub(crate) name: Text,
    pub(crate) type_: ColumnType,
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

/// The `type` of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnType(pub(crate) Text);

/// The `format` of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFormat(pub(crate) Text);

const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

impl FromMeta for ColumnType {
    fn from_value(lit: &Lit) -> Result<Self> {
        Text::checked(lit, |text| one_of("column type", text, TYPES)).map(Self)
    }
}

impl FromMeta for ColumnFormat {
    fn from_value(lit: &Lit) -> Result<Self> {
        Text::checked(lit, |text| one_of("column format", text, FORMATS)).map(Self)
    }
}

fn one_of(what: &str, text: &str, allowed: &[&str]) -> Checked<()> {
    if allowed.contains(&text) {
        return Ok(());
    }
    Err(format!(
        "`{text}` is not a {what}: expected one of `{}`",
        allowed.join("`, `")
    ))
}

/// A column's items before it is known which form they make up.
#[derive(Default)]
struct Parts {
    name: Option<ColumnName>,
    type_: Option<ColumnType>,
    json_path: Option<JsonPath>,
    condition: Option<Text>,
    age: Option<super::text::Word>,
    look: Look,
}

/// The header of a column.
#[derive(Clone, Debug)]
struct ColumnName(Text);

impl FromMeta for ColumnName {
    fn from_value(lit: &Lit) -> Result<Self> {
        Text::checked(lit, |text| {
            if text.is_empty() {
                Err("the name of the column is empty".to_owned())
            } else {
                Ok(())
            }
        })
        .map(Self)
    }
}

impl Parts {
    fn parse(nested: &[NestedMeta], known: &[&str], errors: &mut Errors) -> Self {
        let mut parts = Self::default();
        for item in &items::metas(nested, errors) {
            let key = items::name(item);
            if !known.contains(&key.as_str()) {
                errors.push(items::unknown(item, known));
                continue;
            }
            parts.read(&key, item, errors);
        }
        parts
    }

    fn read(&mut self, key: &str, item: &Meta, errors: &mut Errors) {
        match key {
            "name" => items::once(&mut self.name, item, errors),
            "type_" | "type" => items::once(&mut self.type_, item, errors),
            "json_path" => items::once(&mut self.json_path, item, errors),
            "condition" => items::once(&mut self.condition, item, errors),
            "age" => items::once(&mut self.age, item, errors),
            "description" => items::once(&mut self.look.description, item, errors),
            "format" => items::once(&mut self.look.format, item, errors),
            "priority" => items::once(&mut self.look.priority, item, errors),
            _ => {}
        }
    }
}

const PATH_KEYS: &[&str] = &[
    "name",
    "type_",
    "json_path",
    "description",
    "format",
    "priority",
];
const TYPE_KEYS: &[&str] = &[
    "name",
    "type_",
    "type",
    "json_path",
    "description",
    "format",
    "priority",
    "condition",
    "age",
];
const FIELD_KEYS: &[&str] = &["name", "description", "format", "priority"];

/// `printcolumn` as kube-derive has it: a list of keys, or JSON in a string.
#[derive(Clone, Debug)]
pub(crate) struct KubePrintColumn(pub(crate) PathColumn);

impl FromMeta for KubePrintColumn {
    fn from_list(nested: &[NestedMeta]) -> Result<Self> {
        let mut errors = Error::accumulator();
        let parts = Parts::parse(nested, PATH_KEYS, &mut errors);
        let missing_is_news = errors_so_far(&mut errors);
        path_column(parts, missing_is_news, errors).map(Self)
    }

    fn from_value(lit: &Lit) -> Result<Self> {
        json_column(lit).map(Self)
    }
}

impl FromMeta for PrintColumn {
    fn from_list(nested: &[NestedMeta]) -> Result<Self> {
        let mut errors = Error::accumulator();
        let parts = Parts::parse(nested, TYPE_KEYS, &mut errors);
        if parts.age.is_some() {
            return errors.finish_with(Self::Age);
        }
        if let Some(condition) = parts.condition {
            return errors.finish_with(Self::Condition(ConditionColumn {
                condition,
                name: parts.name.map(|name| name.0),
                look: parts.look,
            }));
        }
        let missing_is_news = errors_so_far(&mut errors);
        path_column(parts, missing_is_news, errors).map(Self::Path)
    }

    fn from_value(lit: &Lit) -> Result<Self> {
        json_column(lit).map(Self::Path)
    }
}

/// Whether nothing failed so far: else a key that seems to be missing may be the one that failed.
fn errors_so_far(errors: &mut Errors) -> bool {
    let collected = std::mem::take(errors).into_inner();
    let none = collected.is_empty();
    for error in collected {
        errors.push(error);
    }
    none
}

fn path_column(parts: Parts, missing_is_news: bool, mut errors: Errors) -> Result<PathColumn> {
    if missing_is_news {
        for (key, example, there) in [
            ("name", "name = \"Replicas\"", parts.name.is_some()),
            ("type_", "type_ = \"integer\"", parts.type_.is_some()),
            (
                "json_path",
                "json_path = \".spec.replicas\"",
                parts.json_path.is_some(),
            ),
        ] {
            if !there {
                errors.push(items::missing(key, example));
            }
        }
    }
    errors.finish()?;
    match (parts.name, parts.type_, parts.json_path) {
        (Some(name), Some(type_), Some(json_path)) => Ok(PathColumn {
            name: name.0,
            type_,
            json_path,
            look: parts.look,
        }),
        _ => Err(Error::custom("the column is incomplete")),
    }
}

/// The raw form: the members of a CustomResourceDefinition's column as JSON.
fn json_column(lit: &Lit) -> Result<PathColumn> {
    let text = Text::from_value(lit)?;
    let at = |error: Error| error.with_span(lit);
    let object = json_object(
        &text,
        &[
            "name",
            "type",
            "jsonPath",
            "description",
            "format",
            "priority",
        ],
    )
    .map_err(at)?;
    let string = |key: &str| json_string(&object, key, &text);
    let needed =
        |key: &str| string(key)?.ok_or_else(|| Error::custom(format!("the JSON has no `{key}`")));
    let as_lit = |text: Text| Lit::Str(syn::LitStr::new(&text, text.span()));
    let column = || -> Result<PathColumn> {
        Ok(PathColumn {
            name: ColumnName::from_value(&as_lit(needed("name")?))?.0,
            type_: ColumnType::from_value(&as_lit(needed("type")?))?,
            json_path: JsonPath::new(needed("jsonPath")?)?,
            look: Look {
                description: string("description")?,
                format: match string("format")? {
                    Some(format) => Some(ColumnFormat::from_value(&as_lit(format))?),
                    None => None,
                },
                priority: json_priority(&object)?,
            },
        })
    };
    column().map_err(at)
}

fn json_priority(object: &serde_json::Map<String, serde_json::Value>) -> Result<Option<i32>> {
    match object.get("priority") {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(value) => value
            .as_i64()
            .and_then(|value| i32::try_from(value).ok())
            .map(Some)
            .ok_or_else(|| Error::custom(format!("the priority {value} is not a 32-bit integer"))),
    }
}

/// A JSON object in a string literal, with no member but these.
pub(super) fn json_object(
    text: &Text,
    known: &[&str],
) -> Result<serde_json::Map<String, serde_json::Value>> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)
        .map_err(|error| Error::custom(format!("the text is not a JSON object: {error}")))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Error::unknown_field_with_alts(key, known)),
        None => Ok(object),
    }
}

/// A string member of a JSON object.
pub(super) fn json_string(
    object: &serde_json::Map<String, serde_json::Value>,
    key: &str,
    text: &Text,
) -> Result<Option<Text>> {
    match object.get(key) {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(value)) => Ok(Some(Text::new(value, text.span()))),
        Some(other) => Err(Error::custom(format!(
            "`{key}` is {other}, expected a string"
        ))),
    }
}

impl FromMeta for FieldColumn {
    fn from_meta(item: &Meta) -> Result<Self> {
        let span = syn::spanned::Spanned::span(item.path());
        let mut errors = Error::accumulator();
        let parts = match item {
            Meta::Path(_) => Parts::default(),
            Meta::List(list) => {
                let nested =
                    NestedMeta::parse_meta_list(list.tokens.clone()).map_err(Error::from)?;
                Parts::parse(&nested, FIELD_KEYS, &mut errors)
            }
            Meta::NameValue(_) => {
                return Err(
                    Error::custom("expected `column` or `column(name = \"...\", ...)`")
                        .with_span(item),
                );
            }
        };
        errors.finish_with(Self {
            name: parts.name.map(|name| name.0),
            look: parts.look,
            span,
        })
    }
}
