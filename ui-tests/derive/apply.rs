#![allow(warnings)]

#[path = "apply/on_a_generic_type.rs"]
mod on_a_generic_type;
#[path = "apply/on_a_newtype.rs"]
mod on_a_newtype;
#[path = "apply/on_a_transparent_struct.rs"]
mod on_a_transparent_struct;
#[path = "apply/on_a_union.rs"]
mod on_a_union;
#[path = "apply/on_an_enum.rs"]
mod on_an_enum;

fn main() {}
