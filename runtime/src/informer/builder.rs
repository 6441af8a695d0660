//! Builds an informer.

use std::{any::TypeId, fmt::Display, num::NonZeroUsize, sync::Arc};

use kube_core::{DynamicObject, Resource};
use serde::de::DeserializeOwned;

use super::{
    CacheObject, StaticScope, Timeouts,
    cache::Cache,
    decode::ManagedFields,
    factory::{Informers, Selection},
    handle::Informer,
    health::Gauge,
    places::{FactoryNamespaces, Places},
    reflector::{EventDecoder, ObjectDecoder, Reflector, Setup, TargetOf, Transform, object_decoder},
    reporter::Reporter,
    runner::{self, CreateWatch},
    running::Running,
    selection_filter::SelectionFilter,
    sharding::Sharding,
    shared::InformerState,
    store::{AnyIndex, Index, Store},
};
use crate::client::{
    Object,
    dynamic::{Unstructured, add_types},
    endpoint::{AnyMetadata, Endpoint},
    limits::Limit,
    request::{Query, Request, Verb},
    scope::NamespacedScope,
    selector::Selects,
};

/// The default of [`InformerBuilder::decode_threads`].
const DECODE_THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// Configures and starts an [`Informer`].
#[must_use = "an informer does nothing until `start` is called"]
pub struct InformerBuilder<T: CacheObject> {
    informers: Informers,
    endpoint: Endpoint<T::Kind>,
    places: Places,
    query: Query,
    managed_fields: ManagedFields,
    decode_threads: NonZeroUsize,
    indexes: Vec<AnyIndex>,
    transform: Option<Transform<T>>,
    timeouts: Timeouts,
    sharding: Option<Sharding>,
}

impl<T: CacheObject + DeserializeOwned> InformerBuilder<T> {
    pub(super) fn new(informers: Informers, endpoint: Endpoint<T::Kind>) -> Self {
        Self {
            informers,
            endpoint,
            places: Places::All,
            query: Query::default(),
            managed_fields: ManagedFields::Dropped,
            decode_threads: DECODE_THREADS,
            indexes: Vec::new(),
            transform: None,
            timeouts: Timeouts::default(),
            sharding: None,
        }
    }

    /// Selects the objects of one namespace.
    pub fn namespace(self, namespace: &str) -> Self
    where
        <T::Kind as Resource>::Scope: NamespacedScope<T::Kind>,
    {
        self.namespaces([namespace])
    }

    /// Selects the objects of these namespaces.
    ///
    /// Each namespace has its own watch, so a namespace that is forbidden does not affect the others. With an empty
    /// list, the informer has no objects.
    pub fn namespaces(mut self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self
    where
        <T::Kind as Resource>::Scope: NamespacedScope<T::Kind>,
    {
        let mut namespaces: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        self.places = Places::Namespaces(namespaces);
        self
    }

    /// Selects the objects of all namespaces: the default, except for the kinds that a
    /// [controller](crate::controller::ControllerBuilder::select) of some namespaces owns, watches and reads.
    pub fn all_namespaces(mut self) -> Self
    where
        <T::Kind as Resource>::Scope: NamespacedScope<T::Kind>,
    {
        self.places = Places::All;
        self
    }

    /// Selects objects by label: [`Labels`](crate::client::selector::Labels), or text such as `app=web,tier in (front, back)`.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.query = self.query.labels(&selector);
        self
    }

    /// Selects objects by field, such as `metadata.name=web`.
    ///
    /// For custom resources, the API server also supports the declared selectable fields.
    pub fn fields(mut self, selector: &str) -> Self {
        self.query = self.query.fields(selector);
        self
    }

    /// Selects objects with a [`selector!`](crate::selector), which is checked at compile time.
    pub fn matching(mut self, selector: impl Selects<T::Kind>) -> Self {
        self.query = self.query.matching(&selector);
        self
    }

    /// Adds an index, for [`Lister::by`](super::Lister::by).
    pub fn index<V>(mut self, index: &Index<T, V>) -> Self
    where
        V: Eq + std::hash::Hash + Send + Sync + 'static,
    {
        self.indexes.push(index.into());
        self
    }

