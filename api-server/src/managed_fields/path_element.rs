//! Elements of the paths of fields.

use std::{borrow::Cow, cmp::Ordering, fmt};

use crdkit::__internal::crd_accessors::read;
use crdkit_core::{go, json::Json};
use serde_json::Value;

use super::{
    topology::{List, ListKind},
    values,
};

/// Selects a field of a map or an item of a list.
#[derive(Clone, Debug)]
pub(super) enum PathElement<'a> {
    /// A field of a map.
    Field(Cow<'a, str>),
    /// The item of a list whose fields have these values, sorted by name.
    Key(Vec<(Cow<'a, str>, Cow<'a, Value>)>),
    /// The item of a set.
    Value(Cow<'a, Value>),
    /// The item at an index.
    Index(i64),
}

impl<'a> PathElement<'a> {
    pub(super) const fn field(name: &'a str) -> Self {
        Self::Field(Cow::Borrowed(name))
    }

    /// Returns the element that selects an item of a set, or of a list with keys.
    ///
    /// # Errors
    ///
    /// If the item has no identity.
    pub(super) fn of_item(list: &'a List, item: &'a Value) -> Result<Self, String> {
        match (&list.kind, item) {
            (ListKind::Map(_), Value::Null) => Err("associative list with keys may not have a null element".to_owned()),
            (ListKind::Map(keys), Value::Object(fields)) => {
                let mut values: Vec<_> = keys
                    .iter()
                    .filter_map(|key| {
                        let value = fields.get(&key.name).or(key.default.as_ref())?;
                        Some((Cow::Borrowed(key.name.as_str()), Cow::Borrowed(value)))
                    })
                    .collect();
                if values.is_empty() {
                    let names: Vec<_> = keys.iter().map(|key| go::quote(&key.name)).collect();
                    return Err(format!(
                        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values \
                         for any key fields)",
                        names.join(" ")
                    ));
                }
                values.sort_by(|(one, _), (other, _)| one.cmp(other));
                Ok(Self::Key(values))
            }
            (ListKind::Map(_), _) => Err("associative list with keys may not have non-map elements".to_owned()),
            (_, Value::Object(_)) => Err("associative list without keys has an element that's a map type".to_owned()),
            (_, Value::Array(_)) => Err("not supported: associative list with lists as elements".to_owned()),
            (_, Value::Null) => Err("associative list without keys has an element that's an explicit null".to_owned()),
            (_, scalar) => Ok(Self::Value(Cow::Borrowed(scalar))),
        }
    }

    /// Reads a key of `fieldsV1`. Returns `None` for a key of an unknown form, which the server ignores.
    ///
    /// # Errors
    ///
    /// If the key is malformed.
    pub(super) fn from_key(key: &'a str) -> Result<Option<Self>, MalformedKey> {
        let (form, text) = key.split_at_checked(2).ok_or(MalformedKey)?;
        match form {
            "f:" => Ok(Some(Self::field(text))),
            "v:" => Ok(Some(Self::Value(Cow::Owned(serde_json::from_str(text).map_err(|_| MalformedKey)?)))),
            "k:" => {
                let object: serde_json::Map<_, _> = serde_json::from_str(text).map_err(|_| MalformedKey)?;
                let mut fields: Vec<_> =
                    object.into_iter().map(|(name, value)| (Cow::Owned(name), Cow::Owned(value))).collect();
                fields.sort_by(|(one, _), (other, _): &(Cow<'_, str>, _)| one.cmp(other));
                Ok(Some(Self::Key(fields)))
            }
            "i:" => Ok(Some(Self::Index(text.parse().map_err(|_| MalformedKey)?))),
            _ if form.ends_with(':') => Ok(None),
            _ => Err(MalformedKey),
        }
    }

    /// Returns the key in `fieldsV1`.
    pub(super) fn to_key(&self) -> String {
        match self {
            // Most elements are fields, for which this is faster than `format!`.
            Self::Field(name) => ["f:", name].concat(),
            Self::Key(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.as_ref().into(), read::json(value)));
                format!("k:{}", go::json(&Json::Object(fields.collect())))
            }
            Self::Value(value) => format!("v:{}", go::json(&read::json(value))),
            Self::Index(index) => format!("i:{index}"),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

/// A key of `fieldsV1` that cannot be read.
#[derive(Debug)]
pub(super) struct MalformedKey;

impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(one), Self::Field(other)) => one.cmp(other),
            (Self::Key(one), Self::Key(other)) => {
                let fields = one.iter().zip(other).map(|((name, value), (other_name, other_value))| {
                    name.cmp(other_name).then_with(|| values::compare(value, other_value))
                });
                let first = fields.into_iter().find(|order| order.is_ne());
                first.unwrap_or_else(|| one.len().cmp(&other.len()))
            }
            (Self::Value(one), Self::Value(other)) => values::compare(one, other),
            (Self::Index(one), Self::Index(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

/// Formats an element as errors name it.
impl fmt::Display for PathElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{name}={}", display(value)));
                write!(f, "[{}]", fields.collect::<Vec<_>>().join(","))
            }
            Self::Value(value) => write!(f, "[={}]", display(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// Formats a value in a path. All numbers are floats, since configurations and `fieldsV1` are read so.
fn display(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => go::number(number.as_f64().unwrap_or_default()),
        Value::String(text) => go::quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(display).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => fields.iter().map(|(name, value)| format!("{name}={}", display(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_written() {
        for (key, text) in [
            ("f:a.b", ".a.b"),
            ("f:", "."),
            (r#"k:{"name":"a","port":80}"#, r#"[name="a",port=80]"#),
            (r#"v:"a\u003cb""#, r#"[="a<b"]"#),
            ("v:1.5", "[=1.5]"),
            ("v:2000000", "[=2e+06]"),
            ("v:true", "[=true]"),
            ("i:3", "[3]"),
        ] {
            let element = PathElement::from_key(key).unwrap().unwrap();
            assert_eq!((element.to_key().as_str(), element.to_string().as_str()), (key, text));
        }
    }

    #[test]
    fn fields_of_a_key_are_sorted() {
        let element = PathElement::from_key(r#"k:{"port":80,"name":"a"}"#).unwrap().unwrap();
        assert_eq!(element.to_key(), r#"k:{"name":"a","port":80}"#);
    }

    #[test]
    fn unknown_keys_are_ignored_and_malformed_ones_refused() {
        assert!(PathElement::from_key("z:a").unwrap().is_none());
        for key in ["", "f", "ff", "k:1", "k:{", "v:", "i:a"] {
            PathElement::from_key(key).unwrap_err();
        }
    }

    #[test]
    fn the_order_is_that_of_the_server() {
        let keys = [
            "f:a",
            "f:b",
            r#"k:{"a":1}"#,
            r#"k:{"a":1,"b":0}"#,
            r#"k:{"a":"0"}"#,
            r#"k:{"b":0}"#,
            "v:1",
            "v:2",
            r#"v:"1""#,
            "v:true",
            "i:0",
            "i:10",
        ];
        let elements: Vec<_> = keys.iter().map(|key| PathElement::from_key(key).unwrap().unwrap()).collect();
        assert!(elements.is_sorted_by(|one, other| one < other));
    }
}
