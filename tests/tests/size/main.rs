//! How large definitions are: descriptions that are left out, and types of Kubernetes in several forms.

mod descriptions;
mod embed;
mod table;
