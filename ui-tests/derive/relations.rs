#![allow(warnings)]

#[path = "relations/immutable_field_of_a_newtype.rs"]
mod immutable_field_of_a_newtype;
#[path = "relations/immutable_in_items.rs"]
mod immutable_in_items;
#[path = "relations/immutable_twice.rs"]
mod immutable_twice;
#[path = "relations/immutable_with_a_value.rs"]
mod immutable_with_a_value;
#[path = "relations/immutable_without_spec.rs"]
mod immutable_without_spec;
#[path = "relations/one_of_a_field_twice.rs"]
mod one_of_a_field_twice;
#[path = "relations/one_of_as_word.rs"]
mod one_of_as_word;
#[path = "relations/one_of_beside_a_disabled_schema.rs"]
mod one_of_beside_a_disabled_schema;
#[path = "relations/one_of_in_kube.rs"]
mod one_of_in_kube;
#[path = "relations/one_of_in_x_kube.rs"]
mod one_of_in_x_kube;
#[path = "relations/one_of_nearly.rs"]
mod one_of_nearly;
#[path = "relations/one_of_on_a_field.rs"]
mod one_of_on_a_field;
#[path = "relations/one_of_on_an_enum.rs"]
mod one_of_on_an_enum;
#[path = "relations/one_of_one_field.rs"]
mod one_of_one_field;
#[path = "relations/one_of_without_quotes.rs"]
mod one_of_without_quotes;
#[path = "relations/requires_a_field_twice.rs"]
mod requires_a_field_twice;
#[path = "relations/requires_as_word.rs"]
mod requires_as_word;
#[path = "relations/requires_itself.rs"]
mod requires_itself;
#[path = "relations/requires_nothing.rs"]
mod requires_nothing;
#[path = "relations/requires_of_a_flattened_field.rs"]
mod requires_of_a_flattened_field;
#[path = "relations/requires_on_a_type.rs"]
mod requires_on_a_type;

fn main() {}
