//! Custom resources of each attribute, judged by a real API server: their definitions and their objects.

mod at;
mod registry;
mod served;
mod unchanged;
mod versions;
mod virtual_machine;
