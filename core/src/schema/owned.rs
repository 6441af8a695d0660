//! Schemas with texts of their own.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use super::{Additional, ExternalDocs, Items, SchemaProps, ValidationRule};
use crate::json::Json;

impl SchemaProps<'_> {
    /// The schema, with texts of its own.
    pub fn into_owned(self) -> SchemaProps<'static> {
        SchemaProps {
            type_: self.type_.map(text),
            format: self.format.map(text),
            title: self.title.map(text),
            description: self.description.map(text),
            nullable: self.nullable,
            default: self.default.map(Json::into_owned),
            enum_: self
                .enum_
                .map(|all| all.into_iter().map(Json::into_owned).collect()),
            example: self.example.map(Json::into_owned),
            external_docs: self.external_docs.map(ExternalDocs::into_owned),
            minimum: self.minimum,
            exclusive_minimum: self.exclusive_minimum,
            maximum: self.maximum,
            exclusive_maximum: self.exclusive_maximum,
            multiple_of: self.multiple_of,
            min_length: self.min_length,
            max_length: self.max_length,
            pattern: self.pattern.map(text),
            min_items: self.min_items,
            max_items: self.max_items,
            unique_items: self.unique_items,
            min_properties: self.min_properties,
            max_properties: self.max_properties,
            required: self.required.into_iter().map(text).collect(),
            items: self.items.map(Items::into_owned),
            properties: self.properties.map(fields),
            additional_properties: self.additional_properties.map(Additional::into_owned),
            all_of: schemas(self.all_of),
            any_of: schemas(self.any_of),
            one_of: schemas(self.one_of),
            not: self.not.map(|branch| Box::new(branch.into_owned())),
            preserve_unknown_fields: self.preserve_unknown_fields,
            embedded_resource: self.embedded_resource,
            int_or_string: self.int_or_string,
            list_type: self.list_type.map(text),
            list_map_keys: self.list_map_keys.into_iter().map(text).collect(),
            map_type: self.map_type.map(text),
            validations: self
                .validations
                .into_iter()
                .map(ValidationRule::into_owned)
                .collect(),
            unsupported: self.unsupported,
            empty: self.empty,
        }
    }
}

impl Items<'_> {
    fn into_owned(self) -> Items<'static> {
        match self {
            Self::Schema(items) => Items::Schema(Box::new(items.into_owned())),
            Self::Schemas(all) => Items::Schemas(schemas(all)),
        }
    }
}

impl Additional<'_> {
    fn into_owned(self) -> Additional<'static> {
        match self {
            Self::Bool(any) => Additional::Bool(any),
            Self::Schema(values) => Additional::Schema(Box::new(values.into_owned())),
        }
    }
}

impl ExternalDocs<'_> {
    fn into_owned(self) -> ExternalDocs<'static> {
        ExternalDocs {
            description: text(self.description),
            url: text(self.url),
        }
    }
}

impl ValidationRule<'_> {
    fn into_owned(self) -> ValidationRule<'static> {
        ValidationRule {
            rule: text(self.rule),
            message: self.message.map(text),
            message_expression: self.message_expression.map(text),
            reason: self.reason.map(text),
            field_path: self.field_path.map(text),
            optional_old_self: self.optional_old_self,
        }
    }
}

fn text(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn schemas(all: Vec<SchemaProps<'_>>) -> Vec<SchemaProps<'static>> {
    all.into_iter().map(SchemaProps::into_owned).collect()
}

fn fields(
    all: Vec<(Cow<'_, str>, SchemaProps<'_>)>,
) -> Vec<(Cow<'static, str>, SchemaProps<'static>)> {
    let field = |(name, schema): (Cow<'_, str>, SchemaProps<'_>)| (text(name), schema.into_owned());
    all.into_iter().map(field).collect()
}
