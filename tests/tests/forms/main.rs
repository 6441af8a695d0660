//! Types of all shapes, their keywords and enums: their schemas are those written by hand, a real API server takes them without a
//! warning, and of values those that are meant. They are one program, since each starts a control plane.

mod enums;
mod keywords;
mod shapes;
#[path = "../zoo/mod.rs"]
mod zoo;
