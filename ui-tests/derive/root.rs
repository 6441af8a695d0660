#![allow(warnings)]

#[path = "root/attribute_derive.rs"]
mod attribute_derive;
#[path = "root/attribute_no_attribute.rs"]
mod attribute_no_attribute;
#[path = "root/attribute_of_serde.rs"]
mod attribute_of_serde;
#[path = "root/derive_as_list.rs"]
mod derive_as_list;
#[path = "root/derive_no_path.rs"]
mod derive_no_path;
#[path = "root/kind_no_identifier.rs"]
mod kind_no_identifier;
#[path = "root/named_like_the_struct.rs"]
mod named_like_the_struct;
#[path = "root/no_identifier.rs"]
mod no_identifier;
#[path = "root/no_spec_with_a_renamed_field.rs"]
mod no_spec_with_a_renamed_field;
#[path = "root/no_spec_with_a_reserved_name.rs"]
mod no_spec_with_a_reserved_name;
#[path = "root/no_spec_with_a_tuple_struct.rs"]
mod no_spec_with_a_tuple_struct;
#[path = "root/no_spec_with_an_enum.rs"]
mod no_spec_with_an_enum;
#[path = "root/no_spec_with_renamed_fields.rs"]
mod no_spec_with_renamed_fields;
#[path = "root/union.rs"]
mod union;
#[path = "root/without_attributes.rs"]
mod without_attributes;

fn main() {}
