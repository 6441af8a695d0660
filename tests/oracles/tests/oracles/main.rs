//! Comparisons of crdkit-core with Go's own libraries.

mod costs;
mod defaults;
mod formats;
mod paths;
mod printable;
mod regexp;
mod schemas;
mod values;
