//! Versions from which watches resume.

use std::time::Duration;

use crdkit::client::{Resources, WatchEvent};
use futures_util::TryStreamExt;

use super::{Scaled, Scope};

/// The API server sends a bookmark some two seconds before it ends a watch.
const SHORT: Duration = Duration::from_secs(4);

pub(super) async fn watches_resume_from_bookmarks<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    let created = all.create(&K::named(name, 1)).await.unwrap();
    let version = created.meta().resource_version.as_deref().unwrap();
    let mut nothing = all.watch().fields("metadata.name=nothing").after(version).timeout(SHORT).await.unwrap();
    all.update(name, |object| object.resize(2)).await.unwrap();
    let Some(WatchEvent::Bookmark { resource_version, .. }) = nothing.try_next().await.unwrap() else {
        panic!("this watch has no other events");
    };

    let initial = all.watch().fields("metadata.name=nothing").with_initial_events();
    let first = initial.await.unwrap().try_next().await.unwrap().unwrap();
    all.update(name, |object| object.resize(3)).await.unwrap();
    for version in [resource_version.as_str(), first.resource_version().unwrap()] {
        let watch = all.watch().fields(&format!("metadata.name={name}"));
        let mut events = watch.after(version).await.unwrap();
        let Some(WatchEvent::Modified(object)) = events.try_next().await.unwrap() else {
            panic!("expected a modification");
        };
        assert_eq!(object.size(), 3);
    }
}
