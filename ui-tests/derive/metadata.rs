#![allow(warnings)]

#[path = "metadata/annotation_as_word.rs"]
mod annotation_as_word;
#[path = "metadata/annotation_twice.rs"]
mod annotation_twice;
#[path = "metadata/annotation_with_a_bad_key.rs"]
mod annotation_with_a_bad_key;
#[path = "metadata/label_as_text.rs"]
mod label_as_text;
#[path = "metadata/label_of_numbers.rs"]
mod label_of_numbers;
#[path = "metadata/label_twice.rs"]
mod label_twice;
#[path = "metadata/label_with_a_bad_key.rs"]
mod label_with_a_bad_key;
#[path = "metadata/label_with_a_bad_prefix.rs"]
mod label_with_a_bad_prefix;
#[path = "metadata/label_with_a_bad_value.rs"]
mod label_with_a_bad_value;
#[path = "metadata/label_with_a_long_value.rs"]
mod label_with_a_long_value;
#[path = "metadata/label_with_keys.rs"]
mod label_with_keys;
#[path = "metadata/label_without_value.rs"]
mod label_without_value;

fn main() {}