    /// Stores `metadata.managedFields`, which are dropped by default.
    ///
    /// They are often the larger part of an object.
    pub fn keep_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Retained;
        self
    }

    /// Sets the maximum number of threads that decode objects: 2 by default.
    ///
    /// These threads run only while objects arrive faster than one thread processes them: during a large list, or after
    /// a pause. The thread of the informer stores the objects meanwhile. On a machine with one core there are none. Joining
    /// an informer that already runs does not change its setting.
    pub fn decode_threads(mut self, threads: NonZeroUsize) -> Self {
        self.decode_threads = threads;
        self
    }

    /// Modifies each object before it is stored, for example to drop large fields that are not needed.
    ///
    /// The closure must not change the namespace, the name, the uid or the resourceVersion. If you modify objects with
    /// [`update_from`](crate::client::Resources::update_from) or similar methods, it must also not change the lists of
    /// plain values that they modify, such as finalizers. Everything else that it drops stays unchanged in the cluster.
    ///
    /// If the closure panics, the panic is reported, and the object is stored as the closure left it. An informer with
    /// a transform is not shared.
    pub fn transform(mut self, transform: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Sets the timeouts and delays.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Keeps only the objects of the shards that the process holds.
    ///
    /// All informers of a factory must have the same shards.
    pub(crate) fn sharded(mut self, sharding: Sharding) -> Self {
        self.sharding = Some(sharding);
        self
    }

    /// Starts the informer, or joins a running one.
    ///
    /// If a running informer of the same factory has the same selection and settings, this returns a handle to that
    /// informer and adds the indexes to it.
    ///
    /// If the client has its configuration, all its informers share a few threads and connections of their own,
    /// separate from those of the program. Otherwise the informer runs on the current tokio runtime, if there is one.
    /// [`Health::executor`](super::Health::executor) reports where it runs.
    pub fn start(mut self) -> Informer<T> {
        let informers = self.informers.clone();
        if self.places == Places::OfFactory && !informers.namespaces().are_limited() {
            self.places = Places::All;
        }
        match self.transform {
            Some(_) => informers.register(self.start_new()),
            None => informers.get_or_start(self.selection(), self),
        }
    }

    /// Returns where the objects are: everywhere for cluster-scoped kinds.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Selects the objects in these places, unless the kind is cluster-scoped.
    pub(crate) fn in_places(self, places: &Places) -> Self
    where
        T::Kind: Resource<Scope: StaticScope<T::Kind>>,
    {
        if <<T::Kind as Resource>::Scope as StaticScope<T::Kind>>::IN_NAMESPACE { self.within(places) } else { self }
    }

    /// Selects the objects of a namespaced kind in these places.
    pub(crate) fn within(mut self, places: &Places) -> Self {
        self.places = places.clone();
        self
    }

    /// Whether objects are selected by labels or fields.
    pub(crate) fn has_selectors(&self) -> bool {
        !self.query.label_selector().is_empty() || !self.query.field_selector().is_empty()
    }

    /// Returns the settings that identify a shared informer.
    fn selection(&self) -> Selection {
        Selection {
            path: self.endpoint.collection().to_owned(),
            places: self.places.clone(),
            query: self.query.clone(),
            managed_fields: self.managed_fields,
            timeouts: self.timeouts,
            shard_key: self.sharding.as_ref().map(|sharding| sharding.key.clone()),
        }
    }

    pub(super) fn attach(self, running: Arc<Running>) -> Informer<T> {
        for index in self.indexes {
            let problems = running.shared.cache.add_index(&index).into_iter();
            problems.for_each(|problem| running.shared.reporter.report_panic(problem));
        }
        Informer::new(running)
    }

    pub(super) fn start_new(self) -> Informer<T> {
        let has_user_transform = self.transform.is_some();
        let transform = if has_types::<T>() {
            Some(transform_with_types(self.endpoint.clone(), self.transform))
        } else {
            self.transform
        };
        let settings = StartSettings {
            target_of: target_of(self.endpoint),
            followed: (self.places == Places::OfFactory).then(|| self.informers.namespaces().clone()),
            places: self.places,
            query: self.query,
            managed_fields: self.managed_fields,
            decode_threads: self.decode_threads,
            indexes: self.indexes,
            decode: object_decoder(transform),
            has_user_transform,
            may_have_undecodable_parts: T::may_have_undecodable_parts,
            timeouts: self.timeouts,
            sharding: self.sharding,
        };
        Informer::new(settings.start())
    }
}

