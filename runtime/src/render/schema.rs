//! Schemas.

use std::collections::{BTreeMap, btree_map::Entry};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, ValidationRule,
};
use serde_json::Value;

use super::{RenderError, keywords};
use crate::{
    definition::Root,
    schema::{Field, Presence, Schema, Shape, Variant},
    structural::{self, describe_variants},
};

/// A schema as it stands in a CustomResourceDefinition.
///
/// # Errors
///
/// If a schema that is known only now, such as that of a foreign type, is not structural.
pub fn render_schema(schema: &Schema) -> Result<JSONSchemaProps, RenderError> {
    let mut props = shape(schema)?;
    if schema.optional {
        props.nullable = nullable(&props);
    }
    keywords::apply(props, schema.keywords)
}

/// The server never accepts null where there is an `enum`, and drops it where it is not nullable.
fn nullable(props: &JSONSchemaProps) -> Option<bool> {
    props.enum_.is_none().then_some(true)
}

fn shape(schema: &Schema) -> Result<JSONSchemaProps, RenderError> {
    match &schema.shape {
        Shape::Boolean => Ok(of_type("boolean")),
        Shape::Integer => Ok(of_type("integer")),
        Shape::Number => Ok(of_type("number")),
        Shape::String => Ok(of_type("string")),
        Shape::IntOrString => Ok(JSONSchemaProps {
            x_kubernetes_int_or_string: Some(true),
            ..JSONSchemaProps::default()
        }),
        Shape::Any => Ok(JSONSchemaProps {
            x_kubernetes_preserve_unknown_fields: Some(true),
            ..JSONSchemaProps::default()
        }),
        Shape::List(items) => list(items),
        Shape::Map(values) => map(values),
        Shape::Object(fields) => object(fields),
        Shape::Enum(variants) => Ok(enumeration(variants)),
        Shape::Newtype(inner) => render_schema(inner),
        Shape::Foreign(foreign) => structural::foreign(foreign),
    }
}

pub(super) fn of_type(type_: &str) -> JSONSchemaProps {
    JSONSchemaProps {
        type_: Some(type_.to_owned()),
        ..JSONSchemaProps::default()
    }
}

fn list(items: &Schema) -> Result<JSONSchemaProps, RenderError> {
    let items = render_schema(items).map_err(|error| error.below("[]"))?;
    Ok(JSONSchemaProps {
        items: Some(JSONSchemaPropsOrArray::Schema(Box::new(items))),
        ..of_type("array")
    })
}

fn map(values: &Schema) -> Result<JSONSchemaProps, RenderError> {
    let values = render_schema(values).map_err(|error| error.below("[*]"))?;
    Ok(JSONSchemaProps {
        additional_properties: Some(JSONSchemaPropsOrBool::Schema(Box::new(values))),
        ..of_type("object")
    })
}

fn enumeration(variants: &[Variant]) -> JSONSchemaProps {
    let names = variants
        .iter()
        .map(|variant| JSON(Value::from(variant.name)));
    let described = variants
        .iter()
        .map(|variant| (variant.name, variant.description));
    JSONSchemaProps {
        enum_: Some(names.collect()),
        description: describe_variants(None, described),
        ..of_type("string")
    }
}

fn object(fields: &[Field]) -> Result<JSONSchemaProps, RenderError> {
    let mut members = Members::default();
    for field in fields {
        members.add(field)?;
    }
    Ok(members.finish())
}

/// The fields of an object while they are put together.
#[derive(Default)]
struct Members {
    members: BTreeMap<String, Member>,
    rules: Vec<ValidationRule>,
    preserve_unknown_fields: bool,
}

/// A field, and the type that it was flattened from.
struct Member {
    props: JSONSchemaProps,
    is_required: bool,
    flattened: Option<&'static str>,
}

impl Members {
    fn add(&mut self, field: &Field) -> Result<(), RenderError> {
        if field.flatten {
            return self.flatten(field);
        }
        let below = |error: RenderError| error.below(&format!(".{}", field.name));
        let mut props = render_schema(field.schema).map_err(below)?;
        if field.presence == Presence::Required {
            props.nullable = None;
        }
        let props = keywords::apply(props, field.keywords).map_err(below)?;
        let member = Member {
            is_required: is_required(field, &props),
            props,
            flattened: None,
        };
        self.insert(field.name.to_owned(), member)
    }

