#![allow(warnings)]

#[path = "paths/empty.rs"]
mod empty;
#[path = "paths/empty_segment.rs"]
mod empty_segment;
#[path = "paths/in_braces.rs"]
mod in_braces;
#[path = "paths/space_in_a_name.rs"]
mod space_in_a_name;
#[path = "paths/text_after_a_bracket.rs"]
mod text_after_a_bracket;
#[path = "paths/unclosed_bracket.rs"]
mod unclosed_bracket;
#[path = "paths/unclosed_filter.rs"]
mod unclosed_filter;
#[path = "paths/with_a_dollar.rs"]
mod with_a_dollar;
#[path = "paths/without_leading_dot.rs"]
mod without_leading_dot;
#[path = "paths/word_in_brackets.rs"]
mod word_in_brackets;

fn main() {}
