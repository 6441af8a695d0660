#![allow(warnings)]

#[path = "client/select_a_site_by_namespace.rs"]
mod select_a_site_by_namespace;
#[path = "client/select_by_a_misspelt_field.rs"]
mod select_by_a_misspelt_field;
#[path = "client/select_by_a_number_of_a_boolean.rs"]
mod select_by_a_number_of_a_boolean;
#[path = "client/select_by_a_number_of_a_string.rs"]
mod select_by_a_number_of_a_string;
#[path = "client/select_by_a_string_of_an_integer.rs"]
mod select_by_a_string_of_an_integer;
#[path = "client/select_by_an_undeclared_field.rs"]
mod select_by_an_undeclared_field;
#[path = "client/select_by_no_field.rs"]
mod select_by_no_field;
#[path = "client/select_by_no_variant.rs"]
mod select_by_no_variant;
#[path = "client/select_configs_by_content.rs"]
mod select_configs_by_content;
#[path = "client/select_pods_by_an_undeclared_field.rs"]
mod select_pods_by_an_undeclared_field;

fn main() {}
