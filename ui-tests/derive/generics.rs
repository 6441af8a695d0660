#![allow(warnings)]

#[path = "generics/bound_as_word.rs"]
mod bound_as_word;
#[path = "generics/bound_of_a_field_as_word.rs"]
mod bound_of_a_field_as_word;
#[path = "generics/bound_twice.rs"]
mod bound_twice;
#[path = "generics/bound_unknown_side.rs"]
mod bound_unknown_side;
#[path = "generics/bound_unreadable.rs"]
mod bound_unreadable;

fn main() {}
