#![allow(warnings)]

#[path = "merge_strategy/as_list.rs"]
mod as_list;
#[path = "merge_strategy/as_word.rs"]
mod as_word;
#[path = "merge_strategy/key_twice.rs"]
mod key_twice;
#[path = "merge_strategy/no_keys.rs"]
mod no_keys;
#[path = "merge_strategy/text.rs"]
mod text;
#[path = "merge_strategy/two.rs"]
mod two;

fn main() {}
