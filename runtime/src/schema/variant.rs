//! Enums whose variants may contain data.

use super::Schema;

/// How the JSON of an enum identifies the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tagging {
    /// The name of the only field, which contains the data. A variant without data is a string: its name.
    External,
    /// A tag among the fields of the variant (`#[serde(tag = "...")]`).
    Internal(&'static str),
    /// A tag next to a field with the data (`#[serde(tag = "...", content = "...")]`).
    Adjacent {
        /// The field that contains the name of the variant.
        tag: &'static str,
        /// The field that contains the data.
        content: &'static str,
    },
    /// The form of the data (`#[serde(untagged)]`).
    Untagged,
}

/// A variant of an enum whose variants may contain data.
///
/// ```
/// use crdkit::schema::{Variant, Field, Schema, Tagging};
///
/// const DISK: Schema = Schema::object(&[Field::new("size", &Schema::string())]);
/// const VOLUME: Schema = Schema::one_of(
///     Tagging::Internal("type"),
///     &[
///         Variant::new("disk").with(&DISK),
///         Variant::new("none").describe("No volume."),
///     ],
/// );
///
/// let schema = crdkit::render::render_schema(&VOLUME)?;
/// assert_eq!(schema.required, Some(vec!["type".to_owned()]));
/// assert!(schema.properties.unwrap().contains_key("size"));
/// # Ok::<(), crdkit::render::RenderError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Variant {
    /// The name in JSON.
    pub name: &'static str,
    /// The description; empty if there is none.
    pub description: &'static str,
    /// The schema of the data; `None` for a unit variant.
    pub content: Option<&'static Schema>,
    /// How the variant is identified in JSON.
    pub role: VariantKind,
}

/// How a variant is identified in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariantKind {
    /// By its name.
    Named,
    /// By any name that is not the name of another variant (`#[serde(other)]`).
    Other,
    /// By its data alone, regardless of the enum's tagging (`#[serde(untagged)]` on a variant).
    Untagged,
}

impl Variant {
    /// Creates a unit variant.
    pub const fn new(name: &'static str) -> Self {
        Self { name, description: "", content: None, role: VariantKind::Named }
    }

    /// Adds data.
    #[must_use]
    pub const fn with(mut self, content: &'static Schema) -> Self {
        self.content = Some(content);
        self
    }

    /// Sets the description.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Makes this the variant for all other names.
    #[must_use]
    pub const fn other(mut self) -> Self {
        self.role = VariantKind::Other;
        self
    }

    /// Makes the variant untagged.
    #[must_use]
    pub const fn untagged(mut self) -> Self {
        self.role = VariantKind::Untagged;
        self
    }

    /// Returns the tagging of this variant in an enum with the tagging `of_all`.
    pub(crate) const fn tagging(&self, of_all: Tagging) -> Tagging {
        match self.role {
            VariantKind::Untagged => Tagging::Untagged,
            _ => of_all,
        }
    }
}
