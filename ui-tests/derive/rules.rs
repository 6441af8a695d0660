#![allow(warnings)]

#[path = "rules/as_list.rs"]
mod as_list;
#[path = "rules/as_word.rs"]
mod as_word;
#[path = "rules/empty.rs"]
mod empty;
#[path = "rules/empty_on_the_resource.rs"]
mod empty_on_the_resource;
#[path = "rules/empty_on_the_type.rs"]
mod empty_on_the_type;
#[path = "rules/field_path_with_an_index.rs"]
mod field_path_with_an_index;
#[path = "rules/field_path_with_self.rs"]
mod field_path_with_self;
#[path = "rules/field_path_without_a_dot.rs"]
mod field_path_without_a_dot;
#[path = "rules/message_as_key.rs"]
mod message_as_key;
#[path = "rules/message_beside.rs"]
mod message_beside;
#[path = "rules/message_beside_on_a_field.rs"]
mod message_beside_on_a_field;
#[path = "rules/number.rs"]
mod number;
#[path = "rules/of_an_older_kube.rs"]
mod of_an_older_kube;
#[path = "rules/of_two_lines_without_a_message.rs"]
mod of_two_lines_without_a_message;
#[path = "rules/optional_old_self_without_old_self.rs"]
mod optional_old_self_without_old_self;
#[path = "rules/syntax.rs"]
mod syntax;
#[path = "rules/twice.rs"]
mod twice;
#[path = "rules/with_a_message_of_two_lines.rs"]
mod with_a_message_of_two_lines;
#[path = "rules/with_an_empty_field_path.rs"]
mod with_an_empty_field_path;
#[path = "rules/with_an_empty_message.rs"]
mod with_an_empty_message;
#[path = "rules/with_an_empty_message_expression.rs"]
mod with_an_empty_message_expression;

fn main() {}
