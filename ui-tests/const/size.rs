#![allow(warnings)]

#[path = "size/embed_of_a_number.rs"]
mod embed_of_a_number;
#[path = "size/embed_of_an_own_type.rs"]
mod embed_of_an_own_type;
#[path = "size/embed_opaque_of_a_list_of_strings.rs"]
mod embed_opaque_of_a_list_of_strings;

fn main() {}
