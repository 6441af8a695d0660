//! The evaluation of rules, compared with the server's.

mod corpus;
mod random;
