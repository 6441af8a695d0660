//! The types of CEL.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt;

mod inference;

pub(super) use inference::{Substitution, is_equivalent, most_general};

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// The type of an invalid expression, which is assignable to any type.
    Error,
    /// The type of a value whose schema is not known, which can be any type.
    Unknown,
    Dyn,
    /// A message that contains any other message.
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    Optional(Arc<Type>),
    /// A nullable value, equal to the type of the value except that null is assignable.
    Wrapper(Arc<Type>),
    /// The type of a type.
    Meta(Arc<Type>),
    /// A type of a library.
    Opaque(&'static str),
    /// A type of a library that is treated as a message.
    Struct(&'static str),
    /// An object of a schema, by its path.
    Object(Arc<str>),
    /// A type variable.
    Var(usize),
    /// A type parameter of a function.
    Param(char),
}

impl Type {
    pub(super) fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    pub(super) fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    pub(super) fn optional(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// Parses the notation of a type.
    pub(super) fn parse(text: &'static str) -> Self {
        match text {
            "dyn" => return Self::Dyn,
            "any" => return Self::Any,
            "bool" => return Self::Bool,
            "int" => return Self::Int,
            "uint" => return Self::Uint,
            "double" => return Self::Double,
            "string" => return Self::String,
            "bytes" => return Self::Bytes,
            "timestamp" => return Self::Timestamp,
            "duration" => return Self::Duration,
            _ => {}
        }
        if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            let mut params = split(inner).map(Self::parse);
            let first = params.next().unwrap_or(Self::Dyn);
            return match name {
                "list" => Self::list(first),
                "map" => Self::map(first, params.next().unwrap_or(Self::Dyn)),
                "type" => Self::Meta(Arc::new(first)),
                "wrapper" => Self::Wrapper(Arc::new(first)),
                _ => Self::optional(first),
            };
        }
        match text.as_bytes() {
            [letter] => Self::Param(char::from(*letter)),
            _ if text.starts_with("net.") => Self::Opaque(text),
            _ => Self::Struct(text),
        }
    }

    /// Returns the parameters of the type.
    pub(super) fn params(&self) -> Vec<&Self> {
        match self {
            Self::List(one) | Self::Optional(one) | Self::Meta(one) => alloc::vec![one],
            Self::Map(key, value) => alloc::vec![key, value],
            _ => Vec::new(),
        }
    }

    /// Returns the type with changed parameters.
    pub(super) fn with(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        match self {
            Self::List(one) => Self::list(change(one)),
            Self::Optional(one) => Self::optional(change(one)),
            Self::Meta(one) => Self::Meta(Arc::new(change(one))),
            Self::Map(key, value) => {
                let key = change(key);
                Self::map(key, change(value))
            }
            other => other.clone(),
        }
    }

    pub(super) const fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    pub(super) const fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || matches!(self, Self::Error | Self::Unknown)
    }

    /// Whether the type, or a part of it, is not known.
    pub(super) fn is_partly_unknown(&self) -> bool {
        matches!(self, Self::Unknown) || self.params().into_iter().any(Self::is_partly_unknown)
    }

    /// Returns the type without its wrapper.
    pub(super) fn unwrapped(&self) -> &Self {
        match self {
            Self::Wrapper(inner) => inner,
            other => other,
        }
    }

    /// Whether both types are of the same kind, regardless of their parameters.
    fn is_of_kind(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other)
    }

    /// Whether all values have the same size: numbers, booleans and times.
    pub(super) fn is_scalar(&self) -> bool {
        match self.unwrapped() {
            Self::Bool | Self::Double | Self::Duration | Self::Int | Self::Timestamp | Self::Uint => true,
            Self::Optional(value) => value.is_scalar(),
            _ => false,
        }
    }

    /// Whether null is assignable to the type.
    const fn is_nullable(&self) -> bool {
        matches!(
            self,
            Self::Optional(_)
                | Self::Wrapper(_)
                | Self::Opaque(_)
                | Self::Struct(_)
                | Self::Object(_)
                | Self::Timestamp
                | Self::Duration
                | Self::Null
        )
    }
}

/// Splits at commas that are not in brackets.
pub(super) fn split(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    let parts = text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty())
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self.unwrapped(), other.unwrapped()) {
            (Self::Opaque(one), Self::Opaque(other)) => one == other,
            (Self::Struct(one), Self::Struct(other)) => one == other,
            (Self::Object(one), Self::Object(other)) => one == other,
            (Self::Var(one), Self::Var(other)) => one == other,
            (Self::Param(one), Self::Param(other)) => one == other,
            (one, other) => {
                core::mem::discriminant(one) == core::mem::discriminant(other) && one.params() == other.params()
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Error => "!error!",
            Self::Unknown => "value",
            Self::Dyn => "dyn",
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::Opaque(name) | Self::Struct(name) => name,
            Self::Object(name) => name,
            Self::List(items) => return write!(f, "list({items})"),
            Self::Map(keys, values) => return write!(f, "map({keys}, {values})"),
            Self::Optional(value) => return write!(f, "optional_type({value})"),
            Self::Wrapper(value) => return write!(f, "wrapper({value})"),
            Self::Meta(of) => return write!(f, "type({of})"),
            Self::Var(id) => return write!(f, "_var{id}"),
            Self::Param(name) => return write!(f, "{name}"),
        };
        f.write_str(name)
    }
}

/// Formats the types of arguments as the server does.
pub(super) fn signature(types: &[Type], is_member: bool) -> String {
    let mut text = String::new();
    let mut args = types;
    if let (true, [target, rest @ ..]) = (is_member, types) {
        text = alloc::format!("{target}.");
        args = rest;
    }
    text.push('(');
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&alloc::format!("{arg}"));
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn texts() {
        for text in ["list(map(string, optional_type(A)))", "type(A)", "wrapper(bool)", "net.IP", "kubernetes.URL"] {
            let spaceless: &'static str = text.replace(' ', "").leak();
            assert_eq!(Type::parse(spaceless).to_string(), text);
        }
    }
}
