//! Schemas that schemars makes.

use std::{borrow::Cow, fmt};

use schemars::SchemaGenerator;

/// A type that only implements [`schemars::JsonSchema`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ForeignSchema {
    /// The full name of the type.
    pub type_name: fn() -> &'static str,
    /// The name that schemars knows the type by; none where a function makes the schema.
    pub schema_name: Option<fn() -> Cow<'static, str>>,
    /// Makes the type's schema.
    pub schema: fn(&mut SchemaGenerator) -> schemars::Schema,
}

impl ForeignSchema {
    /// The schema that `T` has from schemars.
    pub const fn of<T: schemars::JsonSchema>() -> Self {
        Self::new(std::any::type_name::<T>, T::json_schema).named(T::schema_name)
    }

    /// A schema that a function makes.
    pub const fn new(
        type_name: fn() -> &'static str,
        schema: fn(&mut SchemaGenerator) -> schemars::Schema,
    ) -> Self {
        Self {
            type_name,
            schema_name: None,
            schema,
        }
    }

    /// The schema, of a type that schemars knows by this name.
    #[must_use]
    pub const fn named(mut self, schema_name: fn() -> Cow<'static, str>) -> Self {
        self.schema_name = Some(schema_name);
        self
    }
}

impl fmt::Debug for ForeignSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForeignSchema")
            .field(&(self.type_name)())
            .finish()
    }
}
