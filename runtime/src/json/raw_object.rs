//! Objects in JSON text whose members are not decoded.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members of an object, by name. An object with a name that is there twice is an error.
#[derive(Clone, Debug)]
pub(crate) struct RawObject<'a>(pub(crate) BTreeMap<Cow<'a, str>, &'a RawValue>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> RawObject<'a> {
    /// Returns the members of an object; `None` for other values.
    pub(crate) fn of(text: &'a RawValue) -> Option<Self> {
        serde_json::from_str(text.get()).ok()
    }

    /// Returns a member that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let Name(text) = serde_json::from_str(self.0.get(name)?.get()).ok()?;
        Some(text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = BTreeMap<Cow<'de, str>, &'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((Name(name), value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    if members.insert(name, value).is_some() {
                        return Err(A::Error::custom("a name is there twice"));
                    }
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Members).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::RawObject;

    #[test]
    fn members_are_not_decoded() {
        let object: RawObject = serde_json::from_str(r#"{ "a": [1, 2.50], "b\n": "c\/d" }"#).unwrap();
        assert_eq!(object.0["a"].get(), "[1, 2.50]");
        assert_eq!(object.text("b\n").unwrap(), "c/d");
        assert_eq!(object.text("a"), None);
    }

    #[test]
    fn other_values_and_repeated_names_are_refused() {
        for text in ["[]", "null", r#"{"a":1,"\u0061":2}"#] {
            assert!(serde_json::from_str::<RawObject>(text).is_err(), "{text}");
        }
    }
}
