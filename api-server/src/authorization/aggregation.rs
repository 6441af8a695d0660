//! ClusterRoles that have the rules of others.

use serde_json::Value;

use super::GROUP;
use crate::{
    selector::labels::LabelSelector,
    store::{Key, Store},
    value::{items, text},
};

/// Sets the rules of the aggregated ClusterRoles, as the controller of a cluster does.
pub(super) fn aggregate(store: &mut Store) {
    // A role may select one that is aggregated itself.
    while aggregate_once(store) {}
}

/// Returns whether a role has changed.
fn aggregate_once(store: &mut Store) -> bool {
    let roles = store.values(&format!("clusterroles.{GROUP}"));
    let mut is_changed = false;
    for role in &roles {
        let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array();
        let Some(selectors) = selectors.filter(|list| !list.is_empty()) else { continue };
        let name = text(&role["metadata"], "name");
        let mut rules: Vec<Value> = Vec::new();
        for selector in selectors.iter().map(LabelSelector::of_object) {
            let selected =
                roles.iter().filter(|other| text(&other["metadata"], "name") != name && selector.matches(other));
            for rule in selected.flat_map(|other| other["rules"].as_array().into_iter().flatten()) {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
        if items(&role["rules"]) != rules {
            let mut updated = role.clone();
            updated["rules"] = rules.into();
            store.put(&format!("clusterroles.{GROUP}"), &Key::new("", name), &mut updated);
            is_changed = true;
        }
    }
    is_changed
}
