//! Checks that a reader that waited for a write reads it.

use std::sync::Arc;

use crdkit::informer::Informer;
use crdkit_tests::{
    apiserver::{ApiServer, Object, Selector},
    faults::Random,
};
use tokio::{sync::watch, time::sleep};

use crate::{
    case::Case,
    widget::{Widget, brief, expected, version},
};

/// Waits for writes until the storm is over. Returns their number.
pub(crate) async fn check_read_your_writes(
    case: Case,
    server: Arc<ApiServer>,
    informer: Informer<Widget>,
    over: watch::Receiver<bool>,
) -> Result<usize, String> {
    let mut random = Random::for_purpose(case.seed, "reads", 0);
    let mut reads = 0;
    while !*over.borrow() {
        sleep(case.timing.storm * u32::try_from(random.below(100)).expect("small") / 2_000).await;
        let Some(written) = newest(&case, &server) else {
            continue;
        };
        let widget = expected(&written);
        informer.wait_for(&widget).await.map_err(|error| error.to_string())?;
        check(&case, &server, &informer, &written)?;
        reads += 1;
    }
    Ok(reads)
}

/// Returns the last written object in a watched namespace.
fn newest(case: &Case, server: &ApiServer) -> Option<Arc<Object>> {
    let (changes, _) = server.storage().changes_after(0);
    let newest = changes.last()?.after.clone()?;
    let namespaces = case.watched_namespaces();
    let is_watched = namespaces.contains(&"") || namespaces.contains(&newest.namespace.as_str());
    is_watched.then_some(newest)
}

/// Checks that the store has the state or a newer one, unless the object has left the selection.
fn check(case: &Case, server: &ApiServer, informer: &Informer<Widget>, written: &Object) -> Result<(), String> {
    let shown = informer.lister().find(written.namespace.as_str(), &written.name).as_deref().map(version);
    let selector = Selector::parse(case.selector).expect("selectors of cases are simple");
    let (changes, _) = server.storage().changes_after(written.version - 1);
    let is_gone = changes.iter().any(|change| {
        let of = change.after.as_ref().or(change.before.as_ref());
        let same = of.is_some_and(|of| of.namespace == written.namespace && of.name == written.name);
        same && !change.after.as_ref().is_some_and(|after| selector.matches(after))
    });
    match shown {
        Some(shown) if shown >= written.version => Ok(()),
        None if is_gone => Ok(()),
        _ => Err(format!("after a wait for {} the store has version {shown:?}", brief(&expected(written)))),
    }
}
