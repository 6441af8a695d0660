//! Schemas as constant data: what a type looks like in JSON, readable while compiling.
#![doc = include_str!("schema/types.md")]

#[cfg(test)]
mod accepts;
#[cfg(feature = "bytes")]
mod bytes;
pub(crate) mod constructors;
mod field;
mod foreign;
pub(crate) mod keys;
mod keyword;
mod kubernetes;
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
pub use keyword::{
    CountBound, EnumValue, Keyword, ListType, Literal, MapType, NumberBound, Reason, Rule,
};
#[cfg(any(feature = "testing", test, doc))]
pub(crate) use kubernetes::DURATION;
pub use size::{Descriptions, Embed};
pub(crate) use summary::Summary;
pub use variant::{Tagging, Variant, VariantKind};

/// A type whose JSON form is known while compiling.
///
/// Derive it with `#[derive(KubeSchema)]`; [`attributes`](crate::attributes) describes what the derive can be told. The
/// types of the standard library, of `serde_json` and of jiff implement it, and those of Kubernetes that occur in many
/// resources, such as `Condition` and `Quantity`: the module [lists them](self#types-that-have-one). A hand-written
/// implementation builds its schema with the `const fn`s of [`Schema`]:
///
/// ```
/// use crdkit::schema::{Keyword, KubeSchema, Schema};
///
/// /// A share of a whole.
/// struct Percent(u8);
///
/// impl KubeSchema for Percent {
///     const SCHEMA: Schema = Schema::integer()
///         .named("Percent")
///         .with(&[Keyword::minimum(0.0), Keyword::maximum(100.0)]);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema that is known while compiling",
    label = "`{Self}` needs `#[derive(KubeSchema)]`",
    note = "a type that only implements `schemars::JsonSchema` is written `crdkit::Foreign<{Self}>` as an argument of a generic type"
)]
#[doc(alias("Quantity", "IntOrString", "metav1"))]
pub trait KubeSchema {
    /// The schema of the type.
    const SCHEMA: Schema;

    /// The schema in a place of its own, for those who hold a reference to it: a `static` is validated by the compiler once,
    /// a constant wherever it is used, with all that it refers to.
    #[doc(hidden)]
    const SCHEMA_REF: &'static Schema = &Self::SCHEMA;
}

pub(crate) use crdkit_core::join::IMMUTABLE;

/// The schema of one type.
///
/// It is made by a `const fn` for its shape, which [`with`](Self::with) gives keywords:
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
    /// The type's name, for error messages; empty for types that have no name of their own.
    pub name: &'static str,
    /// Where the type is defined, which tells types of one name apart; empty where nobody asks.
    pub(crate) path: &'static str,
    /// What kind of JSON value the type is.
    pub shape: Shape,
    /// What the value is; empty where nothing is said.
    pub description: &'static str,
    /// Everything that is said about the value besides its shape.
    pub keywords: &'static [Keyword],
    /// What a list of this type is given, such as the keys that Kubernetes' own lists of it have.
    pub list_keywords: &'static [Keyword],
    /// What the keys of a map are; none where any text is one.
    pub keys: Option<&'static Schema>,
    /// Whether the type is an [`Option`]: a field of it may be missing or null.
    pub optional: bool,
    /// Whether the type is one of Kubernetes.
    pub(crate) of_kubernetes: bool,
    /// Whether a value of the type cannot change.
    pub immutable: bool,
    /// Whether a rule of the type compares a value with what it was.
    pub(crate) transition: bool,
    /// Whether the type reads no fields but those of its schema.
    pub(crate) closed: bool,
    /// What the markers of the fields in here add up to.
    pub(crate) summary: Summary,
}

