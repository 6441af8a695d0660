//! Every option on a real API server.

mod deletes;
mod dry_runs;
mod selectors;
mod subresources;
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

/// A scope whose samples can be accessed by name and listed.
trait Scope<K>: SingleObject<K> + Listable<K> + Sync {}
impl<K, P: SingleObject<K> + Listable<K> + Sync> Scope<K> for P {}

/// Tests for a client of each scope.
macro_rules! for_both_scopes {
    ($($group:ident::$test:ident,)+) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $test() {
            let name = concat!("options-", stringify!($test)).replace('_', "-");
            let Some((machines, sites)) = both_scopes(&name).await else { return };
            $group::$test(machines, &name).await;
            $group::$test(sites, &name).await;
        }
    )+};
}

for_both_scopes! {
    deletes::preconditions_hold,
    deletes::propagation_policies_set_finalizers,
    selectors::all_selectors_of_a_list_hold,
    selectors::all_selectors_of_a_watch_hold,
    selectors::all_selectors_of_a_deletion_hold,
    subresources::the_status_is_written_in_every_way,
    subresources::the_scale_is_written_in_every_way,
    dry_runs::a_dry_run_of_any_verb_stores_nothing,
    versions::writes_of_an_old_version_conflict,
    versions::writers_with_the_default_of_attempts_lose_nothing,
    watches::watches_resume_from_bookmarks,
}

async fn both_scopes(test: &str) -> Option<(Resources<Machine, InNamespace>, Resources<Site>)> {
    let client = client().await?;
    let namespace = namespace(&client, test).await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    Some((machines, client.resources()))
}

/// Creates `<name>-0`, `<name>-1` and so on with these sizes, labelled with the name and whether the size is odd.
async fn create_some<K: Scaled>(all: &Resources<K, impl Scope<K>>, name: &str, count: i32) {
    for size in 0..count {
        let mut object = K::named(&format!("{name}-{size}"), size);
        let odd = (size % 2 == 1).to_string();
        let labels = [("test", name.to_owned()), ("odd", odd)].map(|(key, value)| (key.to_owned(), value));
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
