//! Effects of breaking changes on objects.

use serde_json::Value;

#[cfg(any(feature = "client", test))]
use crate::crd::compare::walk::{Difference, WalkStep};
use crate::crd::{compare::walk::Impact, object_processing::accepts};

#[cfg(any(feature = "client", test))]
impl Difference {
    /// Whether an object that the old schema accepts loses a value or is rejected because of the change.
    pub(crate) fn affects(&self, object: &Value) -> bool {
        self.affects_below(&self.place, object)
    }

    fn affects_below(&self, place: &[WalkStep], value: &Value) -> bool {
        let Some((step, rest)) = place.split_first() else {
            return self.impact.fails(value);
        };
        let below = |value: &Value| self.affects_below(rest, value);
        match (step, value) {
            (WalkStep::Name(name), Value::Object(members)) => members.get(name).is_some_and(below),
            (WalkStep::Others(names), Value::Object(members)) => {
                let mut others = members.iter().filter(|(name, _)| !names.contains(*name));
                others.any(|(_, value)| below(value))
            }
            (WalkStep::Items, Value::Array(items)) => items.iter().any(below),
            _ => false,
        }
    }
}

impl Impact {
    /// Whether a value is dropped or rejected.
    pub(super) fn fails(&self, value: &Value) -> bool {
        match self {
            Self::Present { default } => !value.is_null() && default.as_ref() != Some(value),
            Self::Without(name) => {
                let members = value.as_object();
                members.is_some_and(|members| !members.contains_key(name))
            }
            Self::Null => value.is_null(),
            Self::Schemas { old, new } => accepts(old, value) && !accepts(new, value),
        }
    }
}
