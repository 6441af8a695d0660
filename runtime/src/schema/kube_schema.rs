//! The trait of types with a constant schema.

use crate::schema::Schema;

/// A type whose schema is a constant.
///
/// Derive it with `#[derive(KubeSchema)]`, which supports the [`attributes`](crate::attributes). The types of the standard
/// library, `serde_json` and jiff implement it, and so do Kubernetes types that occur in many resources, such as
/// `Condition` and `Quantity`; [`schema`](crate::schema#types-that-have-one) lists them. A hand-written implementation
/// builds its schema with the `const fn`s of [`Schema`]:
///
/// ```
/// use crdkit::{
///     KubeSchema,
///     schema::{Keyword, Schema},
/// };
///
/// /// A percentage.
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

    /// A reference to the schema. Derives point it at a `static`, which the compiler validates once; a constant is
    /// validated wherever it is used, with everything that it refers to.
    #[doc(hidden)]
    const SCHEMA_REF: &'static Schema = &Self::SCHEMA;
}
