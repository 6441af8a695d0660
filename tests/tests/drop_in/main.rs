//! What is written for kube-derive means the same with crdkit, after the imports are changed.

#![allow(clippy::duplicate_mod)] // the types are derived twice

mod comparison;
mod differences;
mod of_crdkit;
mod of_kube;
