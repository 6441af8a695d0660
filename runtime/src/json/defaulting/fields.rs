//! The fields with defaults in a type.

use serde_json::Value;

use crate::schema::{Field, Keyword, Literal, Schema, Shape, Tagging, walk};

/// The fields with defaults in a type, at any depth.
#[derive(Debug, Default)]
pub(crate) struct DefaultedFields {
    /// Fields with a default, or with a type that has such fields.
    fields: Vec<DefaultedField>,
    /// Of the items of a list, or of the values of a map.
    pub(crate) elements: Option<Box<DefaultedFields>>,
}

#[derive(Debug)]
pub(crate) struct DefaultedField {
    pub(crate) name: &'static str,
    /// Other names under which serde reads the field.
    aliases: &'static [&'static str],
    pub(crate) default: Option<DefaultSource>,
    /// Whether null is a value of the field; otherwise, the server replaces it with the default.
    pub(crate) nullable: bool,
    /// Of the field's type.
    pub(crate) inner: Option<DefaultedFields>,
}

/// The `default` of a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultSource {
    Literal(Literal),
    Evaluated(fn() -> serde_json::Result<Option<Value>>),
}

impl DefaultSource {
    /// Returns the value; `None` if there is none to fill in.
    pub(crate) fn value(self) -> serde_json::Result<Option<Value>> {
        match self {
            Self::Literal(literal) => Ok(Some(literal.to_json())),
            Self::Evaluated(function) => function(),
        }
    }
}

impl DefaultedFields {
    /// Returns the fields of a type; `None` if there are none. `nullable` is whether an `Option` may be null.
    pub(crate) fn of_type(schema: &Schema, nullable: bool) -> Option<Self> {
        if !schema.summary.defaults {
            return None;
        }
        match schema.shape {
            Shape::Newtype(inner) => Self::of_type(inner, nullable),
            Shape::List(inner) | Shape::Map(inner) => {
                let elements = Self::of_type(inner, nullable)?;
                Some(Self { fields: Vec::new(), elements: Some(Box::new(elements)) })
            }
            Shape::Object(fields) => {
                let mut collected = Self::default();
                collected.add(fields, nullable);
                collected.into_option()
            }
            // The server cannot fill in defaults of one of several variants whose fields share an object.
            Shape::OneOf(tagging, variants) => {
                let mut collected = Self::default();
                for variant in variants {
                    if let (Tagging::External, Some(content)) = (variant.tagging(tagging), variant.content) {
                        collected.push_data(variant.name, Self::of_type(content, nullable));
                    }
                }
                collected.into_option()
            }
            _ => None,
        }
    }

    /// Returns the fields of a resource whose spec is at its root.
    pub(crate) fn flat(spec: Option<Self>, status: Option<Self>) -> Self {
        let mut root = spec.unwrap_or_default();
        root.push_data("status", status);
        root
    }

    fn into_option(self) -> Option<Self> {
        (!self.fields.is_empty()).then_some(self)
    }

    fn add(&mut self, fields: &'static [Field], nullable: bool) {
        for field in fields {
            let inner = Self::of_type(field.schema, nullable);
            if field.flatten {
                // Of an absent `Option`, all fields are absent.
                if !field.schema.optional {
                    self.fields.extend(inner.into_iter().flat_map(|it| it.fields));
                }
                continue;
            }
            self.push(DefaultedField {
                name: field.name,
                aliases: field.aliases,
                default: if field.filled_in { default(field) } else { None },
                nullable: nullable && field.schema.optional,
                inner,
            });
        }
    }

    fn push_data(&mut self, name: &'static str, inner: Option<Self>) {
        self.push(DefaultedField { name, aliases: &[], default: None, nullable: false, inner });
    }

    fn push(&mut self, field: DefaultedField) {
        if field.default.is_some() || field.inner.is_some() {
            self.fields.push(field);
        }
    }

    /// Whether the keys of the object are names of fields.
    pub(crate) fn has_names(&self) -> bool {
        !self.fields.is_empty()
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name || field.aliases.contains(&name))
    }

    pub(crate) fn get(&self, at: usize) -> Option<&DefaultedField> {
        self.fields.get(at)
    }
}

/// The last default, which replaces earlier ones.
fn default(field: &Field) -> Option<DefaultSource> {
    let value = walk::Value::field(field);
    let keywords = (0..).map_while(|at| value.keyword(at));
    let defaults = keywords.filter_map(|keyword| match keyword {
        Keyword::DefaultLiteral(literal) => Some(DefaultSource::Literal(*literal)),
        Keyword::Default(function) => Some(DefaultSource::Evaluated(*function)),
        _ => None,
    });
    defaults.last()
}
