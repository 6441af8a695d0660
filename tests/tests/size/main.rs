//! How large definitions are: descriptions that are left out, types of Kubernetes in several forms, and what clients and the
//! API server make of it.

mod apply;
mod descriptions;
mod embed;
mod page;
mod table;
