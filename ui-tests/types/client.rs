#![allow(warnings)]

#[path = "client/apply_the_object_itself.rs"]
mod apply_the_object_itself;
#[path = "client/condition_of_a_status_without.rs"]
mod condition_of_a_status_without;
#[path = "client/list_without_a_namespace.rs"]
mod list_without_a_namespace;
#[path = "client/namespace_of_a_cluster_resource.rs"]
mod namespace_of_a_cluster_resource;
#[path = "client/object_of_all_namespaces.rs"]
mod object_of_all_namespaces;
#[path = "client/object_without_a_namespace.rs"]
mod object_without_a_namespace;
#[path = "client/owner_in_a_namespace_of_a_node.rs"]
mod owner_in_a_namespace_of_a_node;
#[path = "client/scale_of_a_kind_without.rs"]
mod scale_of_a_kind_without;
#[path = "client/scale_of_a_pod.rs"]
mod scale_of_a_pod;
#[path = "client/select_by_a_share.rs"]
mod select_by_a_share;
#[path = "client/select_by_an_expression_of_another_type.rs"]
mod select_by_an_expression_of_another_type;
#[path = "client/select_specs.rs"]
mod select_specs;
#[path = "client/selector_of_another_kind.rs"]
mod selector_of_another_kind;
#[path = "client/selector_of_another_kind_of_metadata.rs"]
mod selector_of_another_kind_of_metadata;
#[path = "client/status_of_a_kind_without.rs"]
mod status_of_a_kind_without;
#[path = "client/status_without_a_default.rs"]
mod status_without_a_default;
#[path = "client/evict_a_config.rs"]
mod evict_a_config;
#[path = "client/write_a_read_only_kind.rs"]
mod write_a_read_only_kind;

fn main() {}
