//! Schemas as constant data: the JSON form of a type, available in const evaluation.
#![doc = include_str!("schema/types.md")]

#[cfg(test)]
mod accepts;
#[cfg(feature = "bytes")]
mod bytes;
pub(crate) mod constructors;
mod field;
pub(crate) mod fnv;
mod foreign;
mod keyword;
pub(crate) mod kube_schema;
pub(crate) mod kubernetes;
pub(crate) mod map_keys;
mod net;
mod size;
mod std_types;
mod summary;
mod time;
mod tuples;
#[cfg(feature = "url")]
mod url;
#[cfg(feature = "uuid")]
mod uuid;
mod variant;
pub(crate) mod walk;

pub use field::{Column, Field, Marker, Presence, ScaleRole, UnitVariant};
pub use foreign::ForeignSchema;
pub(crate) use keyword::any_keyword;
pub use keyword::{CountBound, EnumValue, Keyword, ListType, Literal, MapType, NumberBound, Reason, Rule};
#[cfg(any(feature = "testing", test, doc))]
pub(crate) use kubernetes::DURATION;
pub use size::{Descriptions, KubernetesTypeDetail};

pub(crate) use crate::schema::kube_schema::KubeSchema;
pub(crate) use summary::Summary;
pub use variant::{Tagging, Variant, VariantKind};

pub(crate) use crdkit_core::shared_schema::IMMUTABLE;

/// The schema of one type.
///
/// Create one with the `const fn` for its shape, and add keywords with [`with`](Self::with):
///
/// ```
/// use crdkit::schema::{Field, Keyword, Schema};
///
/// const PORT: Schema = Schema::object(&[
///     Field::new("name", &Schema::string()),
///     Field::new("number", &Schema::integer().with(&[Keyword::minimum(1.0)])).optional(),
/// ])
/// .named("Port");
///
/// let schema = crdkit::render::render_schema(&PORT)?;
/// assert_eq!(schema.required, Some(vec!["name".to_owned()]));
/// # Ok::<(), crdkit::render::RenderError>(())
/// ```
#[doc(alias("JSONSchemaProps", "openAPIV3Schema"))]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Schema {
    /// The name of the type, for error messages; empty for unnamed types.
    pub name: &'static str,
    /// The place of the type's definition, which distinguishes types with the same name; empty if not needed.
    pub(crate) path: &'static str,
    /// The kind of JSON value.
    pub shape: Shape,
    /// The description; empty if there is none.
    pub description: &'static str,
    /// Keywords of the value.
    pub keywords: &'static [Keyword],
    /// Keywords of lists of this type, such as the list map keys that Kubernetes itself uses.
    pub list_keywords: &'static [Keyword],
    /// The schema of a map's keys; `None` if any string is a key.
    pub keys: Option<&'static Schema>,
    /// Whether the type is an [`Option`]: a field of this type may be missing or null.
    pub optional: bool,
    /// Whether the type belongs to the Kubernetes API.
    pub(crate) of_kubernetes: bool,
    /// Whether values of the type are immutable.
    pub immutable: bool,
    /// Whether a rule of the type uses `oldSelf`.
    pub(crate) transition: bool,
    /// Whether the type denies unknown fields.
    pub(crate) closed: bool,
    /// A summary of the markers and flags in the type, at any depth.
    pub(crate) summary: Summary,
}

