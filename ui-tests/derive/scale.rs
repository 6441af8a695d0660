#![allow(warnings)]

#[path = "scale/array_notation.rs"]
mod array_notation;
#[path = "scale/fields_beside_a_manual_schema.rs"]
mod fields_beside_a_manual_schema;
#[path = "scale/fields_without_spec.rs"]
mod fields_without_spec;
#[path = "scale/json_missing_member.rs"]
mod json_missing_member;
#[path = "scale/json_syntax.rs"]
mod json_syntax;
#[path = "scale/json_unknown_member.rs"]
mod json_unknown_member;
#[path = "scale/no_role.rs"]
mod no_role;
#[path = "scale/no_status_path.rs"]
mod no_status_path;
#[path = "scale/nothing_in_it.rs"]
mod nothing_in_it;
#[path = "scale/path_as_word.rs"]
mod path_as_word;
#[path = "scale/replicas_outside_of_spec.rs"]
mod replicas_outside_of_spec;
#[path = "scale/role_on_the_resource.rs"]
mod role_on_the_resource;
#[path = "scale/roles_on_the_resource.rs"]
mod roles_on_the_resource;
#[path = "scale/selector_outside_of_spec_and_status.rs"]
mod selector_outside_of_spec_and_status;
#[path = "scale/status_replicas_outside_of_status.rs"]
mod status_replicas_outside_of_status;
#[path = "scale/twice.rs"]
mod twice;
#[path = "scale/two_roles_of_one_field.rs"]
mod two_roles_of_one_field;
#[path = "scale/unknown_role.rs"]
mod unknown_role;

fn main() {}
