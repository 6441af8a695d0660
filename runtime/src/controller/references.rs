//! The objects that a reconciled object refers to.

use std::sync::Arc;

use kube_core::PartialObjectMeta;

use super::{Context, StaticKind, caches::Caches, condition_text::message};
use crate::{conditions::NewCondition, informer::ObjectKey};

/// Returns the keys of the objects of a kind that an object refers to.
pub(super) type References<K> = Arc<dyn Fn(&K) -> Vec<ObjectKey> + Send + Sync>;

impl<K: StaticKind, T> Context<K, T> {
    /// Returns the objects of a kind that an object [refers](super::ControllerBuilder::refers) to, from the cache.
    ///
    /// # Panics
    ///
    /// Panics if the controller was not built with `refers` for the kind. The message names the kind.
    pub fn referred<C: StaticKind>(&self, object: &K) -> Referred<C> {
        let caches = &self.run.caches;
        assert!(caches.has_references_to::<C>(), "{}", undeclared::<K, C>(caches));
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for (key, object) in caches.referred::<K, C>(object) {
            match object {
                Some(object) => found.push(object),
                None => missing.push(key),
            }
        }
        Referred { kind: C::kind(&()).into_owned(), found, missing }
    }
}

/// What to do about references that are not declared.
fn undeclared<K: StaticKind, C: StaticKind>(caches: &Caches) -> String {
    let (kind, owner) = (C::kind(&()), K::kind(&()));
    let advice = if caches.has_references_to::<PartialObjectMeta<C>>() {
        format!("it has only their metadata: `cx.referred::<PartialObjectMeta<{kind}>>(...)`")
    } else {
        format!("add `.refers::<{kind}>(...)` to it")
    };
    format!("the controller of {owner} does not know its references to {kind}: {advice}")
}

/// The objects that an object refers to.
#[derive(Clone, Debug)]
pub struct Referred<C> {
    kind: String,
    found: Vec<Arc<C>>,
    missing: Vec<ObjectKey>,
}

impl<C> Referred<C> {
    /// Returns the objects, in the order of the references.
    pub fn found(&self) -> &[Arc<C>] {
        &self.found
    }

    /// Returns the keys of the objects that do not exist, or that are not selected. The object is reconciled again when one of them is
    /// created.
    pub fn missing(&self) -> &[ObjectKey] {
        &self.missing
    }

    /// Returns a condition: true with the reason `Found` if no object is missing, otherwise false with the reason `NotFound` and a
    /// message with their names.
    pub fn condition(&self, type_: &str) -> NewCondition {
        if self.missing.is_empty() {
            return NewCondition::is_true(type_, "Found");
        }
        let names: Vec<_> = self.missing.iter().map(|key| format!("`{key}`")).collect();
        NewCondition::is_false(type_, "NotFound").message(&message(&format!(
            "{} {} not found",
            self.kind,
            names.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::conditions::set_condition;

    #[test]
    fn a_condition_names_what_is_missing() {
        let key = |name: &str| ObjectKey::new(Some("prod"), name);
        let mut referred = Referred::<Secret> {
            kind: "Secret".to_owned(),
            found: vec![Arc::default()],
            missing: vec![key("a"), key("b")],
        };
        let mut conditions = Vec::new();
        set_condition(&mut conditions, referred.condition("Secrets"));
        assert_eq!((conditions[0].status.as_str(), conditions[0].reason.as_str()), ("False", "NotFound"));
        assert_eq!(conditions[0].message, "Secret `prod/a`, `prod/b` not found");
        referred.missing.clear();
        set_condition(&mut conditions, referred.condition("Secrets"));
        assert_eq!((conditions[0].status.as_str(), conditions[0].reason.as_str()), ("True", "Found"));
    }
}
