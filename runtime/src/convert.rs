//! Conversion between the versions of a kind.
//!
//! One version is the hub: the one that programs work with. Each other version, a spoke, derives
//! [`Convert`](macro@Convert), which lists only how it differs from the hub. A conversion between two spokes goes
//! through the hub.
//!
//! ```
//! mod v1 {
//!     # use crdkit::{CustomResource, KubeSchema};
//!     # use serde::{Deserialize, Serialize};
//!     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
//!     #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
//!     pub struct MachineSpec {
//!         pub cpu: String,
//!         pub zone: String,
//!     }
//! }
//!
//! mod v1alpha1 {
//!     # use crdkit::{convert::Convert, CustomResource, KubeSchema};
//!     # use serde::{Deserialize, Serialize};
//!     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
//!     #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
//!     #[convert(hub = super::v1::Machine)]
//!     pub struct MachineSpec {
//!         #[convert(to = "cpu", with = cores)]
//!         pub cores: u32,
//!     }
//!
//!     mod cores {
//!         pub fn to_hub(cores: u32) -> String {
//!             cores.to_string()
//!         }
//!         pub fn from_hub(cpu: String) -> u32 {
//!             cpu.parse().unwrap_or(1)
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let machine = v1::Machine::new("web", v1::MachineSpec { cpu: "500m".into(), zone: "eu-1".into() });
//! let old = v1alpha1::Machine::try_from(machine.clone())?;
//! assert_eq!(old.spec.cores, 1);
//! // What the old version cannot express comes back:
//! assert_eq!(v1::Machine::try_from(old)?.spec, machine.spec);
//! # Ok(())
//! # }
//! ```
//!
//! # Nothing is lost
//!
//! A value that the target version cannot express is kept in the annotation [`CONVERSION_DATA_ANNOTATION`], and returns when the object
//! is converted back. If somebody changes in the meantime what a kept value stands for, the change wins, and the kept value
//! is dropped.
//!
//! # All versions of a kind
//!
//! [`Hub`] declares them in one place, for the definition with its conversion webhook and its storage version, and for the
//! [`Converter`] that answers the webhook's requests.
//!
//! # From a version to the next one
//!
//! With the feature `webhook`, the page `convert::evolution` describes the whole way, up to the removal of the old version.
//!
//! # What is converted
//!
//! Conversion works on JSON, so fields that the Rust types do not know are kept too. `metadata` stays as it is, except for the
//! annotation; the API server allows a conversion to change nothing else of it. A subset of the fields, as in server-side
//! apply, can be converted as well.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{CustomResource, json::json_value};

#[doc(hidden)]
pub mod checks;
mod conversion;
mod conversion_data;
mod converter;
mod error;
#[cfg(feature = "webhook")]
pub mod evolution;
mod fill;
#[cfg(feature = "testing")]
mod function_call;
mod hub;
mod object;
mod path;
mod review;
#[cfg(feature = "webhook")]
mod text;
mod values;
mod variants;

pub use crdkit_macros::Convert;

#[doc(hidden)]
pub use conversion::{
    ConversionNode, Direction, EnumConversion, FieldConversion, HubDefault, HubOf, KindConversion, NoConversion, NoHub,
    NodeOf, ObjectConversion, VariantConversion, With, apply, canonical, try_apply, value_of,
};
pub use conversion_data::CONVERSION_DATA_ANNOTATION;
pub use converter::Converter;
pub use error::ConvertError;
pub(crate) use fill::has_empty_value;
#[cfg(feature = "testing")]
pub(crate) use function_call::FunctionCall;
pub use hub::{Hub, VersionOf};
pub use review::ReviewError;
#[cfg(feature = "webhook")]
pub(crate) use text::TextReview;

/// A type whose values convert to a type of the hub version. Implemented by the derive [`Convert`](macro@Convert), and for
/// lists, maps, options and boxes of such types.
pub trait Convert {
    /// How values convert.
    #[doc(hidden)]
    const NODE: ConversionNode;
}