/// What kind of JSON value a type is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// Text.
    String,
    /// A number without a fraction, or text (`x-kubernetes-int-or-string`).
    IntOrString,
    /// A list of values of one type.
    List(&'static Schema),
    /// A map from strings to values of one type.
    Map(&'static Schema),
    /// A fixed set of named fields.
    Object(&'static [Field]),
    /// One of several strings.
    Enum(&'static [UnitVariant]),
    /// One of several variants, some of which may carry data.
    OneOf(Tagging, &'static [Variant]),
    /// A list with a value for each of these schemas.
    Tuple(&'static [&'static Schema]),
    /// The value of another type, with keywords of its own added.
    Newtype(&'static Schema),
    /// Any JSON value, null too, kept as it is (`x-kubernetes-preserve-unknown-fields`).
    Any,
    /// A type that has only a `schemars` schema, known when the CRD is rendered.
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
        Self {
            shape,
            summary: Summary::of(&shape),
            ..Self::BLANK
        }
    }

    /// `true` or `false`.
    pub const fn boolean() -> Self {
        Self::of(Shape::Boolean)
    }

    /// A number without a fraction.
    pub const fn integer() -> Self {
        Self::of(Shape::Integer)
    }

    /// Any number.
    pub const fn number() -> Self {
        Self::of(Shape::Number)
    }

    /// Text.
    pub const fn string() -> Self {
        Self::of(Shape::String)
    }

    /// A number without a fraction, or text.
    pub const fn int_or_string() -> Self {
        Self::of(Shape::IntOrString)
    }

    /// A list of `items`, with the topology that their type asks for.
    pub const fn list(items: &'static Schema) -> Self {
        Self::of(Shape::List(items)).with(items.list_keywords)
    }

    /// A map from strings to `values`.
    pub const fn map(values: &'static Schema) -> Self {
        Self::of(Shape::Map(values))
    }

    /// The schema of a map whose keys are these. The names of an enum become the fields that the map may have; nothing can be
    /// said of the form of other keys.
    ///
    /// # Panics
    ///
    /// If the keys are lists, maps or objects: in JSON a key is text.
    #[must_use]
    #[track_caller]
    pub const fn keyed_by(mut self, keys: &'static Schema) -> Self {
        crdkit_core::require(keys::can_be(keys));
        self.keys = Some(keys);
        self
    }

    /// An object with these fields.
    pub const fn object(fields: &'static [Field]) -> Self {
        Self::of(Shape::Object(fields))
    }

    /// One of these strings.
    pub const fn enumeration(variants: &'static [UnitVariant]) -> Self {
        Self::of(Shape::Enum(variants))
    }

    /// One of these variants, some of which may carry data.
    pub const fn one_of(tagging: Tagging, variants: &'static [Variant]) -> Self {
        Self::of(Shape::OneOf(tagging, variants))
    }

    /// A list with one value for each of these schemas, which must have one structural form.
    pub const fn tuple(items: &'static [&'static Schema]) -> Self {
        Self::of(Shape::Tuple(items))
    }

    /// The same values as `inner`; keywords given to the result are added to those of `inner`.
    pub const fn newtype(inner: &'static Schema) -> Self {
        let mut schema = Self::of(Shape::Newtype(inner));
        schema.optional = inner.optional;
        schema.list_keywords = inner.list_keywords;
        schema
    }

    /// Any JSON value, null too.
    pub const fn any() -> Self {
        Self::of(Shape::Any)
    }

    /// The schema of a type that only implements [`schemars::JsonSchema`].
    pub const fn foreign(foreign: ForeignSchema) -> Self {
        Self::of(Shape::Foreign(foreign))
    }

    /// The schema of a type that has none: its values have no structural form.
    pub(crate) const fn nonstructural(foreign: ForeignSchema) -> Self {
        let mut schema = Self::foreign(foreign);
        schema.summary.nonstructural = true;
        schema
    }

    /// Whether all values of the type are null.
    pub(crate) const fn is_null(&self) -> bool {
        self.summary.nonstructural && matches!(self.shape, Shape::Foreign(_))
    }

    /// The schema of a type whose derive reports what in it has no structural form.
    #[doc(hidden)]
    #[must_use]
    pub const fn reported(mut self) -> Self {
        self.summary.nonstructural = false;
        self
    }

    /// The schema, under the name of its type.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The schema of a type that is defined here: a text that no other type of this name has.
    #[doc(hidden)]
    #[must_use]
    pub const fn defined_at(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// The schema with a description, which [`Keyword::Description`] takes the place of if it is there, too.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// The schema with these keywords in place of those it had.
    #[must_use]
    pub const fn with(mut self, keywords: &'static [Keyword]) -> Self {
        self.keywords = keywords;
        self
    }

    /// The schema; lists of it get these keywords.
    #[must_use]
    pub const fn in_list(mut self, keywords: &'static [Keyword]) -> Self {
        self.list_keywords = keywords;
        self
    }

    /// The schema of a type of Kubernetes.
    #[must_use]
    pub(crate) const fn of_kubernetes(mut self) -> Self {
        self.of_kubernetes = true;
        self
    }

    /// The schema of an `Option` of the type.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The schema of a type whose values cannot change.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self.summary.changes = true;
        self
    }

    /// The schema of a type with a rule that compares a value with what it was (`oldSelf`).
    #[doc(hidden)]
    #[must_use]
    pub const fn transition(mut self) -> Self {
        self.transition = true;
        self.summary.changes = true;
        self
    }

    /// The schema of an object, or of an enum whose variants are objects, that reads no fields but those that the schema names
    /// (`#[serde(deny_unknown_fields)]`). The server prunes unknown fields; as a variant of an enum, the object refuses the
    /// fields of the other variants.
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

    /// The schema without the wish of an outer `Option`.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.optional = false;
        self
    }
}
