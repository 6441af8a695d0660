//! Which schema a type has: one that is known while compiling, or one of schemars.

use std::{borrow::Cow, marker::PhantomData};

use schemars::JsonSchema;

use crate::schema::{ForeignSchema, KubeSchema, Schema};

/// Asks for the schema of `T`: `Probe::<T>::LOOKUP.schema()`.
///
/// The constant of this type is found before that of [`Fallback`], where `T` has a [`KubeSchema`].
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answer for a type that derives [`KubeSchema`].
pub struct Known<T: ?Sized>(PhantomData<T>);

/// The answer for any other type.
pub struct Unknown<T: ?Sized>(PhantomData<T>);

impl<T: KubeSchema + ?Sized> Probe<T> {
    /// The schema is known.
    pub const LOOKUP: Known<T> = Known(PhantomData);
}

impl<T: KubeSchema + ?Sized> Known<T> {
    /// The schema of the type.
    pub const fn schema(&self) -> &'static Schema {
        T::PLACE
    }

    /// The schema of a type that need not have one.
    pub const fn known(&self) -> Option<&'static Schema> {
        Some(self.schema())
    }

    /// The schema of an `Option` of the type.
    pub const fn optional(&self) -> &'static Schema {
        const { &T::PLACE.optional() }
    }

    /// The schema of a list of values of the type.
    pub const fn list(&self) -> &'static Schema {
        const { &Schema::list(T::PLACE) }
    }

    /// The schema of a map to values of the type.
    pub const fn map(&self) -> &'static Schema {
        const { &Schema::map(T::PLACE) }
    }
}

/// What [`Probe`] falls back to.
pub trait Fallback<T: ?Sized> {
    /// Only schemars knows the schema.
    const LOOKUP: Unknown<T>;
}

impl<T: ?Sized> Fallback<T> for Probe<T> {
    const LOOKUP: Unknown<T> = Unknown(PhantomData);
}

/// Schemas of the type and what contains it, to be made when they are rendered.
impl<T> Unknown<T> {
    /// The schema of the type.
    pub const fn schema(&self) -> &'static Schema
    where
        T: HasSchema,
    {
        const { &foreign::<T>() }
    }

    /// The schema of an `Option` of the type.
    pub const fn optional(&self) -> &'static Schema
    where
        T: HasSchema,
    {
        const { &foreign::<T>().optional() }
    }

    /// The schema of a list of values of the type.
    pub const fn list(&self) -> &'static Schema
    where
        T: HasSchema,
    {
        const { &Schema::list(const { &foreign::<T>() }) }
    }

    /// The schema of a map to values of the type.
    pub const fn map(&self) -> &'static Schema
    where
        T: HasSchema,
    {
        const { &Schema::map(const { &foreign::<T>() }) }
    }
}

impl<T: ?Sized> Unknown<T> {
    /// The schema of a type that need not have one, such as one that another schema hides, or the keys of a map.
    pub const fn known(&self) -> Option<&'static Schema> {
        None
    }
}

const fn foreign<T: HasSchema>() -> Schema {
    Schema::foreign(
        ForeignSchema::new(std::any::type_name::<T>, T::json_schema).named(T::schema_name),
    )
}

/// A type with a schema of schemars.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "this type has no schema",
    note = "add `#[derive(KubeSchema)]` to it, or `#[schemars(with = \"Type\")]` to the field",
    note = "a generic type has one if each of its arguments implements `KubeSchema`",
    note = "types of `chrono`, `url`, `uuid` and `bytes` have one with crdkit's feature of that name, those of `k8s-openapi` 0.29 \
            with its feature `schemars` (`cargo tree -d` shows a second version)"
)]
pub trait HasSchema {
    /// The name that schemars knows the type by.
    fn schema_name() -> Cow<'static, str>;

    /// Makes the schema.
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> HasSchema for T {
    fn schema_name() -> Cow<'static, str> {
        <T as JsonSchema>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <T as JsonSchema>::json_schema(generator)
    }
}
