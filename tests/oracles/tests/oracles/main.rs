//! What crdkit-core reads and decides, as Go's own libraries do.

mod costs;
mod defaults;
mod formats;
mod paths;
mod printable;
mod regexp;
mod schemas;
mod values;
