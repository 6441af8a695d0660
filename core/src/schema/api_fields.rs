//! The fields of a CustomResourceDefinition, including the keywords of its schemas, and the JSON type of each field.
//!
//! They are listed in the order in which definitions are written: important fields first, long ones last. Fields that crdkit
//! does not write are sorted by name.

use crate::text::equal;

/// An object of the API, which is a Go struct.
#[derive(Debug)]
pub struct ApiStruct {
    /// The name of the Go struct, as the server writes it: `JSONSchemaProps`.
    pub name: &'static str,
    /// The fields.
    pub fields: &'static [ApiField],
}

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub struct ApiField {
    /// The key.
    pub name: &'static str,
    /// The type of the value.
    pub form: FieldType,
}

/// The JSON type of a field. Every field also accepts null, which is the same as an absent field.
#[derive(Clone, Copy, Debug)]
pub enum FieldType {
    /// A string, with the name of its Go type, which is usually `string`.
    String(&'static str),
    /// `true` or `false`.
    Bool,
    /// An integer without fraction and exponent, in the range of `i32`.
    Int32,
    /// An integer without fraction and exponent, in the range of `i64`.
    Int64,
    /// A number.
    Float64,
    /// Bytes, as base64.
    Bytes,
    /// A time, as RFC 3339.
    Time,
    /// Any JSON.
    Json,
    /// An object.
    Object(&'static ApiStruct),
    /// A list.
    List(&'static Self),
    /// An object with arbitrary keys.
    Map(&'static Self),
    /// A list or an object with a Go type of its own.
    Named(&'static str, &'static Self),
    /// A schema, or a list of schemas. Anything else reads as an empty schema.
    SchemaOrSchemas,
    /// A schema, or `true` or `false`.
    SchemaOrBool,
    /// A schema, or a list of strings. Anything else reads as an empty list.
    SchemaOrStrings,
}

impl ApiStruct {
    /// Returns the field with this key.
    pub const fn field(&self, name: &str) -> Option<&'static ApiField> {
        let mut at = 0;
        while at < self.fields.len() {
            if equal(self.fields[at].name, name) {
                return Some(&self.fields[at]);
            }
            at += 1;
        }
        None
    }
}

const fn field(name: &'static str, form: FieldType) -> ApiField {
    ApiField { name, form }
}

const STRING: FieldType = FieldType::String("string");
const STRINGS: FieldType = FieldType::List(&STRING);
const STRING_MAP: FieldType = FieldType::Map(&STRING);
/// A schema.
pub static PROPS: FieldType = FieldType::Object(&SCHEMA);

/// Returns the JSON type of a keyword.
#[rustfmt::skip]
macro_rules! form {
    (flag) => { FieldType::Bool };
    (choice) => { FieldType::Bool };
    (number) => { FieldType::Float64 };
    (count) => { FieldType::Int64 };
    (text) => { STRING };
    (word) => { STRING };
    (texts) => { STRINGS };
    (value) => { FieldType::Json };
    (values) => { FieldType::List(&FieldType::Json) };
    (docs) => { FieldType::Object(&EXTERNAL_DOCS) };
    (rules) => { FieldType::Named("v1.ValidationRules", &FieldType::List(&FieldType::Object(&RULE))) };
    (branch) => { FieldType::Object(&SCHEMA) };
    (branches) => { FieldType::List(&PROPS) };
    (items) => { FieldType::SchemaOrSchemas };
    (additional) => { FieldType::SchemaOrBool };
    (properties) => { FieldType::Map(&PROPS) };
}

macro_rules! declare {
    (keywords { $($field:ident $source:tt $name:literal $form:ident $doc:literal;)+ } $($rest:tt)*) => {
        /// A schema: `JSONSchemaProps`.
        pub static SCHEMA: ApiStruct = ApiStruct {
            name: "JSONSchemaProps",
            fields: &[
                $(field($name, form!($form)),)+
                field("id", STRING),
                field("$schema", FieldType::String("v1.JSONSchemaURL")),
                field("$ref", STRING),
                field("patternProperties", FieldType::Map(&PROPS)),
                field("dependencies", FieldType::Named("v1.JSONSchemaDependencies", &FieldType::Map(&FieldType::SchemaOrStrings))),
                field("additionalItems", FieldType::SchemaOrBool),
                field("definitions", FieldType::Named("v1.JSONSchemaDefinitions", &FieldType::Map(&PROPS))),
            ],
        };
    };
}
crate::for_each_keyword!(declare);

static EXTERNAL_DOCS: ApiStruct =
    ApiStruct { name: "ExternalDocumentation", fields: &[field("description", STRING), field("url", STRING)] };

/// An entry of `x-kubernetes-validations`.
pub static RULE: ApiStruct = ApiStruct {
    name: "ValidationRule",
    fields: &[
        field("rule", STRING),
        field("message", STRING),
        field("messageExpression", STRING),
        field("reason", FieldType::String("v1.FieldValueErrorReason")),
        field("fieldPath", STRING),
        field("optionalOldSelf", FieldType::Bool),
    ],
};

/// A CustomResourceDefinition.
pub static DEFINITION: ApiStruct = ApiStruct {
    name: "CustomResourceDefinition",
    fields: &[
        field("apiVersion", STRING),
        field("kind", STRING),
        field("metadata", FieldType::Object(&METADATA)),
        field("spec", FieldType::Object(&SPEC)),
        field("status", FieldType::Object(&STATUS)),
    ],
};

static METADATA: ApiStruct = ApiStruct {
    name: "ObjectMeta",
    fields: &[
        field("name", STRING),
        field("labels", STRING_MAP),
        field("annotations", STRING_MAP),
        field("creationTimestamp", FieldType::Time),
        field("deletionGracePeriodSeconds", FieldType::Int64),
        field("deletionTimestamp", FieldType::Time),
        field("finalizers", STRINGS),
        field("generateName", STRING),
        field("generation", FieldType::Int64),
        field("managedFields", FieldType::List(&FieldType::Object(&MANAGED_FIELDS))),
        field("namespace", STRING),
        field("ownerReferences", FieldType::List(&FieldType::Object(&OWNER_REFERENCE))),
        field("resourceVersion", STRING),
        field("selfLink", STRING),
        field("uid", FieldType::String("types.UID")),
    ],
};

static OWNER_REFERENCE: ApiStruct = ApiStruct {
    name: "OwnerReference",
    fields: &[
        field("apiVersion", STRING),
        field("blockOwnerDeletion", FieldType::Bool),
        field("controller", FieldType::Bool),
        field("kind", STRING),
        field("name", STRING),
        field("uid", FieldType::String("types.UID")),
    ],
};

static MANAGED_FIELDS: ApiStruct = ApiStruct {
    name: "ManagedFieldsEntry",
    fields: &[
        field("apiVersion", STRING),
        field("fieldsType", STRING),
        field("fieldsV1", FieldType::Json),
        field("manager", STRING),
        field("operation", FieldType::String("v1.ManagedFieldsOperationType")),
        field("subresource", STRING),
        field("time", FieldType::Time),
    ],
};

static SPEC: ApiStruct = ApiStruct {
    name: "CustomResourceDefinitionSpec",
    fields: &[
        field("group", STRING),
        field("names", FieldType::Object(&NAMES)),
        field("scope", FieldType::String("v1.ResourceScope")),
        field("preserveUnknownFields", FieldType::Bool),
        field("conversion", FieldType::Object(&CONVERSION)),
        field("versions", FieldType::List(&FieldType::Object(&VERSION))),
    ],
};

static NAMES: ApiStruct = ApiStruct {
    name: "CustomResourceDefinitionNames",
    fields: &[
        field("kind", STRING),
        field("listKind", STRING),
        field("plural", STRING),
        field("singular", STRING),
        field("shortNames", STRINGS),
        field("categories", STRINGS),
    ],
};

static VERSION: ApiStruct = ApiStruct {
    name: "CustomResourceDefinitionVersion",
    fields: &[
        field("name", STRING),
        field("served", FieldType::Bool),
        field("storage", FieldType::Bool),
        field("deprecated", FieldType::Bool),
        field("deprecationWarning", STRING),
        field("subresources", FieldType::Object(&SUBRESOURCES)),
        field("selectableFields", FieldType::List(&FieldType::Object(&SELECTABLE))),
        field("additionalPrinterColumns", FieldType::List(&FieldType::Object(&COLUMN))),
        field("schema", FieldType::Object(&VALIDATION)),
    ],
};

static VALIDATION: ApiStruct =
    ApiStruct { name: "CustomResourceValidation", fields: &[field("openAPIV3Schema", FieldType::Object(&SCHEMA))] };

static SUBRESOURCES: ApiStruct = ApiStruct {
    name: "CustomResourceSubresources",
    fields: &[field("status", FieldType::Object(&STATUS_SUBRESOURCE)), field("scale", FieldType::Object(&SCALE))],
};

static STATUS_SUBRESOURCE: ApiStruct = ApiStruct { name: "CustomResourceSubresourceStatus", fields: &[] };

static SCALE: ApiStruct = ApiStruct {
    name: "CustomResourceSubresourceScale",
    fields: &[
        field("specReplicasPath", STRING),
        field("statusReplicasPath", STRING),
        field("labelSelectorPath", STRING),
    ],
};

static COLUMN: ApiStruct = ApiStruct {
    name: "CustomResourceColumnDefinition",
    fields: &[
        field("name", STRING),
        field("description", STRING),
        field("type", STRING),
        field("format", STRING),
        field("jsonPath", STRING),
        field("priority", FieldType::Int32),
    ],
};

static SELECTABLE: ApiStruct = ApiStruct { name: "SelectableField", fields: &[field("jsonPath", STRING)] };

static CONVERSION: ApiStruct = ApiStruct {
    name: "CustomResourceConversion",
    fields: &[
        field("strategy", FieldType::String("v1.ConversionStrategyType")),
        field("webhook", FieldType::Object(&WEBHOOK)),
    ],
};

static WEBHOOK: ApiStruct = ApiStruct {
    name: "WebhookConversion",
    fields: &[field("clientConfig", FieldType::Object(&CLIENT_CONFIG)), field("conversionReviewVersions", STRINGS)],
};

static CLIENT_CONFIG: ApiStruct = ApiStruct {
    name: "WebhookClientConfig",
    fields: &[field("caBundle", FieldType::Bytes), field("service", FieldType::Object(&SERVICE)), field("url", STRING)],
};

static SERVICE: ApiStruct = ApiStruct {
    name: "ServiceReference",
    fields: &[
        field("name", STRING),
        field("namespace", STRING),
        field("path", STRING),
        field("port", FieldType::Int32),
    ],
};

static STATUS: ApiStruct = ApiStruct {
    name: "CustomResourceDefinitionStatus",
    fields: &[
        field("acceptedNames", FieldType::Object(&NAMES)),
        field("conditions", FieldType::List(&FieldType::Object(&CONDITION))),
        field("observedGeneration", FieldType::Int64),
        field("storedVersions", STRINGS),
    ],
};

static CONDITION: ApiStruct = ApiStruct {
    name: "CustomResourceDefinitionCondition",
    fields: &[
        field("lastTransitionTime", FieldType::Time),
        field("message", STRING),
        field("observedGeneration", FieldType::Int64),
        field("reason", STRING),
        field("status", FieldType::String("v1.ConditionStatus")),
        field("type", FieldType::String("v1.CustomResourceDefinitionConditionType")),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_in_const_evaluation() {
        const IS_KNOWN: [bool; 3] = [
            SCHEMA.field("x-kubernetes-map-type").is_some(),
            SCHEMA.field("maxlength").is_some(),
            SCHEMA.field("const").is_some(),
        ];
        assert_eq!(IS_KNOWN, [true, false, false]);
        assert_eq!(SCHEMA.fields.len(), 44);
    }
}
