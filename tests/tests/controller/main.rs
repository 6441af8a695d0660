//! Controllers on the API server in the process.

mod cluster;
mod collector;
mod elector;
mod events;
mod exposition;
mod finalizers;
mod health;
mod kube_runtime;
mod leader;
mod life_cycle;
mod loops;
mod metrics;
mod order;
mod own_writes;
mod owned;
mod processes;
mod rbac;
mod reconciling;
mod sample;
mod serve;
mod shards;
mod shutdown;
mod spans;
mod status;
mod wiring;
