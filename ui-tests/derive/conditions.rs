#![allow(warnings)]

#[path = "conditions/of_a_variant.rs"]
mod of_a_variant;
#[path = "conditions/on_the_type.rs"]
mod on_the_type;
#[path = "conditions/with_a_value.rs"]
mod with_a_value;

fn main() {}
