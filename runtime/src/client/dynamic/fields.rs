//! Access to the fields of untyped objects by their paths.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Unstructured,
    error::{PathError, Present},
    path::{AsFieldPath, join},
};

type Segments<'a> = [Cow<'a, str>];

/// Getters fail with [`PathError::Missing`] if the field is missing, which [`optional`](super::Optional::optional)
/// converts to `None`, and with [`PathError::WrongType`] if it has another type.
impl Unstructured {
    /// Returns the value at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get(&self, path: impl AsFieldPath) -> Result<&Value, PathError> {
        self.find(&path.segments()?)
    }

    /// Returns the string at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_str(&self, path: impl AsFieldPath) -> Result<&str, PathError> {
        self.typed(path, "a string", Value::as_str)
    }

    /// Returns the integer at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_i64(&self, path: impl AsFieldPath) -> Result<i64, PathError> {
        self.typed(path, "an integer", Value::as_i64)
    }

    /// Returns the number at a path, which may be an integer.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_f64(&self, path: impl AsFieldPath) -> Result<f64, PathError> {
        self.typed(path, "a number", Value::as_f64)
    }

    /// Returns the boolean at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_bool(&self, path: impl AsFieldPath) -> Result<bool, PathError> {
        self.typed(path, "a boolean", Value::as_bool)
    }

    /// Returns the list at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_slice(&self, path: impl AsFieldPath) -> Result<&[Value], PathError> {
        let items = |value| Value::as_array(value).map(Vec::as_slice);
        self.typed(path, "a list", items)
    }

    /// Returns the object or map at a path.
    ///
    /// # Errors
    ///
    /// If the field is missing or has another type.
    pub fn get_map(&self, path: impl AsFieldPath) -> Result<&Map<String, Value>, PathError> {
        self.typed(path, "an object", Value::as_object)
    }

    /// Decodes the value at a path into a Rust type, such as `Vec<String>` or `Vec<Condition>`.
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
    /// If the field is missing, and [`PathError::TypeMismatch`] if the value does not match the type.
    pub fn get_as<T: DeserializeOwned>(&self, path: impl AsFieldPath) -> Result<T, PathError> {
        let segments = path.segments()?;
        let value = self.find(&segments)?;
        T::deserialize(value).map_err(|source| PathError::TypeMismatch { path: join(&segments), source: source.into() })
    }

    /// Sets the value at a path. Creates missing parent objects, and replaces null by an object; lists are neither
    /// created nor extended.
    ///
    /// # Errors
    ///
    /// [`PathError::WrongType`] if a parent is neither an object nor a list, [`PathError::Missing`] if a list has no
    /// such item. In both cases the object is unchanged.
    pub fn set(&mut self, path: impl AsFieldPath, value: impl Into<Value>) -> Result<(), PathError> {
        *self.slot(&path.segments()?)? = value.into();
        Ok(())
    }

    /// Removes the value at a path and returns it. The following items of a list move up.
    ///
    /// # Errors
    ///
    /// [`PathError::WrongType`] if a parent is neither an object nor a list.
    pub fn remove(&mut self, path: impl AsFieldPath) -> Result<Option<Value>, PathError> {
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
        path: impl AsFieldPath,
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
                Value::Object(members) => members
                    .get(segment)
                    .ok_or_else(|| PathError::missing(segments, at, Present::Keys(keys(members))))?,
                Value::Array(items) => {
                    item(items, segment).ok_or_else(|| PathError::missing(segments, at, Present::Items(items.len())))?
                }
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

    /// Returns the place of a value, with its missing parents. Errors occur before anything is created: below a missing
    /// parent nothing can fail.
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
    Err(PathError::Typed { segment: segment.to_owned(), field })
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