/// The settings of an informer, without the type of its objects.
struct StartSettings {
    target_of: TargetOf,
    places: Places,
    /// The namespaces of the factory, if the objects are in these.
    followed: Option<Arc<FactoryNamespaces>>,
    query: Query,
    managed_fields: ManagedFields,
    decode_threads: NonZeroUsize,
    indexes: Vec<AnyIndex>,
    decode: ObjectDecoder,
    has_user_transform: bool,
    may_have_undecodable_parts: fn() -> bool,
    timeouts: Timeouts,
    sharding: Option<Sharding>,
}

impl StartSettings {
    fn start(self) -> Arc<Running> {
        let (target, gauges) = ((self.target_of)(None), self.gauges());
        let operation = target.operation(&Request::collection(Verb::Watch));
        let filter = SelectionFilter::new(&operation, &self.query, self.sharding.clone());
        let cache = Cache::new(Store::new(self.indexes)).with_undecodable_parts(self.may_have_undecodable_parts);
        let shared = InformerState::new(cache, gauges, Reporter::new(operation));
        let shared = Arc::new(match &self.followed {
            Some(followed) => shared.following(followed),
            None => shared,
        });
        let decoder = EventDecoder::new(shared.clone(), self.managed_fields, self.decode, self.decode_threads)
            .with_depth(target.limit(Limit::Depth))
            .with_user_transform(self.has_user_transform);
        let create: CreateWatch = {
            let (shared, decoder) = (shared.clone(), Arc::new(decoder));
            Box::new(move |client, gauge| {
                if self.sharding.is_none() {
                    gauge.set_shards(u64::MAX);
                }
                Reflector::new(Setup {
                    endpoint: (self.target_of)(gauge.namespace().as_deref()).with_client(client.clone()),
                    target_of: self.target_of.clone(),
                    selection: self.query.clone(),
                    shared: shared.clone(),
                    gauge,
                    timeouts: self.timeouts,
                    decoder: decoder.clone(),
                    sharding: self.sharding.clone(),
                })
            })
        };
        let threads = runner::start(&target.client, &shared, create);
        Arc::new(Running::new(shared, threads).with_filter(filter))
    }

    /// Returns a gauge for each watch.
    fn gauges(&self) -> Vec<Gauge> {
        if let Some(followed) = &self.followed {
            let watched = followed.watched();
            return watched.borrow().iter().map(|(name, number)| Gauge::numbered(name, *number)).collect();
        }
        match &self.places {
            Places::Namespaces(namespaces) => namespaces.iter().map(|name| Gauge::new(Some(name))).collect(),
            Places::All | Places::OfFactory => vec![Gauge::new(None)],
        }
    }
}

impl<K: Object> InformerBuilder<K> {
    /// Configures an informer of the metadata of all objects in the same namespaces, whatever their labels and fields are.
    pub(crate) fn metadata_of_all(&self) -> InformerBuilder<AnyMetadata> {
        let metadata = InformerBuilder::new(self.informers.clone(), self.endpoint.at(None).any_metadata());
        InformerBuilder { places: self.places.clone(), timeouts: self.timeouts, ..metadata }
    }
}

fn target_of<K: Resource>(endpoint: Endpoint<K>) -> TargetOf
where
    Endpoint<K>: 'static,
{
    Arc::new(move |namespace| endpoint.at(namespace).target)
}

/// Wraps the transform so that objects with `apiVersion` and `kind` fields always have them set.
fn transform_with_types<T: CacheObject>(endpoint: Endpoint<T::Kind>, transform: Option<Transform<T>>) -> Transform<T> {
    Arc::new(move |object: &mut T| {
        add_types::<T, T::Kind>(object, endpoint.kind());
        if let Some(transform) = &transform {
            transform(object);
        }
    })
}

/// Returns whether objects of the Rust type contain their `apiVersion` and `kind`.
fn has_types<T: 'static>() -> bool {
    [TypeId::of::<Unstructured>(), TypeId::of::<DynamicObject>()].contains(&TypeId::of::<T>())
}
