//! The variants of enums that are more than strings.

use super::Schema;

/// How the JSON of an enum says which of its variants it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tagging {
    /// By the name of the only field, which holds the variant's data; a variant without data is its name.
    External,
    /// By a field among those of the variant (`#[serde(tag = "...")]`).
    Internal(&'static str),
    /// By a field beside that of the variant's data (`#[serde(tag = "...", content = "...")]`).
    Adjacent {
        /// The name of the field that holds the name of the variant.
        tag: &'static str,
        /// The name of the field that holds its data.
        content: &'static str,
    },
    /// By what the data looks like (`#[serde(untagged)]`).
    Untagged,
}

/// A variant of an enum.
///
/// ```
/// use crdkit::schema::{Variant, Field, Schema, Tagging};
///
/// const DISK: Schema = Schema::object(&[Field::new("size", &Schema::string())]);
/// const VOLUME: Schema = Schema::one_of(
///     Tagging::Internal("type"),
///     &[
///         Variant::new("disk").with(&DISK),
///         Variant::new("none").describe("Nothing is kept."),
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
    /// Its documentation; empty if there is none.
    pub description: &'static str,
    /// The schema of its data; none if it has no data.
    pub content: Option<&'static Schema>,
    /// What stands for the variant in JSON.
    pub role: VariantKind,
}

/// What stands for a variant in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariantKind {
    /// Its name.
    Named,
    /// Any name that is not that of another variant (`#[serde(other)]`).
    Other,
    /// Its data alone, whatever the other variants have (`#[serde(untagged)]` on a variant).
    Untagged,
}

impl Variant {
    /// A variant without data.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            description: "",
            content: None,
            role: VariantKind::Named,
        }
    }

    /// The variant with data of this schema.
    #[must_use]
    pub const fn with(mut self, content: &'static Schema) -> Self {
        self.content = Some(content);
        self
    }

    /// The variant with documentation.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// The variant that any other name stands for.
    #[must_use]
    pub const fn other(mut self) -> Self {
        self.role = VariantKind::Other;
        self
    }

    /// The variant, for which its data stands.
    #[must_use]
    pub const fn untagged(mut self) -> Self {
        self.role = VariantKind::Untagged;
        self
    }

    /// How its data says that it is this variant.
    pub(crate) const fn tagging(&self, of_all: Tagging) -> Tagging {
        match self.role {
            VariantKind::Untagged => Tagging::Untagged,
            _ => of_all,
        }
    }
}
