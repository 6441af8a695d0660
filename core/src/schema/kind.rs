//! The types and kinds of values.

/// The type of a value in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Not known at compile time.
    Unknown,
    /// No `type`.
    Missing,
    /// `array`.
    Array,
    /// `boolean`.
    Boolean,
    /// `integer`.
    Integer,
    /// `number`.
    Number,
    /// `object`.
    Object,
    /// `string`.
    String,
    /// A name that is not a type.
    Other,
}

impl Type {
    /// Returns the type with this name, or [`Type::Missing`] if there is no name.
    pub fn from_name(name: Option<&str>) -> Self {
        match name {
            None | Some("") => Self::Missing,
            Some("array") => Self::Array,
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("object") => Self::Object,
            Some("string") => Self::String,
            Some(_) => Self::Other,
        }
    }

    /// Returns the kind of values of the type.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Unknown | Self::Missing | Self::Other => Kind::Opaque,
            Self::Array => Kind::List,
            Self::Boolean => Kind::Boolean,
            Self::Integer => Kind::Integer,
            Self::Number => Kind::Number,
            Self::Object => Kind::Object,
            Self::String => Kind::String,
        }
    }

    /// Returns the value of `type`; empty if it is unknown or absent.
    pub const fn type_name(self) -> &'static str {
        match self.kind().type_name() {
            Some(name) => name,
            None => "",
        }
    }

    /// Returns the noun for one value of the type in messages.
    pub const fn noun(self) -> &'static str {
        self.kind().noun()
    }
}

/// The kind of JSON value that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An integer or a string (`x-kubernetes-int-or-string`).
    IntOrString,
    /// A list.
    List,
    /// An object with arbitrary keys.
    Map,
    /// An object with named fields.
    Object,
    /// Any value.
    Opaque,
}

impl Kind {
    /// Returns the kind of a finished schema. An unknown type counts as none.
    pub fn of_type(type_: Option<&str>, int_or_string: bool) -> Self {
        if int_or_string { Self::IntOrString } else { Type::from_name(type_).kind() }
    }

    /// Returns the `type` in a finished schema; `None` for a kind with several types.
    pub const fn type_name(self) -> Option<&'static str> {
        match self {
            Self::Boolean => Some("boolean"),
            Self::Integer => Some("integer"),
            Self::Number => Some("number"),
            Self::String => Some("string"),
            Self::List => Some("array"),
            Self::Map | Self::Object => Some("object"),
            Self::IntOrString | Self::Opaque => None,
        }
    }

    /// Returns the noun for one value of the kind in messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::IntOrString => "an integer or a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Object => "an object",
            Self::Opaque => "any value",
        }
    }

    /// Returns the noun for several values of the kind in messages.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Boolean => "booleans",
            Self::Integer => "integers",
            Self::Number => "numbers",
            Self::String => "strings",
            Self::IntOrString => "integers or strings",
            Self::List => "lists",
            Self::Map => "maps",
            Self::Object => "objects",
            Self::Opaque => "values of any type",
        }
    }

    /// Whether both kinds are equal; usable in const evaluation.
    pub const fn is(self, other: Self) -> bool {
        self as u8 == other as u8
    }

    /// Returns the kind that includes both kinds; `None` if no structural schema can express it.
    pub const fn union(self, other: Self) -> Option<Self> {
        use Kind::{IntOrString, Integer, Map, Number, Object, Opaque, String};
        match (self, other) {
            (Opaque, _) | (_, Opaque) => Some(Opaque),
            (Integer, Number) | (Number, Integer) => Some(Number),
            (Integer, String) | (String, Integer) => Some(IntOrString),
            (IntOrString, Integer | String) | (Integer | String, IntOrString) => Some(IntOrString),
            (Map, Object) | (Object, Map) => Some(Object),
            _ if self.is(other) => Some(self),
            _ => None,
        }
    }

    /// Returns the kind of a field that has one kind in one variant and the other kind in another variant.
    ///
    /// An integer and a string do not unite here: the schemas of the variants could not tell which of them is valid.
    pub const fn union_in_fields(self, other: Self) -> Option<Self> {
        match self.union(other) {
            Some(Self::IntOrString) if !self.is(other) => None,
            kind => kind,
        }
    }

    /// Returns the kind of values that are of both kinds; `None` if there are no such values.
    pub const fn intersection(self, other: Self) -> Option<Self> {
        use Kind::{IntOrString, Integer, Map, Number, Object, Opaque, String};
        match (self, other) {
            (Opaque, kind) | (kind, Opaque) => Some(kind),
            (Integer, Number) | (Number, Integer) => Some(Integer),
            (IntOrString, Number) | (Number, IntOrString) => Some(Integer),
            (Map, Object) | (Object, Map) => Some(Map),
            (IntOrString, kind @ (Integer | String)) | (kind @ (Integer | String), IntOrString) => Some(kind),
            _ if self.is(other) => Some(self),
            _ => None,
        }
    }
}
