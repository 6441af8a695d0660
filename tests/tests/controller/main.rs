//! Controllers on the API server in the process.

mod cluster;
mod events;
mod finalizers;
mod leader;
mod order;
mod own_writes;
mod owned;
mod reconciling;
mod status;
