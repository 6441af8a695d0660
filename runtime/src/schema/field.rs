//! Fields of objects, and variants of enums of strings.

use super::{
    Keyword, Schema,
    constructors::{field, variant},
};

/// The schema that a flattened unit type is replaced with.
const NO_FIELDS: Schema = Schema::object(&[]);

/// A field of an object.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The schema of the field's type.
    pub schema: &'static Schema,
    /// Whether the field is required.
    pub presence: Presence,
    /// Whether the field is replaced with the fields of its type (`#[serde(flatten)]`).
    pub flatten: bool,
    /// Whether the value is immutable, and cannot be removed once it is set.
    pub immutable: bool,
    /// Whether a rule on the field uses `oldSelf`.
    pub(crate) transition: bool,
    /// The description, which overrides that of the type; empty if there is none.
    pub description: &'static str,
    /// The names besides [`name`](Self::name) under which serde reads the field.
    pub(crate) aliases: &'static [&'static str],
    /// Whether deserialization fills in the default.
    pub(crate) filled_in: bool,
    /// Keywords in addition to those of the type.
    pub keywords: &'static [Keyword],
    /// Features of the resource that refer to the field.
    pub markers: &'static [Marker],
}

/// Whether a field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presence {
    /// Required unless the type is an `Option`.
    Inferred,
    /// Optional.
    Optional,
    /// Optional, with a default that the server sets.
    Defaulted,
    /// Required, but nullable if the type is an `Option`.
    RequiredNullable,
    /// Required and not nullable, even if the type is an `Option`.
    Required,
}

impl Field {
    /// Creates a field with a name and the schema of its type.
    pub const fn new(name: &'static str, schema: &'static Schema) -> Self {
        field(name, schema, "")
    }

    /// Creates a flattened field (`#[serde(flatten)]`). A flattened `()` has no fields, as in serde.
    pub const fn flattened(schema: &'static Schema) -> Self {
        let schema = if schema.is_null() { &NO_FIELDS } else { schema };
        let mut field = Self::new("", schema);
        field.flatten = true;
        field
    }

    /// Makes the field optional.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// Makes the field optional, because the server sets the default among its keywords. Deserialization of a resource sets
    /// it too.
    ///
    /// Next to the fields of other variants of an enum the server cannot do so, and the field stays required.
    #[must_use]
    pub const fn defaulted(mut self) -> Self {
        self.presence = Presence::Defaulted;
        self.filled_in = true;
        self
    }

    /// Makes deserialization of a resource fill in the default if the field is missing under its name and all aliases.
    #[doc(hidden)]
    #[must_use]
    pub const fn filled_in(mut self) -> Self {
        self.filled_in = true;
        self
    }

    /// Sets the other names under which serde reads the field (`#[serde(alias)]`).
    #[doc(hidden)]
    #[must_use]
    pub const fn read_as(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Makes the field required, but nullable if its type is an `Option`.
    #[must_use]
    pub const fn required_nullable(mut self) -> Self {
        self.presence = Presence::RequiredNullable;
        self
    }

    /// Makes the field required and not nullable.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// Makes the field immutable: the value cannot change, nor be removed once it is set.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    /// Records that a rule on the field uses `oldSelf`.
    #[doc(hidden)]
    #[must_use]
    pub const fn transition(mut self) -> Self {
        self.transition = true;
        self
    }

    /// Sets the description. A [`Keyword::Description`] overrides it.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Replaces the keywords.
    #[must_use]
    pub const fn with(mut self, keywords: &'static [Keyword]) -> Self {
        self.keywords = keywords;
        self
    }

    /// Replaces the markers.
    #[must_use]
    pub const fn marked(mut self, markers: &'static [Marker]) -> Self {
        self.markers = markers;
        self
    }

    /// Returns whether the API server rejects an object without the field.
    pub const fn is_required(&self) -> bool {
        match self.presence {
            Presence::Inferred => !self.schema.optional,
            Presence::Optional | Presence::Defaulted => false,
            Presence::RequiredNullable | Presence::Required => true,
        }
    }
}

/// A variant of an enum whose variants are strings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UnitVariant {
    /// The string.
    pub name: &'static str,
    /// The description; empty if there is none.
    pub description: &'static str,
}

impl UnitVariant {
    /// Creates a variant without a description.
    pub const fn new(name: &'static str) -> Self {
        variant(name, "")
    }

    /// Sets the description.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }
}

/// A feature of the resource that refers to a field. The path is that of the field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Marker {
    /// `kubectl get` prints the field.
    Column(Column),
    /// `kubectl get --field-selector` can select by the field.
    Selectable,
    /// The scale subresource reads or writes the field.
    Scale(ScaleRole),
}

/// A printer column of a field, with the path and the type of the field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The column's header.
    pub name: &'static str,
    /// A description of the column; by default that of the field.
    pub description: Option<&'static str>,
    /// The column's `format`.
    pub format: Option<&'static str>,
    /// Columns with a priority above 0 are shown only with `-o wide`.
    pub priority: Option<i32>,
}

impl Column {
    /// Creates a column with a header.
    pub const fn new(name: &'static str) -> Self {
        Self { name, description: None, format: None, priority: None }
    }

    /// Sets the description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// Sets the format.
    #[must_use]
    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the priority: columns with a priority above 0 are shown only with `-o wide`.
    #[must_use]
    pub const fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// The role of a field in the scale subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScaleRole {
    /// The desired number of replicas, in the spec.
    Replicas,
    /// The observed number of replicas, in the status.
    StatusReplicas,
    /// The label selector of the replicas, as a string.
    LabelSelector,
}
