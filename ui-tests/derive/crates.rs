#![allow(warnings)]

#[path = "crates/as_text.rs"]
mod as_text;
#[path = "crates/no_path.rs"]
mod no_path;
#[path = "crates/path_as_number.rs"]
mod path_as_number;
#[path = "crates/twice_in_one.rs"]
mod twice_in_one;
#[path = "crates/unknown_key.rs"]
mod unknown_key;
#[path = "crates/unknown_key_on_a_type.rs"]
mod unknown_key_on_a_type;

fn main() {}
