//! The API server in the process, compared with the real one.

mod apply;
mod authorization;
mod both;
mod definition;
mod documents;
mod example;
mod informer;
mod malformed;
mod random;
mod scripted;
mod selectors;
mod tables;
