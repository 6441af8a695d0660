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
    let mut props = JSONSchemaProps::default();
    write(schema, &mut props)?;
    Ok(props)
}

/// Writes a schema where it is to stand: these types are large, and moving them was most of the work.
fn write(schema: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    write_shape(schema, props)?;
    if schema.optional {
        props.nullable = nullable(props);
    }
    keywords::apply(props, schema.keywords)
}

/// The server never accepts null where there is an `enum`, and drops it where it is not nullable.
fn nullable(props: &JSONSchemaProps) -> Option<bool> {
    props.enum_.is_none().then_some(true)
}

fn write_shape(schema: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    match &schema.shape {
        Shape::Boolean => set_type(props, "boolean"),
        Shape::Integer => set_type(props, "integer"),
        Shape::Number => set_type(props, "number"),
        Shape::String => set_type(props, "string"),
        Shape::IntOrString => props.x_kubernetes_int_or_string = Some(true),
        Shape::Any => props.x_kubernetes_preserve_unknown_fields = Some(true),
        Shape::List(items) => write_list(items, props)?,
        Shape::Map(values) => write_map(values, props)?,
        Shape::Object(fields) => write_object(fields, props)?,
        Shape::Enum(variants) => write_enumeration(variants, props),
        Shape::Newtype(inner) => write(inner, props)?,
        Shape::Foreign(foreign) => *props = structural::foreign(foreign)?,
    }
    Ok(())
}

fn set_type(props: &mut JSONSchemaProps, type_: &str) {
    props.type_ = Some(type_.to_owned());
}

fn write_list(items: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut inner = Box::<JSONSchemaProps>::default();
    write(items, &mut inner).map_err(|error| error.below("[]"))?;
    set_type(props, "array");
    props.items = Some(JSONSchemaPropsOrArray::Schema(inner));
    Ok(())
}

fn write_map(values: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut inner = Box::<JSONSchemaProps>::default();
    write(values, &mut inner).map_err(|error| error.below("[*]"))?;
    set_type(props, "object");
    props.additional_properties = Some(JSONSchemaPropsOrBool::Schema(inner));
    Ok(())
}

fn write_enumeration(variants: &[Variant], props: &mut JSONSchemaProps) {
    let names = variants
        .iter()
        .map(|variant| JSON(Value::from(variant.name)));
    let described = variants
        .iter()
        .map(|variant| (variant.name, variant.description));
    set_type(props, "string");
    props.enum_ = Some(names.collect());
    props.description = describe_variants(None, described);
}

fn write_object(fields: &[Field], props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut members = Members::default();
    for field in fields {
        members.add(field)?;
    }
    members.finish(props);
    Ok(())
}

/// The fields of an object while they are put together.
#[derive(Default)]
struct Members {
    properties: BTreeMap<String, JSONSchemaProps>,
    required: Vec<String>,
    /// The types that fields were flattened from.
    flattened: BTreeMap<String, &'static str>,
    rules: Vec<ValidationRule>,
    preserve_unknown_fields: bool,
}

impl Members {
    fn add(&mut self, field: &Field) -> Result<(), RenderError> {
        if field.flatten {
            return self.flatten(field);
        }
        self.insert_with(field.name, |props| {
            write_field(field, props)?;
            Ok(is_required(field, props))
        })
    }

    /// Writes a member that says whether it is required.
    fn insert_with(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut JSONSchemaProps) -> Result<bool, RenderError>,
    ) -> Result<(), RenderError> {
        let below = |error: RenderError| error.below(&format!(".{name}"));
        let is_required = match self.properties.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                write(entry.insert(JSONSchemaProps::default())).map_err(below)?
            }
            Entry::Occupied(entry) => {
                let mut other = JSONSchemaProps::default();
                let is_required = write(&mut other).map_err(below)?;
                if *entry.get() != other {
                    let first = self.flattened.get(name).copied();
                    return Err(below(conflict(first, None)));
                }
                is_required
            }
        };
        self.require(name, is_required);
        Ok(())
    }

    fn require(&mut self, name: &str, is_required: bool) {
        if is_required && !self.required.iter().any(|required| required == name) {
            self.required.push(name.to_owned());
        }
    }

    /// The members of an object, or those of a map, which can be anything.
    fn flatten(&mut self, field: &Field) -> Result<(), RenderError> {
        let mut props = render_schema(field.schema)?;
        keywords::apply(&mut props, field.keywords)?;
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
            self.require(&name, !may_be_absent && required.contains(&name));
            self.insert_flattened(name, props, field.schema.name)?;
        }
        Ok(())
    }

    fn insert_flattened(
        &mut self,
        name: String,
        props: JSONSchemaProps,
        owner: &'static str,
    ) -> Result<(), RenderError> {
        match self.properties.entry(name) {
            Entry::Vacant(entry) => {
                self.flattened.insert(entry.key().clone(), owner);
                entry.insert(props);
                Ok(())
            }
            Entry::Occupied(entry) if *entry.get() == props => Ok(()),
            Entry::Occupied(entry) => {
                let first = self.flattened.get(entry.key()).copied();
                Err(conflict(first, Some(owner)).below(&format!(".{}", entry.key())))
            }
        }
    }

    fn finish(mut self, props: &mut JSONSchemaProps) {
        self.required.sort_unstable();
        set_type(props, "object");
        props.properties = (!self.properties.is_empty()).then_some(self.properties);
        props.required = super::none_if_empty(self.required);
        props.x_kubernetes_validations = super::none_if_empty(self.rules);
        props.x_kubernetes_preserve_unknown_fields = self.preserve_unknown_fields.then_some(true);
    }
}

fn write_field(field: &Field, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    write(field.schema, props)?;
    if field.presence == Presence::Required {
        props.nullable = None;
    }
    keywords::apply(props, field.keywords)
}

/// Two fields of one name, which serde writes both, and of which it reads only one. Each is known by the type that it was
/// flattened from.
fn conflict(first: Option<&str>, second: Option<&str>) -> RenderError {
    let (first, second) = (owner(first), owner(second));
    RenderError::new(format!(
        "{first} and {second} both have a field of this name: rename one"
    ))
}

fn owner(flattened: Option<&str>) -> String {
    match flattened {
        None => "the type itself".to_owned(),
        Some("") => "a flattened type".to_owned(),
        Some(name) => format!("the flattened `{name}`"),
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
        members.insert_with("status", |props| {
            write(&status.optional(), props)?;
            Ok(false)
        })?;
    }
    let mut props = JSONSchemaProps::default();
    members.finish(&mut props);
    keywords::apply(&mut props, root.keywords)?;
    Ok(props)
}

#[cfg(test)]
mod tests;
