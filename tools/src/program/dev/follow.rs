//! Watches of the objects of all definitions, and of events.

use std::{collections::BTreeSet, time::Duration};

use crdkit::{
    Client,
    client::{Error, Object, WatchEvent, WatchRequest, dynamic::Unstructured},
};
use futures_util::StreamExt as _;
use k8s_openapi::{
    api::events::v1::Event, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube_core::GroupVersionKind;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::sleep,
};

use super::super::cluster::served_kind;

/// The delay after the end of a watch, and before a kind is requested again that is not served yet.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// What happened in the cluster.
pub(super) enum Notice {
    Changed(Box<Unstructured>),
    Deleted(Box<Unstructured>),
    Event(Box<Event>),
    Problem(String),
}

type Sender = UnboundedSender<Notice>;

/// Watches the objects of the definitions in some groups, or in all, and their events.
pub(super) fn follow(client: &Client, groups: Option<BTreeSet<String>>) -> UnboundedReceiver<Notice> {
    let (sender, notices) = unbounded_channel();
    tokio::spawn(definitions(client.clone(), groups.clone(), sender.clone()));
    tokio::spawn(events(client.clone(), groups, sender));
    notices
}

/// Starts to watch the objects of each definition, also of those that are installed later.
async fn definitions(client: Client, groups: Option<BTreeSet<String>>, sender: Sender) {
    let mut followed = BTreeSet::new();
    let definitions = client.resources::<CustomResourceDefinition>();
    watch(
        || definitions.watch(),
        None,
        &sender,
        |event| {
            let (WatchEvent::Added(crd) | WatchEvent::Modified(crd)) = event else { return };
            let is_selected = groups.as_ref().is_none_or(|groups| groups.contains(&crd.spec.group));
            let Some(kind) = served_kind(&crd).filter(|_| is_selected) else { return };
            if followed.insert(crd.metadata.name.clone()) {
                tokio::spawn(objects(client.clone(), kind, sender.clone()));
            }
        },
    )
    .await;
}

async fn objects(client: Client, kind: GroupVersionKind, sender: Sender) {
    let resources = loop {
        match client.dynamic().resources(kind.clone()).await {
            Ok(resources) => break resources.all_namespaces(),
            // A new definition is not served at once.
            Err(_) => sleep(RETRY_INTERVAL).await,
        }
    };
    watch(
        || resources.watch(),
        None,
        &sender,
        |event| {
            let notice = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => Notice::Changed(Box::new(object)),
                WatchEvent::Deleted(object) => Notice::Deleted(Box::new(object)),
                WatchEvent::Bookmark { .. } => return,
            };
            // Without a receiver, the program ends.
            let _ = sender.send(notice);
        },
    )
    .await;
}

/// Watches the events from now on.
async fn events(client: Client, groups: Option<BTreeSet<String>>, sender: Sender) {
    let resources = client.resources::<Event>().all_namespaces();
    let start = resources.list().limit(1).await;
    let version = start.ok().and_then(|list| list.metadata.resource_version);
    watch(
        || resources.watch(),
        version,
        &sender,
        |event| {
            let (WatchEvent::Added(event) | WatchEvent::Modified(event)) = event else { return };
            let group = event.regarding.as_ref().and_then(|it| it.api_version.as_deref()?.split_once('/'));
            let is_selected =
                groups.as_ref().is_none_or(|groups| group.is_some_and(|(group, _)| groups.contains(group)));
            if is_selected {
                let _ = sender.send(Notice::Event(Box::new(event)));
            }
        },
    )
    .await;
}

/// Watches without end: continues where a watch ended, or with all objects if that is too long ago.
async fn watch<K: Object>(
    request: impl Fn() -> WatchRequest<K>,
    mut version: Option<String>,
    sender: &Sender,
    mut on_event: impl FnMut(WatchEvent<K>),
) {
    let mut last_problem = String::new();
    while !sender.is_closed() {
        let request = match &version {
            Some(version) => request().after(version),
            None => request(),
        };
        let result = match request.await {
            Ok(mut events) => loop {
                match events.next().await {
                    None => break Ok(()),
                    Some(Err(error)) => break Err(error),
                    Some(Ok(event)) => {
                        version = event.resource_version().map(str::to_owned);
                        on_event(event);
                    }
                }
            },
            Err(error) => Err(error),
        };
        match result {
            Ok(()) => {}
            Err(Error::Expired(_)) => version = None,
            Err(error) => {
                let problem = error.to_string();
                if problem != last_problem {
                    let _ = sender.send(Notice::Problem(problem.clone()));
                    last_problem = problem;
                }
            }
        }
        sleep(RETRY_INTERVAL).await;
    }
}
