//! JSON values, which can borrow from their source.

use alloc::{borrow::Cow, vec::Vec};
use core::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a fraction or exponent, within the range of `i64`.
    Integer(i64),
    /// A number without a fraction or exponent, above the range of `i64`.
    Unsigned(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(Cow<'a, str>),
    /// A list.
    Array(Vec<Self>),
    /// An object, with its members in their original order.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Json<'a> {
    /// Returns a member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let found = members.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }

    /// Returns the string, if the value is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number, if the value is one.
    #[allow(clippy::cast_precision_loss)] // JSON numbers are floats
    pub const fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Unsigned(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value without borrowed strings.
    pub fn into_owned(self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Integer(value) => Json::Integer(value),
            Self::Unsigned(value) => Json::Unsigned(value),
            Self::Float(value) => Json::Float(value),
            Self::String(text) => Json::String(text.into_owned().into()),
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(members) => {
                let owned = |(name, value): (Cow<'a, str>, Self)| (Cow::Owned(name.into_owned()), value.into_owned());
                Json::Object(members.into_iter().map(owned).collect())
            }
        }
    }

    /// Whether the value is null.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// Single-line JSON.
impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(text) => write_text(text, f),
            Self::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    let separator = if at == 0 { "" } else { "," };
                    write!(f, "{separator}{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { "," })?;
                    write_text(name, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Writes a JSON string.
fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::Json;

    #[test]
    fn text() {
        let list = Json::Array(vec![Json::Null, Json::Float(1.0), Json::String("a\"\n".into())]);
        let object = Json::Object(vec![("a".into(), list), ("b".into(), Json::Integer(-1))]);
        assert_eq!(object.to_string(), r#"{"a":[null,1.0,"a\"\n"],"b":-1}"#);
        assert_eq!(object.get("b"), Some(&Json::Integer(-1)));
    }
}
