#![allow(warnings)]

#[path = "keys/attribute_with_value.rs"]
mod attribute_with_value;
#[path = "keys/attribute_without_items.rs"]
mod attribute_without_items;
#[path = "keys/cel_on_a_generic_type.rs"]
mod cel_on_a_generic_type;
#[path = "keys/crate_on_a_field.rs"]
mod crate_on_a_field;
#[path = "keys/doc_as_list.rs"]
mod doc_as_list;
#[path = "keys/field_column_with_value.rs"]
mod field_column_with_value;
#[path = "keys/field_selectable_twice.rs"]
mod field_selectable_twice;
#[path = "keys/field_word_with_value.rs"]
mod field_word_with_value;
#[path = "keys/flag_as_number.rs"]
mod flag_as_number;
#[path = "keys/flag_as_other_text.rs"]
mod flag_as_other_text;
#[path = "keys/flag_twice.rs"]
mod flag_twice;
#[path = "keys/group_as_expression.rs"]
mod group_as_expression;
#[path = "keys/group_as_list.rs"]
mod group_as_list;
#[path = "keys/group_as_number.rs"]
mod group_as_number;
#[path = "keys/group_twice.rs"]
mod group_twice;
#[path = "keys/group_without_value.rs"]
mod group_without_value;
#[path = "keys/invalid_expression.rs"]
mod invalid_expression;
#[path = "keys/kind_as_path.rs"]
mod kind_as_path;
#[path = "keys/kube_on_a_field.rs"]
mod kube_on_a_field;
#[path = "keys/kube_on_a_variant.rs"]
mod kube_on_a_variant;
#[path = "keys/literal_for_a_key.rs"]
mod literal_for_a_key;
#[path = "keys/missing_group.rs"]
mod missing_group;
#[path = "keys/missing_kind.rs"]
mod missing_kind;
#[path = "keys/missing_kind_with_a_root.rs"]
mod missing_kind_with_a_root;
#[path = "keys/missing_version.rs"]
mod missing_version;
#[path = "keys/of_a_field_in_kube.rs"]
mod of_a_field_in_kube;
#[path = "keys/of_a_field_on_a_plain_type.rs"]
mod of_a_field_on_a_plain_type;
#[path = "keys/of_a_field_on_the_resource.rs"]
mod of_a_field_on_the_resource;
#[path = "keys/of_crd_in_kube.rs"]
mod of_crd_in_kube;
#[path = "keys/of_crd_in_kubes_printcolumn.rs"]
mod of_crd_in_kubes_printcolumn;
#[path = "keys/of_crd_in_x_kube.rs"]
mod of_crd_in_x_kube;
#[path = "keys/of_the_resource_on_a_field.rs"]
mod of_the_resource_on_a_field;
#[path = "keys/of_the_resource_on_a_plain_type.rs"]
mod of_the_resource_on_a_plain_type;
#[path = "keys/of_the_type_in_kube.rs"]
mod of_the_type_in_kube;
#[path = "keys/on_a_variant.rs"]
mod on_a_variant;
#[path = "keys/preserve_with_value.rs"]
mod preserve_with_value;
#[path = "keys/printcolumn_without_value.rs"]
mod printcolumn_without_value;
#[path = "keys/priority_without_value.rs"]
mod priority_without_value;
#[path = "keys/scale_in_kube_without_value.rs"]
mod scale_in_kube_without_value;
#[path = "keys/short_names_as_list.rs"]
mod short_names_as_list;
#[path = "keys/status_no_type.rs"]
mod status_no_type;
#[path = "keys/status_without_value.rs"]
mod status_without_value;
#[path = "keys/syntax.rs"]
mod syntax;
#[path = "keys/test_as_text.rs"]
mod test_as_text;
#[path = "keys/twice_in_two_attributes.rs"]
mod twice_in_two_attributes;
#[path = "keys/unknown_in_column.rs"]
mod unknown_in_column;
#[path = "keys/unknown_in_kube.rs"]
mod unknown_in_kube;
#[path = "keys/unknown_in_printcolumn.rs"]
mod unknown_in_printcolumn;
#[path = "keys/unknown_in_scale.rs"]
mod unknown_in_scale;
#[path = "keys/unknown_in_schemars.rs"]
mod unknown_in_schemars;
#[path = "keys/unknown_in_schemars_on_the_type.rs"]
mod unknown_in_schemars_on_the_type;
#[path = "keys/unknown_in_x_kube.rs"]
mod unknown_in_x_kube;
#[path = "keys/unknown_on_a_field.rs"]
mod unknown_on_a_field;
#[path = "keys/unknown_on_a_plain_type.rs"]
mod unknown_on_a_plain_type;
#[path = "keys/unknown_on_the_resource.rs"]
mod unknown_on_the_resource;
#[path = "keys/unknown_schema_mode.rs"]
mod unknown_schema_mode;
#[path = "keys/unknown_without_a_suggestion.rs"]
mod unknown_without_a_suggestion;
#[path = "keys/version_as_bytes.rs"]
mod version_as_bytes;

fn main() {}
