//! Types of all shapes, keywords and enums: their schemas are the expected ones, and a real API server accepts and refuses the
//! expected values. They are one program, because each program starts a control plane.

mod enums;
mod keywords;
#[path = "../served_fields/mod.rs"]
mod served_fields;
mod shapes;
