#![doc = include_str!("attributes/index.md")]

#[doc = include_str!("attributes/resource.md")]
#[doc(alias(
    "age",
    "annotation",
    "attr",
    "category",
    "cel",
    "condition",
    "crate",
    "crates",
    "decode_any_version",
    "deprecated",
    "derive",
    "description",
    "descriptions",
    "doc",
    "format",
    "group",
    "installed_elsewhere",
    "jsonPath",
    "json_path",
    "kind",
    "label",
    "labelSelectorPath",
    "label_selector_path",
    "list_kind",
    "name",
    "namespaced",
    "no_spec",
    "nullable",
    "plural",
    "printcolumn",
    "priority",
    "root",
    "scale",
    "schema",
    "selectable",
    "served",
    "shortname",
    "singular",
    "specReplicasPath",
    "spec_replicas_path",
    "status",
    "statusReplicasPath",
    "status_replicas_path",
    "storage",
    "test",
    "type",
    "type_",
    "validation",
    "version"
))]
pub mod resource {}

#[doc = include_str!("attributes/group_version.md")]
#[doc(alias("group", "version"))]
pub mod group_version {}

#[cfg(feature = "convert")]
#[cfg_attr(docsrs, doc(cfg(feature = "convert")))]
#[doc = include_str!("attributes/convert.md")]
#[doc(alias(
    "default",
    "dropped",
    "flatten",
    "from",
    "hub",
    "hub_default",
    "partial",
    "spokes",
    "to",
    "try_with",
    "with"
))]
pub mod convert {}

#[cfg(feature = "webhook")]
#[cfg_attr(docsrs, doc(cfg(feature = "webhook")))]
#[doc = include_str!("attributes/checked.md")]
#[doc(alias("arguments", "client", "crate"))]
pub mod checked {}

#[doc = include_str!("attributes/types.md")]
#[doc(alias(
    "at_least_one_of",
    "at_most_one_of",
    "cel",
    "crate",
    "crates",
    "immutable",
    "int_or_string",
    "one_of",
    "preserve_unknown_fields",
    "schema",
    "validation"
))]
pub mod types {}

#[doc = include_str!("attributes/fields.md")]
#[doc(alias(
    "column",
    "conditions",
    "default",
    "description",
    "descriptions",
    "embed",
    "format",
    "immutable",
    "int_or_string",
    "list_map_keys",
    "list_type",
    "map_type",
    "merge_strategy",
    "name",
    "preserve_unknown_fields",
    "priority",
    "requires",
    "scale",
    "schema",
    "selectable",
    "struct_type",
    "validation"
))]
pub mod fields {}

#[doc = include_str!("attributes/variants.md")]
#[doc(alias("int_or_string", "preserve_unknown_fields", "schema", "validation"))]
pub mod variants {}

#[doc = include_str!("attributes/values.md")]
#[doc(alias(
    "description",
    "embedded_resource",
    "enum_values",
    "example",
    "exclusive_maximum",
    "exclusive_minimum",
    "external_docs",
    "format",
    "inner",
    "items",
    "key_pattern",
    "max_items",
    "max_length",
    "max_properties",
    "maximum",
    "min_items",
    "min_length",
    "min_properties",
    "minimum",
    "multiple_of",
    "nullable",
    "pattern",
    "schema_patch",
    "title",
    "unique_items"
))]
pub mod values {}

#[doc = include_str!("attributes/serde.md")]
#[doc(alias(
    "alias",
    "content",
    "default",
    "deny_unknown_fields",
    "deserialize_with",
    "flatten",
    "from",
    "into",
    "other",
    "remote",
    "rename",
    "rename_all",
    "rename_all_fields",
    "serialize_with",
    "skip",
    "skip_deserializing",
    "skip_serializing",
    "skip_serializing_if",
    "tag",
    "transparent",
    "try_from",
    "untagged",
    "with"
))]
pub mod serde {}

#[doc = include_str!("attributes/schemars.md")]
#[doc(alias(
    "bound",
    "contains",
    "crate",
    "description",
    "email",
    "example",
    "extend",
    "inline",
    "inner",
    "ip",
    "ipv4",
    "ipv6",
    "length",
    "pattern",
    "range",
    "regex",
    "rename",
    "required",
    "schema_with",
    "title",
    "transform",
    "url",
    "with"
))]
pub mod schemars {}

#[doc = include_str!("attributes/crates.md")]
#[doc(alias("k8s_openapi", "kube", "kube_core", "schemars", "serde", "serde_json", "std"))]
pub mod crates {}

#[doc = include_str!("attributes/apply.md")]
pub mod apply {}

#[doc = include_str!("attributes/inherit.md")]
#[doc(alias("crates"))]
pub mod inherit {}
