//! The API server in the process, compared with the real one.

mod both;
mod definition;
mod documents;
mod scripted;
