#![allow(warnings)]

#[path = "names/category_in_capitals.rs"]
mod category_in_capitals;
#[path = "names/category_twice.rs"]
mod category_twice;
#[path = "names/definition_name_too_long.rs"]
mod definition_name_too_long;
#[path = "names/group_empty.rs"]
mod group_empty;
#[path = "names/group_in_capitals.rs"]
mod group_in_capitals;
#[path = "names/group_of_kubernetes.rs"]
mod group_of_kubernetes;
#[path = "names/group_of_kubernetes_with_a_bad_approval.rs"]
mod group_of_kubernetes_with_a_bad_approval;
#[path = "names/group_with_underscore.rs"]
mod group_with_underscore;
#[path = "names/group_without_dot.rs"]
mod group_without_dot;
#[path = "names/irregular_plural.rs"]
mod irregular_plural;
#[path = "names/irregular_plural_of_the_spec.rs"]
mod irregular_plural_of_the_spec;
#[path = "names/kind_empty.rs"]
mod kind_empty;
#[path = "names/kind_of_the_spec_with_underscore.rs"]
mod kind_of_the_spec_with_underscore;
#[path = "names/kind_too_long.rs"]
mod kind_too_long;
#[path = "names/kind_too_long_with_list_behind_it.rs"]
mod kind_too_long_with_list_behind_it;
#[path = "names/kind_with_a_space.rs"]
mod kind_with_a_space;
#[path = "names/kind_with_underscore.rs"]
mod kind_with_underscore;
#[path = "names/list_kind_is_the_kind.rs"]
mod list_kind_is_the_kind;
#[path = "names/list_kind_with_underscore.rs"]
mod list_kind_with_underscore;
#[path = "names/plural_in_capitals.rs"]
mod plural_in_capitals;
#[path = "names/plural_made_too_long.rs"]
mod plural_made_too_long;
#[path = "names/plural_too_long.rs"]
mod plural_too_long;
#[path = "names/short_name_twice.rs"]
mod short_name_twice;
#[path = "names/short_name_with_underscore.rs"]
mod short_name_with_underscore;
#[path = "names/singular_with_a_space.rs"]
mod singular_with_a_space;
#[path = "names/version_in_capitals.rs"]
mod version_in_capitals;
#[path = "names/version_with_a_dot.rs"]
mod version_with_a_dot;

fn main() {}