    fn insert(&mut self, name: String, member: Member) -> Result<(), RenderError> {
        match self.members.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(member);
            }
            Entry::Occupied(mut entry) if entry.get().props == member.props => {
                entry.get_mut().is_required |= member.is_required;
            }
            Entry::Occupied(entry) => {
                return Err(entry
                    .get()
                    .conflict(&member)
                    .below(&format!(".{}", entry.key())));
            }
        }
        Ok(())
    }

    /// The members of an object, or those of a map, which can be anything.
    fn flatten(&mut self, field: &Field) -> Result<(), RenderError> {
        let props = keywords::apply(render_schema(field.schema)?, field.keywords)?;
        let is_open = props.x_kubernetes_preserve_unknown_fields == Some(true)
            || props.additional_properties.is_some();
        if !is_open && props.type_.as_deref() != Some("object") {
            return Err(RenderError::new(
                "only an object or a map can be flattened into an object",
            ));
        }
        self.preserve_unknown_fields |= is_open;
        let is_option = field.schema.optional || props.nullable == Some(true);
        can_be_flattened(field.schema.name, &props, is_option)?;
        self.rules
            .extend(props.x_kubernetes_validations.unwrap_or_default());
        let may_be_absent = is_option || field.presence == Presence::Optional;
        let required = props.required.unwrap_or_default();
        for (name, props) in props.properties.unwrap_or_default() {
            let member = Member {
                is_required: !may_be_absent && required.contains(&name),
                props,
                flattened: Some(field.schema.name),
            };
            self.insert(name, member)?;
        }
        Ok(())
    }

    fn finish(self) -> JSONSchemaProps {
        let required = self.members.iter().filter(|(_, member)| member.is_required);
        let required = required.map(|(name, _)| name.clone()).collect();
        let properties: BTreeMap<_, _> = self
            .members
            .into_iter()
            .map(|(name, member)| (name, member.props))
            .collect();
        JSONSchemaProps {
            properties: (!properties.is_empty()).then_some(properties),
            required: super::none_if_empty(required),
            x_kubernetes_validations: super::none_if_empty(self.rules),
            x_kubernetes_preserve_unknown_fields: self.preserve_unknown_fields.then_some(true),
            ..of_type("object")
        }
    }
}

impl Member {
    /// Two fields of one name, which serde writes both, and of which it reads only one.
    fn conflict(&self, other: &Self) -> RenderError {
        let (first, second) = (self.owner(), other.owner());
        RenderError::new(format!(
            "{first} and {second} both have a field of this name: rename one"
        ))
    }

    fn owner(&self) -> String {
        match self.flattened {
            None => "the type itself".to_owned(),
            Some("") => "a flattened type".to_owned(),
            Some(name) => format!("the flattened `{name}`"),
        }
    }
}

/// What a type says about its value as a whole must also hold of the object that it is flattened into.
fn can_be_flattened(
    name: &str,
    props: &JSONSchemaProps,
    is_option: bool,
) -> Result<(), RenderError> {
    let name = match name {
        "" => "the flattened type".to_owned(),
        name => format!("the flattened `{name}`"),
    };
    if props.min_properties.is_some() || props.max_properties.is_some() {
        return Err(RenderError::new(format!(
            "{name} says how many fields it has, which would count those beside it too: remove \
             that, or do not flatten it"
        )));
    }
    let Some([rule, ..]) = props.x_kubernetes_validations.as_deref() else {
        return Ok(());
    };
    let rule = &rule.rule;
    if is_option {
        return Err(RenderError::new(format!(
            "{name} may be absent, where its rule `{rule}` cannot hold: move the rule to the \
             struct that it is flattened into, with `has()` around the fields"
        )));
    }
    if props.additional_properties.is_some() {
        return Err(RenderError::new(format!(
            "{name} is a map, whose rule `{rule}` sees no entry of it when it is flattened: \
             remove the rule, or do not flatten the map"
        )));
    }
    Ok(())
}

/// A foreign type that accepts null is an `Option`, as far as anybody can tell.
fn is_required(field: &Field, props: &JSONSchemaProps) -> bool {
    let is_foreign_option =
        matches!(field.schema.shape, Shape::Foreign(_)) && props.nullable == Some(true);
    match field.presence {
        Presence::Inferred => field.is_required() && !is_foreign_option,
        _ => field.is_required(),
    }
}

/// The schema of a root: `apiVersion`, `kind` and `metadata` are the server's business.
pub(super) fn root(root: &Root) -> Result<JSONSchemaProps, RenderError> {
    let mut spec = Field::new("spec", root.spec);
    if root.flatten_spec {
        spec = Field::flattened(root.spec);
    }
    let mut members = Members::default();
    members.add(&spec)?;
    if let Some(status) = root.status {
        let status = status.optional();
        members.add_status(&status)?;
    }
    keywords::apply(members.finish(), root.keywords)
}

impl Members {
    fn add_status(&mut self, status: &Schema) -> Result<(), RenderError> {
        let props = render_schema(status).map_err(|error| error.below(".status"))?;
        let member = Member {
            props,
            is_required: false,
            flattened: None,
        };
        self.insert("status".to_owned(), member)
    }
}

#[cfg(test)]
mod tests;
