//! Every option does on a real API server what it says.

mod deletes;
mod selectors;
mod subresources;
mod tries;
mod validation;
mod versions;
mod watches;

use std::collections::BTreeMap;

use crdkit::{
    client::{
        Patch, Resources,
        scope::{InNamespace, Listable, SingleObject},
    },
    subresource::{ScaleSubresource, StatusSubresource},
};
use serde_json::Value;

use crate::served::{Machine, Sample, Site, SizeStatus, client, namespace};

/// A sample whose status and scale can be written.
trait Scaled: Sample + StatusSubresource<Status = SizeStatus> + ScaleSubresource {}
impl<K: Sample + StatusSubresource<Status = SizeStatus> + ScaleSubresource> Scaled for K {}

/// A place of samples that can be named and listed.
trait Place<K>: SingleObject<K> + Listable<K> + Sync {}
impl<K, P: SingleObject<K> + Listable<K> + Sync> Place<K> for P {}

/// Tests for a place of each scope.
macro_rules! for_both_scopes {
    ($($group:ident::$test:ident,)+) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $test() {
            let name = concat!("options-", stringify!($test)).replace('_', "-");
            let Some((machines, sites)) = places(&name).await else { return };
            $group::$test(machines, &name).await;
            $group::$test(sites, &name).await;
        }
    )+};
}

for_both_scopes! {
    deletes::preconditions_hold,
    deletes::dependents_decide_what_keeps_an_owner,
    selectors::all_selectors_of_a_list_hold,
    selectors::all_selectors_of_a_watch_hold,
    selectors::all_selectors_of_a_deletion_hold,
    subresources::the_status_is_written_in_every_way,
    subresources::the_scale_is_written_in_every_way,
    tries::a_dry_run_of_any_verb_keeps_nothing,
    versions::writes_of_an_old_version_conflict,
    versions::writers_with_the_default_of_attempts_lose_nothing,
    watches::bookmarks_are_places_to_go_on_from,
}

async fn places(test: &str) -> Option<(Resources<Machine, InNamespace>, Resources<Site>)> {
    let client = client().await?;
    let namespace = namespace(&client, test).await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    Some((machines, client.resources()))
}

/// Objects `<name>-0`, `<name>-1` and so on of these sizes, labelled with the name and whether the size is odd.
async fn create_some<K: Scaled>(all: &Resources<K, impl Place<K>>, name: &str, count: i32) {
    for size in 0..count {
        let mut object = K::named(&format!("{name}-{size}"), size);
        let odd = (size % 2 == 1).to_string();
        let labels = [("test", name.to_owned()), ("odd", odd)];
        let labels = labels.map(|(key, value)| (key.to_owned(), value));
        object.meta_mut().labels = Some(BTreeMap::from(labels));
        all.create(&object).await.unwrap();
    }
}

fn merge(content: Value) -> Patch {
    Patch::merge(content)
}

fn version_of<K: Scaled>(object: &K) -> String {
    object.meta().resource_version.clone().unwrap()
}
