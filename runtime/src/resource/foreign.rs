//! A wrapper for types with only a schemars schema.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::schema::{self, KubeSchema, Schema};

/// A wrapper that implements [`KubeSchema`] for a type that only implements [`JsonSchema`], for use as an argument of a
/// generic type.
///
/// Fields need no wrapper. The JSON form is that of the inner value.
///
/// ```
/// # use crdkit::{Foreign, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// struct Named<T> {
///     name: String,
///     value: T,
/// }
///
/// #[derive(schemars::JsonSchema, Serialize, Deserialize)]
/// struct Port {
///     number: u16,
/// }
///
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// struct Server {
///     main: Port,
///     other: Named<Foreign<Port>>,
/// }
///
/// let schema = crdkit::render::render_schema(&Server::SCHEMA)?;
/// let properties = &serde_json::to_value(schema)?["properties"];
/// assert_eq!(properties["other"]["properties"]["value"], properties["main"]);
///
/// let other = Named { name: "a".into(), value: Foreign(Port { number: 80 }) };
/// assert_eq!(serde_json::to_value(&other)?["value"]["number"], 80);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Foreign<T>(pub T);

impl<T: JsonSchema> KubeSchema for Foreign<T> {
    const SCHEMA: Schema = Schema::foreign(schema::ForeignSchema::of::<T>());
}

impl<T: JsonSchema> JsonSchema for Foreign<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

impl<T> Deref for Foreign<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Foreign<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Foreign<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}
