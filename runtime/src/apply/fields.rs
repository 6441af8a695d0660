//! The fields that are set in an object.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value};

/// A value in JSON, or the serialization error.
pub type Json = serde_json::Result<Value>;

/// The fields that are set in an object. A serialization error is returned when the object is serialized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    members: Map<String, Value>,
    error: Option<String>,
}

impl Fields {
    /// Creates an object without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field to the object at a path. Null is ignored.
    #[must_use]
    pub fn set(self, place: &[&str], name: &str, value: Json) -> Self {
        match value {
            Ok(Value::Null) => self,
            value => self.edit(value, |members, value| {
                below(members, place).insert(name.to_owned(), value);
            }),
        }
    }

    /// Adds the fields of a value to the object at a path.
    #[must_use]
    pub fn merge(self, place: &[&str], value: Json) -> Self {
        self.edit(value, |members, value| {
            if let Value::Object(others) = value {
                below(members, place).extend(others);
            }
        })
    }

    /// Adds a field, which may be null.
    #[must_use]
    pub fn put(self, name: &str, value: Json) -> Self {
        self.edit(value, |members, value| {
            members.insert(name.to_owned(), value);
        })
    }

    /// Returns the fields as an object.
    pub fn into_json(self) -> Json {
        match self.error {
            Some(error) => Err(serde_json::Error::custom(error)),
            None => Ok(Value::Object(self.members)),
        }
    }

    fn edit(mut self, value: Json, edit: impl FnOnce(&mut Map<String, Value>, Value)) -> Self {
        match value {
            Ok(value) => edit(&mut self.members, value),
            Err(error) => self.error = self.error.or_else(|| Some(error.to_string())),
        }
        self
    }
}

fn below<'a>(members: &'a mut Map<String, Value>, place: &[&str]) -> &'a mut Map<String, Value> {
    let Some((name, place)) = place.split_first() else {
        return members;
    };
    let member = members.entry(*name).or_insert(Value::Null);
    if !member.is_object() {
        *member = Value::Object(Map::new());
    }
    below(member.as_object_mut().expect("it has just been made one"), place)
}

impl From<Map<String, Value>> for Fields {
    fn from(members: Map<String, Value>) -> Self {
        Self { members, error: None }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.error {
            Some(error) => Err(S::Error::custom(error)),
            None => self.members.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_where_they_are_set() {
        let fields = Fields::new()
            .set(&["spec"], "cpu", Ok(json!(2)))
            .set(&["spec"], "memory", Ok(Value::Null))
            .set(&["spec"], "cpu", Ok(json!(3)))
            .merge(&["spec"], Ok(json!({ "rest": [] })))
            .set(&[], "status", Ok(json!({})));
        let expected = json!({ "spec": { "cpu": 3, "rest": [] }, "status": {} });
        assert_eq!(fields.into_json().unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_written_is_told_at_the_end() {
        let error = || serde_json::Error::custom("no JSON");
        let fields = Fields::new().set(&[], "a", Err(error())).set(&[], "b", Ok(json!(1)));
        assert_eq!(serde_json::to_string(&fields).unwrap_err().to_string(), "no JSON");
        assert_eq!(fields.into_json().unwrap_err().to_string(), "no JSON");
    }
}
