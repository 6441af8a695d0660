//! What users steer a controller by: annotations of its objects.

use std::sync::Arc;

use crdkit_core::literal::dns;

use super::{ReconciledKind, metrics::Counters, pause::Pause, reconcile_requests::ReconcileRequests};
use crate::informer::Filter;

/// The names that a controller is steered by.
#[derive(Clone, Debug)]
pub(super) struct Steering {
    /// The annotation that pauses an object.
    pub(super) pause: Option<String>,
    pub(super) paused_condition: String,
    /// The annotation that requests a reconciliation.
    pub(super) request: Option<String>,
    pub(super) handled_field: String,
}

impl Default for Steering {
    fn default() -> Self {
        Self {
            pause: None,
            paused_condition: "Paused".to_owned(),
            request: None,
            handled_field: "lastHandledReconcileAt".to_owned(),
        }
    }
}

impl Steering {
    pub(super) fn to_pause(&self, counters: &Arc<Counters>) -> Option<Pause> {
        let annotation = self.pause.clone()?;
        Some(Pause::new(annotation, self.paused_condition.clone(), counters.clone()))
    }

    pub(super) fn to_requests(&self) -> Option<ReconcileRequests> {
        Some(ReconcileRequests::new(self.request.clone()?, self.handled_field.clone()))
    }

    /// Adds the updates of the annotations to those that are reconciled: `None` for those of most controllers.
    pub(super) fn filter<K: ReconciledKind>(&self, filter: Option<Filter<K>>) -> Option<Filter<K>> {
        let annotations = [&self.pause, &self.request].into_iter().flatten();
        let steers = annotations.map(|name| Filter::annotation(name)).reduce(Filter::or);
        match steers {
            Some(steers) => Some(filter.unwrap_or_else(Filter::for_reconciling) | steers),
            None => filter,
        }
    }

    /// Returns what is wrong with the names.
    pub(super) fn problems(&self, controller: &str) -> Vec<String> {
        let names = [&self.pause, &self.request];
        let invalid = names.into_iter().flatten().filter(|name| dns::qualified_name(name).is_err());
        let mut problems: Vec<_> = invalid
            .map(|name| {
                format!("`{name}` of the controller `{controller}` is not the name of an annotation, such as `example.com/paused`")
            })
            .collect();
        if self.pause.is_some() && self.pause == self.request {
            problems.push(format!(
                "the controller `{controller}` is paused by the same annotation that requests reconciliations"
            ));
        }
        problems
    }

    /// Returns what two controllers of the same objects, with these names, do to each other.
    pub(super) fn conflicts(&self, other: &Self, names: (&str, &str), kind: &str) -> Vec<String> {
        let controllers = format!("the controllers `{}` and `{}` of `{kind}`", names.0, names.1);
        let mut problems = Vec::new();
        let pauses = self.pause.as_ref().zip(other.pause.as_ref());
        if pauses.is_some_and(|(own, others)| own != others) && self.paused_condition == other.paused_condition {
            problems.push(format!(
                "{controllers} are paused by different annotations, and have the same condition `{}`: set another one with \
                 `ControllerBuilder::paused_condition`",
                self.paused_condition
            ));
        }
        let both_have_requests = self.request.is_some() && other.request.is_some();
        if both_have_requests && self.handled_field == other.handled_field {
            problems.push(format!(
                "{controllers} record requests in the same field `{}` of the status: set another one with \
                 `ControllerBuilder::handled_request_field`",
                self.handled_field
            ));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused_by(annotation: &str) -> Steering {
        Steering { pause: Some(annotation.to_owned()), ..Steering::default() }
    }

    #[test]
    fn names_are_those_of_annotations() {
        assert_eq!(paused_by("example.com/paused").problems("site"), [""; 0]);
        assert_eq!(paused_by("not a name").problems("site").len(), 1);
        let both = Steering { request: Some("a/b".to_owned()), ..paused_by("a/b") };
        assert_eq!(both.problems("site").len(), 1);
    }

    #[test]
    fn controllers_do_not_share_what_they_write() {
        let conflicts = |one: &Steering, other: &Steering| one.conflicts(other, ("a", "b"), "Site").len();
        let one = paused_by("a/paused");
        // One annotation may pause several controllers, which write the same condition.
        assert_eq!(conflicts(&one, &one), 0);
        assert_eq!(conflicts(&one, &Steering::default()), 0);
        assert_eq!(conflicts(&one, &paused_by("b/paused")), 1);
        let other = Steering { paused_condition: "BackupPaused".to_owned(), ..paused_by("b/paused") };
        assert_eq!(conflicts(&one, &other), 0);
        let requested = Steering { request: Some("a/requested".to_owned()), ..Steering::default() };
        assert_eq!(conflicts(&requested, &requested), 1);
    }
}
