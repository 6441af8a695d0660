//! `group_version(...)` on a module: the group and the version of its resources.

use darling::Error;
use proc_macro2::TokenStream;
use syn::{Meta, parse_quote};

use super::{
    Errors, items,
    key::{Key, keys},
    names::{Group, Version},
};

/// The keys that a module adds to each of its resources.
#[derive(Clone, Default)]
pub(crate) struct GroupVersionAttrs {
    pub(crate) keys: Vec<Meta>,
}

keys! {
    GroupVersionKey { Group = "group", Version = "version" }
}

fn examples() -> [Meta; 2] {
    [parse_quote!(group = "example.com"), parse_quote!(version = "v1")]
}

impl GroupVersionAttrs {
    pub(crate) fn parse(arguments: &TokenStream, errors: &mut Errors) -> Self {
        let (mut group, mut version) = (None::<Group>, None::<Version>);
        let items = items::parse_items(arguments, errors);
        for item in &items {
            match GroupVersionKey::of(item) {
                Some(GroupVersionKey::Group) => items::parse_once(&mut group, item, errors),
                Some(GroupVersionKey::Version) => items::parse_once(&mut version, item, errors),
                None => errors.push(items::unknown(item, &GroupVersionKey::names())),
            }
        }
        if items.is_empty() {
            let message = "expected `#[crdkit::group_version(group = \"example.com\", version = \"v1\")]`";
            errors.push(Error::custom(message));
        }
        let (mut keys, unknown): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| GroupVersionKey::of(item).is_some());
        if !unknown.is_empty() {
            // Examples replace unknown keys, so that the resources do not report missing ones.
            let is_missing = |example: &Meta| !keys.iter().any(|key| key.path() == example.path());
            let missing: Vec<_> = examples().into_iter().filter(is_missing).collect();
            keys.extend(missing);
        }
        Self { keys }
    }

    /// The keys that are not in `others`.
    pub(crate) fn without(&self, others: &[String]) -> Self {
        let is_new = |item: &&Meta| !others.contains(&items::name(item));
        Self { keys: self.keys.iter().filter(is_new).cloned().collect() }
    }
}
