//! Values in objects whose type nobody knows, by their paths.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Unstructured,
    error::{PathError, Present},
    path::{FieldPath, join},
};

type Segments<'a> = [Cow<'a, str>];

/// Each getter fails with [`PathError::Missing`] if there is nothing, which [`optional`](super::Optional::optional) makes
/// `None`, and with [`PathError::WrongType`] if there is something else.
impl Unstructured {
    /// The value at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get(&self, path: impl FieldPath) -> Result<&Value, PathError> {
        self.find(&path.segments()?)
    }

    /// The string at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_str(&self, path: impl FieldPath) -> Result<&str, PathError> {
        self.typed(path, "a string", Value::as_str)
    }

    /// The integer at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_i64(&self, path: impl FieldPath) -> Result<i64, PathError> {
        self.typed(path, "an integer", Value::as_i64)
    }

    /// The number at a path, which may be an integer.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_f64(&self, path: impl FieldPath) -> Result<f64, PathError> {
        self.typed(path, "a number", Value::as_f64)
    }

    /// The boolean at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_bool(&self, path: impl FieldPath) -> Result<bool, PathError> {
        self.typed(path, "a boolean", Value::as_bool)
    }

    /// The list at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_slice(&self, path: impl FieldPath) -> Result<&[Value], PathError> {
        let items = |value| Value::as_array(value).map(Vec::as_slice);
        self.typed(path, "a list", items)
    }

    /// The object or map at a path.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_map(&self, path: impl FieldPath) -> Result<&Map<String, Value>, PathError> {
        self.typed(path, "an object", Value::as_object)
    }

    /// The value at a path as a type of Rust, such as `Vec<String>` or `Vec<Condition>`.
    ///
    /// ```
    /// # use crdkit::client::dynamic::Unstructured;
    /// # let vm: Unstructured = serde_json::from_str(r#"{ "spec": { "zones": ["a", "b"] } }"#)?;
    /// let zones: Vec<String> = vm.get_as("spec.zones")?;
    /// assert_eq!(zones, ["a", "b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none, and [`PathError::TypeMismatch`] if it does not fit the type.
    pub fn get_as<T: DeserializeOwned>(&self, path: impl FieldPath) -> Result<T, PathError> {
        let segments = path.segments()?;
        let value = self.find(&segments)?;
        T::deserialize(value).map_err(|source| PathError::TypeMismatch {
            path: join(&segments),
            source: source.into(),
        })
    }

    /// Sets the value at a path. Objects on the way are made where there is nothing or null; lists are not, and do not grow.
    ///
    /// # Errors
    ///
    /// [`PathError::WrongType`] if something on the way is neither object nor list, [`PathError::Missing`] if a list
    /// has no such item. Then nothing is changed.
    pub fn set(&mut self, path: impl FieldPath, value: impl Into<Value>) -> Result<(), PathError> {
        *self.slot(&path.segments()?)? = value.into();
        Ok(())
    }

    /// Removes what is at a path, and returns it. Items of a list that follow move up.
    ///
    /// # Errors
    ///
    /// [`PathError::WrongType`] if something on the way is neither object nor list.
    pub fn remove(&mut self, path: impl FieldPath) -> Result<Option<Value>, PathError> {
        let segments = path.segments()?;
        check_top(&segments[0])?;
        let (last, above) = segments.split_last().expect("a path has a segment");
        match above {
            [] if last == "status" => Ok(self.status.take()),
            [] => Ok(self.fields.remove(last.as_ref())),
            above if self.is_missing(above)? => Ok(None),
            above => match self.slot(above)? {
                Value::Object(members) => Ok(members.remove(last.as_ref())),
                Value::Array(items) => {
                    let index = index(last).filter(|index| *index < items.len());
                    Ok(index.map(|index| items.remove(index)))
                }
                Value::Null => Ok(None),
                other => Err(PathError::wrong_type(above, other, "an object")),
            },
        }
    }

    fn is_missing(&self, segments: &Segments<'_>) -> Result<bool, PathError> {
        match self.find(segments) {
            Ok(_) => Ok(false),
            Err(error) if error.is_missing() => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn typed<'a, T>(
        &'a self,
        path: impl FieldPath,
        expected: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, PathError> {
        let segments = path.segments()?;
        let value = self.find(&segments)?;
        read(value).ok_or_else(|| PathError::wrong_type(&segments, value, expected))
    }

    fn find(&self, segments: &Segments<'_>) -> Result<&Value, PathError> {
        let mut value = self.top(segments)?;
        for at in 1..segments.len() {
            let segment = segments[at].as_ref();
            value = match value {
                Value::Object(members) => members.get(segment).ok_or_else(|| {
                    PathError::missing(segments, at, Present::Keys(keys(members)))
                })?,
                Value::Array(items) => item(items, segment)
                    .ok_or_else(|| PathError::missing(segments, at, Present::Items(items.len())))?,
                other => return Err(PathError::wrong_type(&segments[..at], other, "an object")),
            };
        }
        Ok(value)
    }

    fn top(&self, segments: &Segments<'_>) -> Result<&Value, PathError> {
        check_top(&segments[0])?;
        let value = match segments[0].as_ref() {
            "status" => self.status.as_ref(),
            field => self.fields.get(field),
        };
        value.ok_or_else(|| {
            let mut present = keys(&self.fields);
            present.extend(self.status.iter().map(|_| "status".to_owned()));
            PathError::missing(segments, 0, Present::Keys(present))
        })
    }

    /// The place at a path. What fails fails before something is made: there is nothing in the way behind a gap.
    fn slot(&mut self, segments: &Segments<'_>) -> Result<&mut Value, PathError> {
        check_top(&segments[0])?;
        let mut value = match segments[0].as_ref() {
            "status" => self.status.get_or_insert(Value::Null),
            field => self.fields.entry(field).or_insert(Value::Null),
        };
        for at in 1..segments.len() {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            let segment = segments[at].as_ref();
            value = match value {
                Value::Object(members) => members.entry(segment).or_insert(Value::Null),
                Value::Array(items) => {
                    let present = Present::Items(items.len());
                    let item = index(segment).and_then(|index| items.get_mut(index));
                    item.ok_or_else(|| PathError::missing(segments, at, present))?
                }
                other => return Err(PathError::wrong_type(&segments[..at], other, "an object")),
            };
        }
        Ok(value)
    }
}

fn check_top(segment: &str) -> Result<(), PathError> {
    let field = match segment {
        "metadata" => "metadata",
        "apiVersion" | "kind" => "types",
        _ => return Ok(()),
    };
    Err(PathError::Typed {
        segment: segment.to_owned(),
        field,
    })
}

fn keys(members: &Map<String, Value>) -> Vec<String> {
    members.keys().cloned().collect()
}

fn item<'a>(items: &'a [Value], segment: &str) -> Option<&'a Value> {
    items.get(index(segment)?)
}

fn index(segment: &str) -> Option<usize> {
    segment.parse().ok()
}

#[cfg(test)]
mod tests;
