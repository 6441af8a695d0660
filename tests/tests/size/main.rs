//! The size of definitions: omitted descriptions, types of Kubernetes in several forms, and the limits of clients and the API
//! server.

mod apply;
mod descriptions;
mod embed;
mod page;
mod table;
