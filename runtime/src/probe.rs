//! Which schema a type has: one that is known while compiling, or one of schemars.

use std::marker::PhantomData;

use schemars::JsonSchema;

use crate::schema::{ForeignSchema, KubeSchema, Schema};

/// Asks for the schema of `T`: `Probe::<T>::LOOKUP.schema()`.
///
/// The constant of this type is found before that of [`Fallback`], where `T` has a [`KubeSchema`].
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answer for a type that derives [`KubeSchema`].
///
/// It is taken by value: a reference to it would be one more constant wherever a type is looked up.
pub struct Known<T: ?Sized>(PhantomData<T>);

/// The answer for any other type.
pub struct Unknown<T: ?Sized>(PhantomData<T>);

impl<T: KubeSchema + ?Sized> Probe<T> {
    /// The schema is known.
    pub const LOOKUP: Known<T> = Known(PhantomData);
}

impl<T: KubeSchema + ?Sized> Known<T> {
    /// The schema of the type.
    pub const fn schema(self) -> &'static Schema {
        T::SCHEMA_REF
    }

    /// The schema of a type that need not have one.
    pub const fn known(self) -> Option<&'static Schema> {
        Some(self.schema())
    }

    /// The schema of an `Option` of the type.
    pub const fn optional(self) -> &'static Schema {
        const { &T::SCHEMA_REF.optional() }
    }

    /// The schema of a list of values of the type.
    pub const fn list(self) -> &'static Schema {
        const { &Schema::list(T::SCHEMA_REF) }
    }

    /// The schema of a map to values of the type.
    pub const fn map(self) -> &'static Schema {
        const { &Schema::map(T::SCHEMA_REF) }
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
    pub const fn schema<O: Origin<T>>(&self) -> &'static Schema
    where
        T: HasSchema<O>,
    {
        const { &O::SCHEMA }
    }

    /// The schema of an `Option` of the type.
    pub const fn optional<O: Origin<T>>(&self) -> &'static Schema
    where
        T: HasSchema<O>,
    {
        const { &O::SCHEMA.optional() }
    }

    /// The schema of a list of values of the type.
    pub const fn list<O: Origin<T>>(&self) -> &'static Schema
    where
        T: HasSchema<O>,
    {
        const { &Schema::list(const { &O::SCHEMA }) }
    }

    /// The schema of a map to values of the type.
    pub const fn map<O: Origin<T>>(&self) -> &'static Schema
    where
        T: HasSchema<O>,
    {
        const { &Schema::map(const { &O::SCHEMA }) }
    }
}

impl<T: ?Sized> Unknown<T> {
    /// The schema of a type that need not have one, such as one that another schema hides, or the keys of a map.
    pub const fn known(&self) -> Option<&'static Schema> {
        None
    }
}

/// A type with a schema of schemars, or a generic type that has a schema for some arguments.
///
/// Of the latter, `O` is [`Derived`]: so the compiler names the bound that the arguments do not meet.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "this type has no schema",
    note = "add `#[derive(KubeSchema)]` to it, or `#[schemars(with = \"Type\")]` to the field",
    note = "types of `chrono`, `url`, `uuid` and `bytes` have one with crdkit's feature of that name, those of `k8s-openapi` 0.29 \
            with its feature `schemars` (`cargo tree -d` shows a second version)"
)]
pub trait HasSchema<O> {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> HasSchema<FromSchemars> for T {}

/// Where a schema comes from.
pub trait Origin<T> {
    /// The schema of the type.
    const SCHEMA: Schema;
}

/// The schema is made by schemars.
pub struct FromSchemars;

impl<T: JsonSchema> Origin<T> for FromSchemars {
    const SCHEMA: Schema =
        Schema::foreign(ForeignSchema::new(std::any::type_name::<T>, T::json_schema).named(T::schema_name));
}

/// The schema is derived, of a generic type.
pub struct Derived;

impl<T: KubeSchema> Origin<T> for Derived {
    const SCHEMA: Schema = T::SCHEMA;
}
