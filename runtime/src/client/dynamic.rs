//! Objects of kinds that are specified at run time.
//!
//! ```no_run
//! # async fn example(client: crdkit::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let vms = client.dynamic().resources("vm").await?.namespace("default")?;
//! let vm = vms.get("web").await?;
//! println!("{}", vm.get_str("spec.image")?);
//! vms.update("web", |vm| vm.set("spec.replicas", 3)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Unstructured`] represents the object. Its fields are read and written by their [paths](AsFieldPath).

mod error;
mod fields;
mod handle;
mod object;
mod path;
mod types;

pub(crate) use error::type_of;
pub use error::{Optional, PathError, Present};
pub use handle::{Dynamic, DynamicResources, ScopeError};
pub use object::Unstructured;
pub use path::AsFieldPath;
pub(crate) use types::add_types;