/// A version of a kind that converts to the hub version. Implemented by the derive [`Convert`](macro@Convert) on a spec.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not convert to a hub version",
    label = "add `#[derive(Convert)]` and `#[convert(hub = ...)]` to its spec"
)]
pub trait Spoke: CustomResource {
    /// The root type of the hub version.
    type Hub: CustomResource;
    /// How objects convert.
    #[doc(hidden)]
    const CONVERSION: KindConversion;
}

/// Converts an object to the hub version.
///
/// # Errors
///
/// If a conversion function fails, or if the result is not an object of the hub version.
pub fn to_hub<S: Spoke + Serialize>(object: &S) -> Result<S::Hub, ConvertError>
where
    S::Hub: DeserializeOwned,
{
    typed(object, |value| object::to_hub(&S::CONVERSION, value))
}

/// Converts an object of the hub version to another version.
///
/// # Errors
///
/// If a conversion function fails, or if the result is not an object of the version.
pub fn from_hub<S: Spoke + DeserializeOwned>(object: &S::Hub) -> Result<S, ConvertError>
where
    S::Hub: Serialize,
{
    typed(object, |value| object::from_hub(&S::CONVERSION, value))
}

/// Converts an object between two versions, through their common hub.
///
/// # Errors
///
/// As [`to_hub`] and [`from_hub`].
pub fn convert<A: Spoke + Serialize, B: Spoke<Hub = A::Hub> + DeserializeOwned>(object: &A) -> Result<B, ConvertError> {
    typed(object, |value| object::from_hub(&B::CONVERSION, object::to_hub(&A::CONVERSION, value)?))
}

/// Converts an object to the hub, or from it.
#[doc(hidden)]
pub fn convert_json<S: Spoke>(object: Value, is_to_hub: bool) -> Result<Value, ConvertError> {
    if is_to_hub { object::to_hub(&S::CONVERSION, object) } else { object::from_hub(&S::CONVERSION, object) }
}

/// Converts an object to the hub, or from it, and returns the calls of functions, also of those after one that rejects its value.
#[cfg(feature = "testing")]
pub(crate) fn function_calls<S: Spoke>(object: Value, is_to_hub: bool) -> Vec<FunctionCall> {
    let direction = if is_to_hub { Direction::ToHub } else { Direction::FromHub };
    object::function_calls(&S::CONVERSION, object, direction)
}

/// The generated test of a conversion.
#[cfg(feature = "testing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __conversion_test {
    ($root:ident $module:ident $name:ident) => {
        #[cfg(test)]
        #[allow(unnameable_test_items)]
        mod $module {
            pub(super) struct Conversion;
            #[::core::prelude::v1::test]
            fn $name() {
                Conversion::check();
            }
        }
        #[cfg(test)]
        impl $module::Conversion {
            fn check() {
                $crate::__private::convert::ConversionTest::of::<$root>().check();
            }
        }
    };
}

/// The generated test of a conversion, which needs the feature `testing`.
#[cfg(not(feature = "testing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __conversion_test {
    ($($tokens:tt)*) => {};
}

fn typed<A: Serialize, B: DeserializeOwned>(
    object: &A,
    convert: impl FnOnce(Value) -> Result<Value, ConvertError>,
) -> Result<B, ConvertError> {
    let value = json_value::to_value(object).map_err(|error| ConvertError::NotSerializable(error.to_string()))?;
    serde_json::from_value(convert(value)?).map_err(|error| ConvertError::InvalidResult(error.to_string()))
}

macro_rules! transparent {
    ($($type:ty),*) => {$(
        impl<T: Convert> Convert for $type {
            const NODE: ConversionNode = T::NODE;
        }
    )*};
}

transparent!(Option<T>, Box<T>, std::sync::Arc<T>, std::rc::Rc<T>);

impl<T: Convert> Convert for Vec<T> {
    const NODE: ConversionNode = ConversionNode::Items(&T::NODE);
}

impl<K, T: Convert> Convert for BTreeMap<K, T> {
    const NODE: ConversionNode = ConversionNode::Values(&T::NODE);
}

impl<K, T: Convert, S> Convert for std::collections::HashMap<K, T, S> {
    const NODE: ConversionNode = ConversionNode::Values(&T::NODE);
}
