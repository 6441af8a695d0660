#![allow(warnings)]

#[path = "webhooks/name_in_upper_case.rs"]
mod name_in_upper_case;
#[path = "webhooks/name_of_two_labels.rs"]
mod name_of_two_labels;
#[path = "webhooks/name_that_is_empty.rs"]
mod name_that_is_empty;

fn main() {}
