#![allow(warnings)]

#[path = "size/descriptions_as_flag.rs"]
mod descriptions_as_flag;
#[path = "size/descriptions_in_kube.rs"]
mod descriptions_in_kube;
#[path = "size/descriptions_in_x_kube.rs"]
mod descriptions_in_x_kube;
#[path = "size/descriptions_of_a_skipped_field.rs"]
mod descriptions_of_a_skipped_field;
#[path = "size/descriptions_on_a_plain_type.rs"]
mod descriptions_on_a_plain_type;
#[path = "size/descriptions_twice.rs"]
mod descriptions_twice;
#[path = "size/descriptions_unknown.rs"]
mod descriptions_unknown;
#[path = "size/descriptions_unknown_on_a_field.rs"]
mod descriptions_unknown_on_a_field;
#[path = "size/descriptions_unknown_without_a_suggestion.rs"]
mod descriptions_unknown_without_a_suggestion;
#[path = "size/descriptions_without_a_schema.rs"]
mod descriptions_without_a_schema;
#[path = "size/embed_beside_a_form_of_items.rs"]
mod embed_beside_a_form_of_items;
#[path = "size/embed_beside_preserve_unknown_fields.rs"]
mod embed_beside_preserve_unknown_fields;
#[path = "size/embed_beside_schema_with.rs"]
mod embed_beside_schema_with;
#[path = "size/embed_in_a_tuple.rs"]
mod embed_in_a_tuple;
#[path = "size/embed_inside_of_a_map.rs"]
mod embed_inside_of_a_map;
#[path = "size/embed_lean_beside_descriptions.rs"]
mod embed_lean_beside_descriptions;
#[path = "size/embed_on_a_plain_type.rs"]
mod embed_on_a_plain_type;
#[path = "size/embed_on_the_resource.rs"]
mod embed_on_the_resource;
#[path = "size/embed_unknown.rs"]
mod embed_unknown;
#[path = "size/embed_without_value.rs"]
mod embed_without_value;

fn main() {}
