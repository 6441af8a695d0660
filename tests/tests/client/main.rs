//! The typed client, against a real API server.

mod apply;
mod faults;
mod permissions;
mod places;
mod served;
mod status;
mod update;
mod verbs;
