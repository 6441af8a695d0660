//! The API server in the process, compared with the real one.

mod admission;
mod admission_policies;
mod apply;
mod authorization;
mod both;
mod controllers;
mod conversion;
mod definition;
mod difference;
mod differences;
mod documents;
mod example;
mod faults;
mod informer;
mod kubectl;
mod malformed;
mod normalize;
mod random;
mod redefined;
mod registration;
mod scripted;
mod selectors;
mod sequence;
mod step;
mod tables;
mod watched;
