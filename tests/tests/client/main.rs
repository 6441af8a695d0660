//! The typed client, against an API server: the real one, or the one in the process.

mod apply;
mod apply_kubernetes;
mod apply_types;
mod at_hand;
mod changes;
mod deadlines;
mod discovery;
mod dynamic;
mod faults;
mod group;
mod install;
mod list_kinds;
mod options;
mod outages;
mod pages;
mod permissions;
mod places;
mod samples;
mod scheme;
mod selectors;
mod served;
mod status;
mod storage_migration;
mod through;
mod update;
mod verbs;

use crdkit_tests::server;
