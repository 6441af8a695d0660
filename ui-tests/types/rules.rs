#![allow(warnings)]

#[path = "rules/message_of_a_number.rs"]
mod message_of_a_number;
#[path = "rules/of_another_type.rs"]
mod of_another_type;
#[path = "rules/unknown_method.rs"]
mod unknown_method;
#[path = "rules/unknown_reason.rs"]
mod unknown_reason;

fn main() {}
