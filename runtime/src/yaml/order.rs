//! Sorts keys into the order of `crdkit_core::schema::api_fields`: important keys come first, long values last.

use crdkit_core::schema::api_fields::{ApiField, ApiStruct, DEFINITION, FieldType, SCHEMA};
use serde_json::{Map, Value};

/// The keys of an object that come first. The others follow, sorted by name.
#[derive(Clone, Copy)]
pub enum Order {
    /// The fields of an API object.
    Fields(&'static ApiStruct),
    /// No keys come first; all values have this type.
    Names(&'static FieldType),
    /// No keys come first, at any depth.
    Sorted,
}

static MANIFEST: ApiStruct =
    ApiStruct { name: "", fields: &[any("apiVersion"), any("kind"), any("metadata"), WEBHOOKS] };

const WEBHOOKS: ApiField = ApiField { name: "webhooks", form: FieldType::List(&FieldType::Object(&WEBHOOK)) };

static WEBHOOK: ApiStruct = ApiStruct { name: "", fields: &[any("name"), any("clientConfig"), any("rules")] };

const fn any(name: &'static str) -> ApiField {
    ApiField { name, form: FieldType::Json }
}

/// A key, its value, and the order of the keys in the value.
type Entry<'a> = (&'a str, &'a Value, Order);

impl Order {
    /// The order of a CustomResourceDefinition.
    pub const CRD: Self = Self::Fields(&DEFINITION);

    /// The order of webhook configurations and policies.
    pub const MANIFEST: Self = Self::Fields(&MANIFEST);

    fn of(form: &'static FieldType) -> Self {
        match form {
            FieldType::Object(object) => Self::Fields(object),
            FieldType::Map(values) => Self::Names(values),
            FieldType::List(form) | FieldType::Named(_, form) => Self::of(form),
            FieldType::SchemaOrSchemas | FieldType::SchemaOrBool | FieldType::SchemaOrStrings => Self::Fields(&SCHEMA),
            _ => Self::Sorted,
        }
    }

    /// Returns the entries of an object in this order.
    pub fn entries(self, object: &Map<String, Value>) -> Vec<Entry<'_>> {
        let mut entries: Vec<_> = object.iter().map(|(key, value)| (key.as_str(), value, self.below(key))).collect();
        entries.sort_by_key(|(key, ..)| (self.place(key), *key));
        entries
    }

    fn place(self, key: &str) -> usize {
        let Self::Fields(ApiStruct { fields, .. }) = self else {
            return 0;
        };
        let place = fields.iter().position(|field| field.name == key);
        place.unwrap_or(fields.len())
    }

    fn below(self, key: &str) -> Self {
        match self {
            Self::Fields(object) => object.field(key).map_or(Self::Sorted, |field| Self::of(&field.form)),
            Self::Names(values) => Self::of(values),
            Self::Sorted => Self::Sorted,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(order: Order, object: Value) -> Vec<String> {
        let object = object.as_object().unwrap();
        let entries = order.entries(object).into_iter();
        entries.map(|(key, _, _)| key.to_owned()).collect()
    }

    #[test]
    fn known_keys_come_first() {
        let schema = json!({ "zzz": 0, "properties": 0, "type": 0, "aaa": 0, "description": 0 });
        let expected = ["description", "type", "properties", "aaa", "zzz"];
        assert_eq!(keys(Order::Fields(&SCHEMA), schema), expected);
    }

    #[test]
    fn fields_are_sorted_by_name() {
        let properties = json!({ "type": 0, "description": 0, "items": 0 });
        let schemas = Order::of(&SCHEMA.field("properties").unwrap().form);
        assert_eq!(keys(schemas, properties), ["description", "items", "type"]);
    }
}