/// The kind of JSON value that a type serializes to.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An integer or a string (`x-kubernetes-int-or-string`).
    IntOrString,
    /// A list of items with one schema.
    List(&'static Schema),
    /// A map from strings to values with one schema.
    Map(&'static Schema),
    /// A fixed set of named fields.
    Object(&'static [Field]),
    /// An enum whose variants are strings.
    Enum(&'static [UnitVariant]),
    /// An enum whose variants may contain data.
    OneOf(Tagging, &'static [Variant]),
    /// A list of fixed length with one schema for each item.
    Tuple(&'static [&'static Schema]),
    /// A value of another type, with additional keywords.
    Newtype(&'static Schema),
    /// Any JSON value, including null, stored unchanged (`x-kubernetes-preserve-unknown-fields`).
    Any,
    /// A type whose schema comes from schemars, and is therefore available only when the definition is rendered.
    Foreign(ForeignSchema),
}

impl Schema {
    const BLANK: Self = Self {
        name: "",
        path: "",
        shape: Shape::Any,
        description: "",
        keywords: &[],
        list_keywords: &[],
        keys: None,
        optional: false,
        of_kubernetes: false,
        immutable: false,
        transition: false,
        closed: false,
        summary: Summary::NONE,
    };

    const fn of(shape: Shape) -> Self {
        Self { shape, summary: Summary::of(&shape), ..Self::BLANK }
    }

    /// Creates the schema of a boolean.
    pub const fn boolean() -> Self {
        Self::of(Shape::Boolean)
    }

    /// Creates the schema of an integer.
    pub const fn integer() -> Self {
        Self::of(Shape::Integer)
    }

    /// Creates the schema of a number.
    pub const fn number() -> Self {
        Self::of(Shape::Number)
    }

    /// Creates the schema of a string.
    pub const fn string() -> Self {
        Self::of(Shape::String)
    }

    /// Creates the schema of an integer or a string.
    pub const fn int_or_string() -> Self {
        Self::of(Shape::IntOrString)
    }

    /// Creates the schema of a list, with the list keywords of its items.
    pub const fn list(items: &'static Schema) -> Self {
        Self::of(Shape::List(items)).with(items.list_keywords)
    }

    /// Creates the schema of a map from strings to `values`.
    pub const fn map(values: &'static Schema) -> Self {
        Self::of(Shape::Map(values))
    }

    /// Sets the schema of a map's keys. If the keys are an enum, its names become the fields of the map; other keys are not
    /// restricted by a structural schema.
    ///
    /// # Panics
    ///
    /// If the keys are lists, maps or objects, because JSON keys are strings.
    #[must_use]
    #[track_caller]
    pub const fn keyed_by(mut self, keys: &'static Schema) -> Self {
        crdkit_core::require(map_keys::can_be(keys));
        self.keys = Some(keys);
        self
    }

    /// Creates the schema of an object with these fields.
    pub const fn object(fields: &'static [Field]) -> Self {
        Self::of(Shape::Object(fields))
    }

    /// Creates the schema of an enum whose variants are strings.
    pub const fn enumeration(variants: &'static [UnitVariant]) -> Self {
        Self::of(Shape::Enum(variants))
    }

    /// Creates the schema of an enum whose variants may contain data.
    pub const fn one_of(tagging: Tagging, variants: &'static [Variant]) -> Self {
        Self::of(Shape::OneOf(tagging, variants))
    }

    /// Creates the schema of a tuple: a list with one item for each of these schemas, which must be compatible.
    pub const fn tuple(items: &'static [&'static Schema]) -> Self {
        Self::of(Shape::Tuple(items))
    }

    /// Creates the schema of a newtype: its keywords are added to those of `inner`.
    pub const fn newtype(inner: &'static Schema) -> Self {
        let mut schema = Self::of(Shape::Newtype(inner));
        schema.optional = inner.optional;
        schema.list_keywords = inner.list_keywords;
        schema
    }

    /// Creates the schema of any JSON value, including null.
    pub const fn any() -> Self {
        Self::of(Shape::Any)
    }

    /// Creates the schema of a type that only implements [`schemars::JsonSchema`].
    pub const fn foreign(foreign: ForeignSchema) -> Self {
        Self::of(Shape::Foreign(foreign))
    }

    /// Creates the schema of a type whose values have no structural schema.
    pub(crate) const fn nonstructural(foreign: ForeignSchema) -> Self {
        let mut schema = Self::foreign(foreign);
        schema.summary.nonstructural = true;
        schema
    }

    /// Whether the only value of the type is null.
    pub(crate) const fn is_null(&self) -> bool {
        self.summary.nonstructural && matches!(self.shape, Shape::Foreign(_))
    }

    /// Marks a type whose derive reports parts without a structural schema.
    #[doc(hidden)]
    #[must_use]
    pub const fn reported(mut self) -> Self {
        self.summary.nonstructural = false;
        self
    }

    /// Sets the name of the type.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Sets the place of the type's definition, which no other type with this name has.
    #[doc(hidden)]
    #[must_use]
    pub const fn defined_at(mut self, path: &'static str) -> Self {
        self.path = path;
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

    /// Sets the keywords of lists of the type.
    #[must_use]
    pub const fn in_list(mut self, keywords: &'static [Keyword]) -> Self {
        self.list_keywords = keywords;
        self
    }

    /// Marks a type of the Kubernetes API.
    #[must_use]
    pub(crate) const fn of_kubernetes(mut self) -> Self {
        self.of_kubernetes = true;
        self
    }

    /// Returns the schema of an `Option` of the type.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Makes values of the type immutable.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self.summary.changes = true;
        self
    }

    /// Records that a rule of the type uses `oldSelf`.
    #[doc(hidden)]
    #[must_use]
    pub const fn transition(mut self) -> Self {
        self.transition = true;
        self.summary.changes = true;
        self
    }

    /// Denies unknown fields of an object, or of an enum whose variants are objects (`#[serde(deny_unknown_fields)]`). The
    /// server prunes unknown fields anyway. A variant of an enum additionally rejects the fields of the other variants.
    ///
    /// ```
    /// use crdkit::schema::{Variant, Field, Schema, Tagging};
    ///
    /// const SIDE: Schema = Schema::object(&[Field::new("side", &Schema::integer())]).closed();
    /// const RADIUS: Schema = Schema::object(&[Field::new("radius", &Schema::integer())]);
    /// const SHAPE: Schema = Schema::one_of(
    ///     Tagging::Untagged,
    ///     &[Variant::new("square").with(&SIDE), Variant::new("circle").with(&RADIUS)],
    /// );
    ///
    /// let square = crdkit::render::render_schema(&SHAPE)?.any_of.unwrap().remove(0);
    /// assert_eq!(square.required, Some(vec!["side".to_owned()]));
    /// assert_eq!(square.not.unwrap().required, Some(vec!["radius".to_owned()]));
    /// # Ok::<(), crdkit::render::RenderError>(())
    /// ```
    #[must_use]
    pub const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Returns the schema without an outer `Option`.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.optional = false;
        self
    }
}
