#![allow(warnings)]

#[path = "columns/age_twice.rs"]
mod age_twice;
#[path = "columns/age_with_a_name.rs"]
mod age_with_a_name;
#[path = "columns/age_with_a_value.rs"]
mod age_with_a_value;
#[path = "columns/condition_empty.rs"]
mod condition_empty;
#[path = "columns/condition_with_a_path.rs"]
mod condition_with_a_path;
#[path = "columns/condition_with_quotes.rs"]
mod condition_with_quotes;
#[path = "columns/empty_name.rs"]
mod empty_name;
#[path = "columns/json_member_of_another_type.rs"]
mod json_member_of_another_type;
#[path = "columns/json_missing_member.rs"]
mod json_missing_member;
#[path = "columns/json_no_object.rs"]
mod json_no_object;
#[path = "columns/json_syntax.rs"]
mod json_syntax;
#[path = "columns/json_unknown_member.rs"]
mod json_unknown_member;
#[path = "columns/json_unknown_type.rs"]
mod json_unknown_type;
#[path = "columns/name_twice.rs"]
mod name_twice;
#[path = "columns/no_name.rs"]
mod no_name;
#[path = "columns/no_type_beside_a_manual_schema.rs"]
mod no_type_beside_a_manual_schema;
#[path = "columns/nothing_in_it.rs"]
mod nothing_in_it;
#[path = "columns/on_a_field_with_an_empty_name.rs"]
mod on_a_field_with_an_empty_name;
#[path = "columns/on_a_field_with_an_unknown_format.rs"]
mod on_a_field_with_an_unknown_format;
#[path = "columns/priority_no_number.rs"]
mod priority_no_number;
#[path = "columns/priority_too_big.rs"]
mod priority_too_big;
#[path = "columns/type_in_two_spellings.rs"]
mod type_in_two_spellings;
#[path = "columns/unknown_format.rs"]
mod unknown_format;
#[path = "columns/unknown_type.rs"]
mod unknown_type;

fn main() {}
