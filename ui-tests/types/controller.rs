#![allow(warnings)]

#[path = "controller/apply_a_cluster_scoped_kind.rs"]
mod apply_a_cluster_scoped_kind;
#[path = "controller/clean_up_that_is_not_async.rs"]
mod clean_up_that_is_not_async;
#[path = "controller/clean_up_with_another_state.rs"]
mod clean_up_with_another_state;
#[path = "controller/condition_of_a_status_without.rs"]
mod condition_of_a_status_without;
#[path = "controller/controller_without_a_function.rs"]
mod controller_without_a_function;
#[path = "controller/event_of_another_kind.rs"]
mod event_of_another_kind;
#[path = "controller/filter_of_another_kind.rs"]
mod filter_of_another_kind;
#[path = "controller/kube_reconciler_of_another_kind.rs"]
mod kube_reconciler_of_another_kind;
#[path = "controller/of_a_spec.rs"]
mod of_a_spec;
#[path = "controller/owned_by_another_kind.rs"]
mod owned_by_another_kind;
#[path = "controller/owns_a_cluster_scoped_kind.rs"]
mod owns_a_cluster_scoped_kind;
#[path = "controller/reconcile_another_kind.rs"]
mod reconcile_another_kind;
#[path = "controller/reconcile_key_with_an_object.rs"]
mod reconcile_key_with_an_object;
#[path = "controller/reconcile_that_borrows.rs"]
mod reconcile_that_borrows;
#[path = "controller/reconcile_that_is_not_async.rs"]
mod reconcile_that_is_not_async;
#[path = "controller/reconcile_that_is_not_send.rs"]
mod reconcile_that_is_not_send;
#[path = "controller/reconcile_with_an_error_that_is_none.rs"]
mod reconcile_with_an_error_that_is_none;
#[path = "controller/reconcile_with_arguments_of_kube.rs"]
mod reconcile_with_arguments_of_kube;
#[path = "controller/reconcile_without_an_action.rs"]
mod reconcile_without_an_action;
#[path = "controller/select_namespaces_of_a_cluster_scoped_kind.rs"]
mod select_namespaces_of_a_cluster_scoped_kind;
#[path = "controller/state_of_another_type.rs"]
mod state_of_another_type;
#[path = "controller/state_that_is_not_sync.rs"]
mod state_that_is_not_sync;
#[path = "controller/state_twice.rs"]
mod state_twice;
#[path = "controller/status_of_a_kind_without.rs"]
mod status_of_a_kind_without;
#[path = "controller/status_of_another_kind.rs"]
mod status_of_another_kind;
#[path = "controller/status_without_a_default.rs"]
mod status_without_a_default;
#[path = "controller/watches_without_keys.rs"]
mod watches_without_keys;
#[path = "controller/writes_with_verbs_as_text.rs"]
mod writes_with_verbs_as_text;

fn main() {}
