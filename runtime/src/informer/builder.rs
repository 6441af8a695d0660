//! Which objects an informer keeps, and how.

use std::{fmt::Display, num::NonZeroUsize, sync::Arc};

use kube_core::Resource;
use serde::de::DeserializeOwned;

use super::{
    CacheObject, Timeouts,
    cache::Cache,
    factory::{Informers, Selection},
    handle::{Informer, Running},
    health::Gauge,
    reflector::{Reader, Reflector, Setup, Transform},
    reporter::Reporter,
    runner,
    shared::Shared,
    store::{AnyIndex, Index, Store},
};
use crate::client::{
    dynamic::{add_types, has_types},
    endpoint::Endpoint,
    limits::Limit,
    request::{Query, Request, Verb},
    scope::NamespacedScope,
    selector::Selects,
};

/// An informer that has not begun.
#[must_use = "nothing is watched until it is started"]
pub struct InformerBuilder<T: CacheObject> {
    informers: Informers,
    endpoint: Endpoint<T::Kind>,
    /// All, if none is chosen.
    namespaces: Option<Vec<String>>,
    query: Query,
    keep_managed_fields: bool,
    decode_threads: NonZeroUsize,
    indexes: Vec<AnyIndex<T>>,
    transform: Option<Transform<T>>,
    timeouts: Timeouts,
}

impl<T: CacheObject + DeserializeOwned> InformerBuilder<T> {
    pub(super) fn new(informers: Informers, endpoint: Endpoint<T::Kind>) -> Self {
        Self {
            informers,
            endpoint,
            namespaces: None,
            query: Query::default(),
            keep_managed_fields: false,
            decode_threads: NonZeroUsize::MIN,
            indexes: Vec::new(),
            transform: None,
            timeouts: Timeouts::default(),
        }
    }

    /// Only objects in this namespace.
    pub fn namespace(self, namespace: &str) -> Self
    where
        <T::Kind as Resource>::Scope: NamespacedScope<T::Kind>,
    {
        self.namespaces([namespace])
    }

    /// Only objects in these namespaces, each with a watch of its own: one that is forbidden does no harm to the others.
    /// Of no namespaces there are no objects.
    pub fn namespaces(mut self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self
    where
        <T::Kind as Resource>::Scope: NamespacedScope<T::Kind>,
    {
        let mut namespaces: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        self.namespaces = Some(namespaces);
        self
    }

    /// Only objects whose labels match: [`Labels`](crate::client::Labels), or a text such as `app=web,tier in (front, back)`.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.query = self.query.labels(&selector);
        self
    }

    /// Only objects whose fields match, such as `metadata.name=web`; of custom resources the declared selectable fields.
    pub fn fields(mut self, selector: &str) -> Self {
        self.query = self.query.fields(selector);
        self
    }

    /// Only objects that a [`selector!`](crate::selector) means, which is checked while compiling.
    pub fn matching(mut self, selector: impl Selects<T::Kind>) -> Self {
        self.query = self.query.matching(&selector);
        self
    }

    /// Keeps an index, for [`Lister::by`](super::Lister::by).
    pub fn index<V>(mut self, index: &Index<T, V>) -> Self
    where
        V: Eq + std::hash::Hash + Send + Sync + 'static,
    {
        self.indexes.push(index.into());
        self
    }

    /// Objects keep their `metadata.managedFields`, often the larger part of them.
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }

    /// Decodes on up to so many threads as long as objects come faster than one decodes them: when many are listed, or
    /// after a pause. The others live as long as that lasts. By default there is one, and to join an informer that runs
    /// changes nothing there.
    pub fn decode_threads(mut self, threads: NonZeroUsize) -> Self {
        self.decode_threads = threads;
        self
    }

    /// Changes each object before it is kept, say to drop what is large and not needed. It must leave the namespace, the
    /// name, the uid and the resourceVersion as they are, and where objects are changed with
    /// [`update_from`](crate::client::Resources::update_from) and the like, lists of plain values that these change, such as
    /// finalizers: what else it drops stays in the cluster. If the closure panics on an object, that is reported and the object is kept as the closure left
    /// it. An informer with a transform is not shared.
    pub fn transform(mut self, transform: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Other times to wait.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Begins to read and to watch, or joins an informer of the same factory that has the same objects and settings, and
    /// adds its indexes there.
    ///
    /// If the client knows its configuration, all its informers share a few threads and connections, apart from those of the
    /// program. Otherwise the informer runs on the runtime on which this is called, if there is one.
    /// [`Health::executor`](super::Health::executor) says which.
    pub fn start(self) -> Informer<T> {
        let informers = self.informers.clone();
        match self.transform {
            Some(_) => informers.keep(self.begin()),
            None => informers.share(self.selection(), self),
        }
    }

    /// What makes two informers the same.
    fn selection(&self) -> Selection {
        Selection {
            path: self.endpoint.collection().to_owned(),
            namespaces: self.namespaces.clone(),
            query: self.query.clone(),
            keep_managed_fields: self.keep_managed_fields,
            timeouts: self.timeouts,
        }
    }

    pub(super) fn join(self, running: Arc<Running<T>>) -> Informer<T> {
        for index in self.indexes {
            let problems = running.shared.cache.add_index(&index).into_iter();
            problems.for_each(|problem| running.shared.reports.panicked(problem));
        }
        Informer::new(running)
    }

    pub(super) fn begin(self) -> Informer<T> {
        let namespaces = match &self.namespaces {
            None => vec![None],
            Some(namespaces) => namespaces.iter().map(|n| Some(n.as_str())).collect(),
        };
        let endpoints: Vec<_> = namespaces.iter().map(|n| self.endpoint.at(*n)).collect();
        let gauges = namespaces.iter().map(|n| Gauge::new(*n)).collect();
        let operation = self.endpoint.operation(&Request::collection(Verb::Watch));
        let cache = Cache::new(Store::new(self.indexes));
        let shared = Arc::new(Shared::new(cache, gauges, Reporter::new(operation)));
        let is_own = self.transform.is_none();
        let transform = match has_types::<T>() {
            true => Some(with_types(self.endpoint.clone(), self.transform)),
            false => self.transform,
        };
        let reader = Reader::new(
            shared.clone(),
            self.keep_managed_fields,
            transform,
            self.decode_threads,
        );
        let reader = reader.with_depth(self.endpoint.limit(Limit::Depth));
        let reader = match is_own {
            true => reader.with_own_transform(),
            false => reader,
        };
        let make = {
            let (shared, reader) = (shared.clone(), Arc::new(reader));
            move |client: crate::Client| {
                let setups = endpoints
                    .into_iter()
                    .enumerate()
                    .map(|(watch, endpoint)| Setup {
                        endpoint: endpoint.with_client(client.clone()),
                        selection: self.query.clone(),
                        shared: shared.clone(),
                        watch,
                        timeouts: self.timeouts,
                        reader: reader.clone(),
                    });
                setups.map(Reflector::new).collect()
            }
        };
        let threads = runner::start(&self.endpoint.client, &shared, Box::new(make));
        Informer::new(Arc::new(Running::new(shared, threads)))
    }
}

/// The transform of objects that say which kind they are of: they all do.
fn with_types<T: CacheObject>(
    endpoint: Endpoint<T::Kind>,
    transform: Option<Transform<T>>,
) -> Transform<T> {
    Arc::new(move |object: &mut T| {
        add_types::<T, T::Kind>(object, endpoint.kind());
        if let Some(transform) = &transform {
            transform(object);
        }
    })
}
