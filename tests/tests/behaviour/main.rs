//! What derived types do, without an API server.

mod agreement;
mod cel;
mod constants;
mod decoding;
mod definitions;
mod inherit;
mod roots;
mod schemas;
