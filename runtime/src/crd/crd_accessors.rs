//! Accessors for parts of rendered definitions.

pub(crate) mod read;

use std::collections::BTreeSet;

use crdkit_core::{for_each_keyword, object_processing, schema::CountBound};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, JSON, JSONSchemaProps, JSONSchemaPropsOrArray,
    JSONSchemaPropsOrBool,
};
use serde_json::Value;

/// Returns the schema of a version, if it has one.
pub fn schema(version: &CustomResourceDefinitionVersion) -> Option<&JSONSchemaProps> {
    version.schema.as_ref()?.open_api_v3_schema.as_ref()
}

/// Returns the version in which objects are written.
pub(crate) fn storage_version(crd: &CustomResourceDefinition) -> Option<&CustomResourceDefinitionVersion> {
    crd.spec.versions.iter().find(|version| version.storage)
}

/// Returns the names of the versions in which objects may be stored.
pub(crate) fn stored_versions(crd: &CustomResourceDefinition) -> impl Iterator<Item = &String> {
    let status = crd.status.iter();
    status.flat_map(|status| status.stored_versions.iter().flatten())
}

/// Returns the schema of the items of a list.
pub fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}

/// Returns the schema of the values of a map.
pub fn values(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.additional_properties.as_ref()? {
        JSONSchemaPropsOrBool::Schema(values) => Some(values),
        JSONSchemaPropsOrBool::Bool(_) => None,
    }
}

/// Returns whether CEL rules can access a value of the schema.
pub(crate) fn is_visible_to_rules(schema: &JSONSchemaProps) -> bool {
    crdkit_core::rules::cel::is_visible_to_rules(&read::schema(schema))
}

/// Calls a function with each schema directly in this one.
pub(crate) fn for_each_subschema(schema: &mut JSONSchemaProps, visit: &mut impl FnMut(&mut JSONSchemaProps)) {
    schema.properties.iter_mut().flat_map(|properties| properties.values_mut()).for_each(&mut *visit);
    match &mut schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => visit(items),
        Some(JSONSchemaPropsOrArray::Schemas(items)) => items.iter_mut().for_each(&mut *visit),
        None => {}
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        visit(values);
    }
    for branches in [&mut schema.all_of, &mut schema.any_of, &mut schema.one_of] {
        branches.iter_mut().flatten().for_each(&mut *visit);
    }
    if let Some(not) = schema.not.as_deref_mut() {
        visit(not);
    }
}

/// Writes the numbers of defaults, enums and examples as the API server returns them, so that equal numbers are equal as
/// JSON: `1.0` and `1e0` are `1`.
pub(crate) fn normalize_numbers(schema: &mut JSONSchemaProps) {
    let values = schema.enum_.iter_mut().flatten();
    for JSON(value) in values.chain(&mut schema.default).chain(&mut schema.example) {
        *value = with_plain_numbers(value.take());
    }
    for_each_subschema(schema, &mut normalize_numbers);
}

/// Returns a value whose numbers are written as the API server returns them.
pub(crate) fn with_plain_numbers(value: Value) -> Value {
    let mut json = read::take_json(value);
    object_processing::normalize_numbers(&mut json);
    read::to_serde(json)
}

/// The values of an `enum`, of which there may be thousands.
pub(crate) struct ValueSet(BTreeSet<String>);

impl ValueSet {
    pub(crate) fn of(values: &[JSON]) -> Self {
        Self(values.iter().map(|value| value.0.to_string()).collect())
    }

    pub(crate) fn contains(&self, value: &JSON) -> bool {
        self.0.contains(&value.0.to_string())
    }
}

/// Whether two schemas are equal, with equal numbers in any notation.
pub(crate) fn are_equal(one: &JSONSchemaProps, other: &JSONSchemaProps) -> bool {
    let [one, other] = [one, other].map(|schema| {
        let mut normal = schema.clone();
        normalize_numbers(&mut normal);
        normal
    });
    one == other
}

macro_rules! declare {
    (
        $keywords:ident $keyword_lines:tt $numbers:ident $number_lines:tt
        counts { $($field:ident $name:literal $count:ident $counted:ident $side:ident $doc:literal;)+ }
        $others:ident $other_lines:tt
    ) => {
        /// Returns a bound of the number of characters, items or entries.
        pub const fn count(schema: &JSONSchemaProps, bound: CountBound) -> Option<i64> {
            match bound {
                $(CountBound::$count => schema.$field,)+
            }
        }

        /// Returns a mutable bound of the number of characters, items or entries.
        pub(crate) const fn count_mut(
            schema: &mut JSONSchemaProps,
            bound: CountBound,
        ) -> &mut Option<i64> {
            match bound {
                $(CountBound::$count => &mut schema.$field,)+
            }
        }
    };
}
for_each_keyword!(declare);
