//! Conditions of a status: observed properties of an object, with the time of their last change.
//!
//! ```
//! use crdkit::conditions::{NewCondition, set_condition};
//!
//! let mut conditions = Vec::new();
//! let ready = NewCondition::is_false("Ready", "Starting").message("1 of 3 run").observed_generation(2);
//! assert!(set_condition(&mut conditions, ready.clone()));
//! assert!(!set_condition(&mut conditions, ready)); // nothing is new
//! assert_eq!(conditions[0].status, "False");
//! ```

#[doc(hidden)]
pub mod field;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::Serialize;

use super::status::fields::Fields;
use crate::clock;

pub(crate) mod list;

/// A status whose conditions a client can set.
///
/// A type that derives `KubeSchema` implements it with a field `conditions` of the type `Vec<Condition>` or
/// `Option<Vec<Condition>>`, unless the type is generic. All types that implement [`HasConditions`] implement it too,
/// which takes precedence over the field.
///
/// `Source` is the source of the conditions. It is always inferred:
///
/// ```
/// use crdkit::{KubeSchema, conditions::StatusConditions};
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
/// struct DatabaseStatus {
///     #[serde(default)]
///     conditions: Vec<Condition>,
/// }
///
/// fn count<Source>(mut status: impl StatusConditions<Source>) -> usize {
///     status.list_mut().len()
/// }
/// assert_eq!(count(DatabaseStatus::default()), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no declared conditions",
    note = "add a field `conditions: Vec<Condition>` with the `Condition` of `k8s_openapi::apimachinery::pkg::apis::meta::v1`, or \
            `#[crd(conditions)]` to a field of another name, or implement `crdkit::conditions::HasConditions` by hand"
)]
#[doc(alias("status condition", "SetStatusCondition", "IsStatusConditionTrue"))]
pub trait StatusConditions<Source> {
    /// Returns the conditions for modification.
    fn list_mut(&mut self) -> &mut Vec<Condition>;
}

/// A status with conditions that are not in a field `conditions` of the usual type, for which
/// [`StatusConditions`] is derived.
///
/// Implement it with `#[crd(conditions)]` on the field that contains them:
///
/// ```
/// use crdkit::{KubeSchema, conditions::HasConditions};
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
/// struct DatabaseStatus {
///     #[serde(default)]
///     #[crd(conditions)]
///     observed: Vec<Condition>,
/// }
///
/// assert!(DatabaseStatus::default().conditions_mut().is_empty());
/// ```
///
/// The field is a `Vec<Condition>` or an `Option<Vec<Condition>>`. For other types, implement the trait yourself:
///
/// ```
/// use crdkit::conditions::HasConditions;
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
///
/// struct DatabaseStatus {
///     conditions: Vec<Condition>,
/// }
///
/// impl HasConditions for DatabaseStatus {
///     fn conditions_mut(&mut self) -> &mut Vec<Condition> {
///         &mut self.conditions
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no declared conditions",
    note = "add `#[crd(conditions)]` to its field of type `Vec<Condition>`, or implement \
            `crdkit::conditions::HasConditions` by hand"
)]
pub trait HasConditions {
    /// Returns the conditions for modification.
    fn conditions_mut(&mut self) -> &mut Vec<Condition>;
}

/// A condition to set on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCondition {
    type_: String,
    status: &'static str,
    reason: String,
    message: String,
    observed_generation: Option<i64>,
}

impl NewCondition {
    /// Creates a condition such as `Ready` with the status `True`, and a one-word reason such as `AllRun`.
    pub fn is_true(type_: &str, reason: &str) -> Self {
        Self::new(type_, "True", reason)
    }

    /// Creates a condition with the status `False`.
    pub fn is_false(type_: &str, reason: &str) -> Self {
        Self::new(type_, "False", reason)
    }

    /// Creates a condition with the status `Unknown`.
    pub fn is_unknown(type_: &str, reason: &str) -> Self {
        Self::new(type_, "Unknown", reason)
    }

    /// Sets a human-readable message.
    #[must_use]
    pub fn message(mut self, message: &str) -> Self {
        self.message = message.to_owned();
        self
    }

    /// Sets the `metadata.generation` of the object that was observed.
    #[must_use]
    pub fn observed_generation(mut self, generation: i64) -> Self {
        self.observed_generation = Some(generation);
        self
    }

    /// Sets the observed generation unless it is already set.
    #[cfg(feature = "client")]
    pub(crate) fn or_observed_generation(mut self, generation: Option<i64>) -> Self {
        self.observed_generation = self.observed_generation.or(generation);
        self
    }

    fn new(type_: &str, status: &'static str, reason: &str) -> Self {
        Self {
            type_: type_.to_owned(),
            status,
            reason: reason.to_owned(),
            message: String::new(),
            observed_generation: None,
        }
    }

    fn since(self, time: Time) -> Condition {
        Condition {
            last_transition_time: time,
            message: self.message,
            observed_generation: self.observed_generation,
            reason: self.reason,
            status: self.status.to_owned(),
            type_: self.type_,
        }
    }
}

/// Adds a condition or updates the one of the same type, and returns whether anything changed.
///
/// `lastTransitionTime` is set to the current time if the condition is new or its status changes: in controllers and tasks, to that of
/// the manager's client. Otherwise it remains unchanged. So does `observedGeneration` if `new` has none.
pub fn set_condition(conditions: &mut Vec<Condition>, new: NewCondition) -> bool {
    set_condition_at(conditions, new, Time(clock::now()))
}

