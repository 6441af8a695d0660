//! The members of objects and enums.

use super::{
    Keyword, Schema,
    constructors::{field, variant},
};

/// What is flattened of a type without fields.
const NO_FIELDS: Schema = Schema::object(&[]);

/// A field of an object.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The schema of the field's type.
    pub schema: &'static Schema,
    /// Whether the field must be there.
    pub presence: Presence,
    /// Whether the fields of this field's type stand in its place (`#[serde(flatten)]`).
    pub flatten: bool,
    /// Whether the value cannot change, nor be taken away once it is there.
    pub immutable: bool,
    /// Whether a rule on the field compares the value with what it was.
    pub(crate) transition: bool,
    /// What the field is, in place of what its type is; empty where nothing is said.
    pub description: &'static str,
    /// What the field adds to its type's keywords.
    pub keywords: &'static [Keyword],
    /// What the resource that the field belongs to reads from it.
    pub markers: &'static [Marker],
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presence {
    /// Required unless its type is an `Option`.
    Inferred,
    /// May be left out.
    Optional,
    /// May be left out, as the server fills in the default.
    Defaulted,
    /// Must be there, and may be null where its type is an `Option`.
    RequiredNullable,
    /// Must be there and not be null, whatever its type.
    Required,
}

impl Field {
    /// A field with a name and the schema of its type.
    pub const fn new(name: &'static str, schema: &'static Schema) -> Self {
        field(name, schema, "")
    }

    /// The fields of `schema`, in place of one field (`#[serde(flatten)]`): none of `()`, of which serde writes nothing there.
    pub const fn flattened(schema: &'static Schema) -> Self {
        let schema = match schema.is_null() {
            true => &NO_FIELDS,
            false => schema,
        };
        let mut field = Self::new("", schema);
        field.flatten = true;
        field
    }

    /// The field, which may be left out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// The field, which may be left out, as the server fills in the default that is among its keywords.
    ///
    /// Where the server cannot, which is so beside the fields of other variants of an enum, the field must be there.
    #[must_use]
    pub const fn defaulted(mut self) -> Self {
        self.presence = Presence::Defaulted;
        self
    }

    /// The field, which must be there, and may be null where its type is an `Option`.
    #[must_use]
    pub const fn required_nullable(mut self) -> Self {
        self.presence = Presence::RequiredNullable;
        self
    }

    /// The field, which must be there and not be null.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// The field, whose value cannot change, nor be taken away once it is there.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    /// The field with a rule that compares the value with what it was (`oldSelf`).
    #[doc(hidden)]
    #[must_use]
    pub const fn transition(mut self) -> Self {
        self.transition = true;
        self
    }

    /// The field with a description, which [`Keyword::Description`] takes the place of if it is there, too.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// The field with these keywords.
    #[must_use]
    pub const fn with(mut self, keywords: &'static [Keyword]) -> Self {
        self.keywords = keywords;
        self
    }

    /// The field with these markers.
    #[must_use]
    pub const fn marked(mut self, markers: &'static [Marker]) -> Self {
        self.markers = markers;
        self
    }

    /// Whether an object without the field is refused.
    pub const fn is_required(&self) -> bool {
        match self.presence {
            Presence::Inferred => !self.schema.optional,
            Presence::Optional | Presence::Defaulted => false,
            Presence::RequiredNullable | Presence::Required => true,
        }
    }
}

/// A string that an enum may be.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UnitVariant {
    /// The string.
    pub name: &'static str,
    /// Its documentation; empty if there is none.
    pub description: &'static str,
}

impl UnitVariant {
    /// A variant without documentation.
    pub const fn new(name: &'static str) -> Self {
        variant(name, "")
    }

    /// The variant with documentation.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }
}

/// A wish of a field towards the resource that it belongs to: its path is where it stands.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Marker {
    /// `kubectl get` shows the field.
    Column(Column),
    /// `kubectl get --field-selector` may ask for the field.
    Selectable,
    /// The scale subresource reads or writes the field.
    Scale(ScaleRole),
}

/// A printer column of a field. Its path and type are those of the field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The column's header.
    pub name: &'static str,
    /// What the column shows; the field's own description if there is none.
    pub description: Option<&'static str>,
    /// The column's `format`.
    pub format: Option<&'static str>,
    /// 0 is always shown, more only with `-o wide`.
    pub priority: Option<i32>,
}

impl Column {
    /// A column with a header.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            description: None,
            format: None,
            priority: None,
        }
    }

    /// The column with a description of its own.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The column with a format.
    #[must_use]
    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = Some(format);
        self
    }

    /// The column with a priority: 0 is always shown, more only with `-o wide`.
    #[must_use]
    pub const fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// What a field is to the scale subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScaleRole {
    /// The desired number of replicas, in the spec.
    Replicas,
    /// The observed number of replicas, in the status.
    StatusReplicas,
    /// The selector of the replicas in text form.
    LabelSelector,
}
