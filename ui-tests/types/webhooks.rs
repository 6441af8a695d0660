#![allow(warnings)]

#[path = "webhooks/scale_of_a_kind_without.rs"]
mod scale_of_a_kind_without;
#[path = "webhooks/status_of_a_kind_without.rs"]
mod status_of_a_kind_without;
#[path = "webhooks/timeout_of_a_minute.rs"]
mod timeout_of_a_minute;
#[path = "webhooks/validate_that_is_not_async.rs"]
mod validate_that_is_not_async;
#[path = "webhooks/validator_of_another_kind.rs"]
mod validator_of_another_kind;

fn main() {}