fn set_condition_at(conditions: &mut Vec<Condition>, new: NewCondition, now: Time) -> bool {
    let old = conditions.iter_mut().find(|old| old.type_ == new.type_);
    let Some(old) = old else {
        conditions.push(new.since(now));
        return true;
    };
    let since = if old.status == new.status { old.last_transition_time.clone() } else { now };
    let mut condition = new.since(since);
    condition.observed_generation = condition.observed_generation.or(old.observed_generation);
    let is_new = *old != condition;
    *old = condition;
    is_new
}

/// Returns a function that tells whether a condition of an object is true, such as for `wait_until` of a client.
///
/// As for `kubectl wait`, a condition counts as missing if it, or the whole status, was observed for an earlier `metadata.generation`,
/// and case does not matter.
///
/// ```
/// use crdkit::conditions::is_true;
/// use k8s_openapi::api::batch::v1::Job;
///
/// let is_complete = is_true("Complete");
/// let job: Job = serde_json::from_value(serde_json::json!({
///     "status": { "conditions": [{ "type": "Complete", "status": "True" }] },
/// }))?;
/// assert!(is_complete(&job));
/// assert!(!is_complete(&Job::default()));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn is_true<K: Serialize>(type_: &str) -> impl Fn(&K) -> bool + use<'_, K> {
    has_status(type_, "True")
}

/// Returns a function that tells whether a condition of an object is false. See [`is_true`].
pub fn is_false<K: Serialize>(type_: &str) -> impl Fn(&K) -> bool + use<'_, K> {
    has_status(type_, "False")
}

fn has_status<'a, K: Serialize>(type_: &'a str, status: &'static str) -> impl Fn(&K) -> bool + use<'a, K> {
    move |object| {
        let Ok(object) = serde_json::to_value(object) else {
            return false;
        };
        let fields = Fields(&object);
        fields.conditions().any(|condition| {
            condition.type_.eq_ignore_ascii_case(type_)
                && condition.status.eq_ignore_ascii_case(status)
                && !condition.is_outdated(&fields)
        })
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    #[test]
    fn a_condition_of_an_earlier_generation_is_missing() {
        let is_met = |status: serde_json::Value| {
            is_true("Available")(&serde_json::json!({ "metadata": { "generation": 2 }, "status": status }))
        };
        let condition = |more: serde_json::Value| {
            let mut condition = serde_json::json!({ "type": "available", "status": "True" });
            condition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            condition
        };
        let none = condition(serde_json::json!({}));
        let first = condition(serde_json::json!({ "observedGeneration": 1 }));
        let second = condition(serde_json::json!({ "observedGeneration": 2 }));
        for (status, expected) in [
            (serde_json::json!({ "conditions": [none] }), true),
            (serde_json::json!({ "conditions": [first] }), false),
            (serde_json::json!({ "conditions": [second] }), true),
            (serde_json::json!({ "observedGeneration": 1, "conditions": [none] }), false),
            (serde_json::json!({ "observedGeneration": 2, "conditions": [none] }), true),
            (serde_json::json!({ "observedGeneration": 1, "conditions": [second] }), true),
            (serde_json::json!({}), false),
        ] {
            assert_eq!(is_met(status.clone()), expected, "{status}");
        }
    }

    fn time(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    fn ready() -> NewCondition {
        NewCondition::is_true("Ready", "AllRun").observed_generation(1)
    }

    #[test]
    fn condition_is_added_to_others() {
        let mut conditions = Vec::new();
        assert!(set_condition_at(&mut conditions, ready(), time(1)));
        let paused = NewCondition::is_unknown("Paused", "NotSeen").message("not observed yet");
        assert!(set_condition_at(&mut conditions, paused, time(2)));
        let types: Vec<_> = conditions.iter().map(|condition| condition.type_.as_str()).collect();
        assert_eq!(types, ["Ready", "Paused"]);
        assert_eq!(conditions[1].status, "Unknown");
        assert_eq!(conditions[1].message, "not observed yet");
    }

    #[test]
    fn the_same_again_changes_nothing() {
        let mut conditions = Vec::new();
        set_condition_at(&mut conditions, ready(), time(1));
        assert!(!set_condition_at(&mut conditions, ready(), time(2)));
        assert_eq!(conditions[0].last_transition_time, time(1));
    }

    #[test]
    fn transition_time_changes_only_with_the_status() {
        let mut conditions = Vec::new();
        set_condition_at(&mut conditions, ready(), time(1));
        let reason = NewCondition::is_true("Ready", "StillAllRun");
        assert!(set_condition_at(&mut conditions, reason, time(2)));
        assert_eq!(conditions[0].last_transition_time, time(1));
        assert_eq!(conditions[0].reason, "StillAllRun");
        assert_eq!(conditions[0].observed_generation, Some(1));
        let status = NewCondition::is_false("Ready", "OneFailed").observed_generation(2);
        assert!(set_condition_at(&mut conditions, status, time(3)));
        assert_eq!(conditions[0].last_transition_time, time(3));
        assert_eq!(conditions[0].observed_generation, Some(2));
        assert_eq!(conditions.len(), 1);
    }
}
