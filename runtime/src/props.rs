//! Accessors for parts of rendered definitions.

pub(crate) mod read;

use crdkit_core::{for_each_keyword, schema::CountBound};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps, JSONSchemaPropsOrArray,
    JSONSchemaPropsOrBool,
};

/// Returns the schema of a version, if it has one.
pub(crate) fn schema(version: &CustomResourceDefinitionVersion) -> Option<&JSONSchemaProps> {
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
pub(crate) fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}

/// Returns the schema of the values of a map.
pub(crate) fn values(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.additional_properties.as_ref()? {
        JSONSchemaPropsOrBool::Schema(values) => Some(values),
        JSONSchemaPropsOrBool::Bool(_) => None,
    }
}

/// Returns whether CEL rules can access a value of the schema.
pub(crate) fn is_visible_to_rules(schema: &JSONSchemaProps) -> bool {
    crdkit_core::rules::cel::is_visible_to_rules(&read::schema(schema))
}

macro_rules! declare {
    ($($field:ident $(as $k8s:ident)? $name:literal $form:ident
        [$(of $about:ident)? $(number $number:ident $end:ident)? $(count $count:ident $counted:ident $side:ident)?] $doc:literal;
    )+) => {
        /// Returns a bound of the number of characters, items or entries.
        pub(crate) const fn count(schema: &JSONSchemaProps, bound: CountBound) -> Option<i64> {
            match bound {
                $($(CountBound::$count => schema.$field,)?)+
            }
        }

        /// Returns a mutable bound of the number of characters, items or entries.
        pub(crate) const fn count_mut(
            schema: &mut JSONSchemaProps,
            bound: CountBound,
        ) -> &mut Option<i64> {
            match bound {
                $($(CountBound::$count => &mut schema.$field,)?)+
            }
        }
    };
}
for_each_keyword!(declare);
