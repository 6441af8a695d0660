//! What changes of a schema do to objects.

use serde_json::Value;

use super::walk::{Difference, Step, Test};
use crate::admission::accepts;

/// What a change does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// The object loses a value, or is refused.
    Loss,
}

impl Difference {
    /// What the change does to an object that the old schema has let in.
    pub(crate) fn effect_on(&self, object: &Value) -> Effect {
        self.effect_below(&self.place, object)
    }

    fn effect_below(&self, place: &[Step], value: &Value) -> Effect {
        let Some((step, rest)) = place.split_first() else {
            return self.test.effect_on(value);
        };
        let below = |value: &Value| self.effect_below(rest, value);
        let worst = match (step, value) {
            (Step::Name(name), Value::Object(members)) => members.get(name).map(below),
            (Step::Others(names), Value::Object(members)) => {
                let others = members.iter().filter(|(name, _)| !names.contains(*name));
                others.map(|(_, value)| below(value)).max()
            }
            (Step::Items, Value::Array(items)) => items.iter().map(below).max(),
            _ => None,
        };
        worst.unwrap_or(Effect::None)
    }
}

impl Test {
    fn effect_on(&self, value: &Value) -> Effect {
        let is_lost = match self {
            Self::Present { default } => !value.is_null() && default.as_ref() != Some(value),
            Self::Without(name) => {
                let members = value.as_object();
                members.is_some_and(|members| !members.contains_key(name))
            }
            Self::Null => value.is_null(),
            Self::Schemas { old, new } => accepts(old, value) && !accepts(new, value),
        };
        match is_lost {
            true => Effect::Loss,
            false => Effect::None,
        }
    }
}
