//! The typed client, against an API server: the real one, or the one in the process.

mod apply;
mod apply_kubernetes;
mod apply_types;
mod changes;
mod deadlines;
mod discovery;
mod dynamic;
mod faults;
mod group;
mod install;
mod kstatus;
mod list_kinds;
mod namespaces;
mod options;
mod outages;
mod pages;
mod permissions;
mod program;
mod request_hook;
mod samples;
mod scheme;
mod selectors;
mod served;
mod status;
mod storage_migration;
mod subresources;
mod update;
mod update_from;
mod values;
mod verbs;
mod waiting;
mod yaml;

use crdkit_tests::server;
