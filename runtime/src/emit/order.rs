//! The order of keys: what a reader looks for first stands first, and what is long stands last.

use crdkit_core::for_each_keyword;
use serde_json::{Map, Value};

/// The order of an object's keys, and that of the objects below them.
pub(super) struct Order {
    keys: &'static [(&'static str, &'static Order)],
    /// Of the values of all other keys.
    others: &'static Order,
}

type Entry<'a> = (&'a str, &'a Value, &'static Order);

impl Order {
    /// The entries of an object; keys that have no place of their own come last, sorted.
    pub(super) fn entries<'a>(&'static self, object: &'a Map<String, Value>) -> Vec<Entry<'a>> {
        let mut entries: Vec<_> = object
            .iter()
            .map(|(key, value)| (self.place(key), key.as_str(), value))
            .collect();
        entries.sort_by_key(|(place, key, _)| (*place, *key));
        entries
            .into_iter()
            .map(|(place, key, value)| (key, value, self.below(place)))
            .collect()
    }

    fn place(&self, key: &str) -> usize {
        let place = self.keys.iter().position(|(name, _)| *name == key);
        place.unwrap_or(self.keys.len())
    }

    fn below(&self, place: usize) -> &'static Order {
        self.keys.get(place).map_or(self.others, |(_, order)| order)
    }
}

/// Sorted, at all levels.
pub(super) static SORTED: Order = Order {
    keys: &[],
    others: &SORTED,
};

/// A CustomResourceDefinition.
pub(super) static CRD: Order = Order {
    keys: &[
        ("apiVersion", &SORTED),
        ("kind", &SORTED),
        ("metadata", &METADATA),
        ("spec", &SPEC),
    ],
    others: &SORTED,
};

static METADATA: Order = Order {
    keys: &[
        ("name", &SORTED),
        ("labels", &SORTED),
        ("annotations", &SORTED),
    ],
    others: &SORTED,
};

static SPEC: Order = Order {
    keys: &[
        ("group", &SORTED),
        ("names", &NAMES),
        ("scope", &SORTED),
        ("preserveUnknownFields", &SORTED),
        ("conversion", &CONVERSION),
        ("versions", &VERSION),
    ],
    others: &SORTED,
};

static NAMES: Order = Order {
    keys: &[
        ("kind", &SORTED),
        ("listKind", &SORTED),
        ("plural", &SORTED),
        ("singular", &SORTED),
        ("shortNames", &SORTED),
        ("categories", &SORTED),
    ],
    others: &SORTED,
};

static CONVERSION: Order = Order {
    keys: &[("strategy", &SORTED)],
    others: &SORTED,
};

static VERSION: Order = Order {
    keys: &[
        ("name", &SORTED),
        ("served", &SORTED),
        ("storage", &SORTED),
        ("deprecated", &SORTED),
        ("deprecationWarning", &SORTED),
        ("subresources", &SUBRESOURCES),
        ("selectableFields", &SORTED),
        ("additionalPrinterColumns", &COLUMN),
        ("schema", &VALIDATION),
    ],
    others: &SORTED,
};

static SUBRESOURCES: Order = Order {
    keys: &[("status", &SORTED), ("scale", &SCALE)],
    others: &SORTED,
};

static SCALE: Order = Order {
    keys: &[
        ("specReplicasPath", &SORTED),
        ("statusReplicasPath", &SORTED),
        ("labelSelectorPath", &SORTED),
    ],
    others: &SORTED,
};

static COLUMN: Order = Order {
    keys: &[
        ("name", &SORTED),
        ("description", &SORTED),
        ("type", &SORTED),
        ("format", &SORTED),
        ("jsonPath", &SORTED),
        ("priority", &SORTED),
    ],
    others: &SORTED,
};

static VALIDATION: Order = Order {
    keys: &[("openAPIV3Schema", &SCHEMA)],
    others: &SORTED,
};

/// The order below a keyword.
#[rustfmt::skip]
macro_rules! below {
    (rules) => { &RULE };
    (branch) => { &SCHEMA };
    (branches) => { &SCHEMA };
    (items) => { &SCHEMA };
    (additional) => { &SCHEMA };
    (properties) => { &SCHEMAS };
    ($form:ident) => { &SORTED };
}

macro_rules! declare {
    ($($field:ident $(as $k8s:ident)? $name:literal $form:ident $bounds:tt $doc:literal;)+) => {
        static SCHEMA: Order = Order {
            keys: &[$(($name, below!($form))),+],
            others: &SORTED,
        };
    };
}
for_each_keyword!(declare);

/// An object whose keys are names of fields.
static SCHEMAS: Order = Order {
    keys: &[],
    others: &SCHEMA,
};

static RULE: Order = Order {
    keys: &[
        ("rule", &SORTED),
        ("message", &SORTED),
        ("messageExpression", &SORTED),
        ("reason", &SORTED),
        ("fieldPath", &SORTED),
        ("optionalOldSelf", &SORTED),
    ],
    others: &SORTED,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(order: &'static Order, object: Value) -> Vec<String> {
        let object = object.as_object().unwrap();
        let entries = order.entries(object).into_iter();
        entries.map(|(key, _, _)| key.to_owned()).collect()
    }

    #[test]
    fn known_keys_come_first() {
        let schema = json!({ "zzz": 0, "properties": 0, "type": 0, "aaa": 0, "description": 0 });
        let expected = ["description", "type", "properties", "aaa", "zzz"];
        assert_eq!(keys(&SCHEMA, schema), expected);
    }

    #[test]
    fn fields_are_sorted_by_name() {
        let properties = json!({ "type": 0, "description": 0, "items": 0 });
        assert_eq!(keys(&SCHEMAS, properties), ["description", "items", "type"]);
    }
}
