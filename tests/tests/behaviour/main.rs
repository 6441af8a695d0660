//! What derived types do, without an API server.

mod agreement;
mod cel;
mod constants;
mod decoding;
mod definitions;
mod inherit;
mod recursion;
mod roots;
mod schemas;
mod shorthand;
