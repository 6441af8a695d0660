//! What derived types do, without an API server.

mod cel;
mod constants;
mod decoding;
mod definitions;
mod inherit;
mod key_patterns;
mod recursion;
mod roots;
mod roundtrip;
mod schemas;
mod shorthand;
