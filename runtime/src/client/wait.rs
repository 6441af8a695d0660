//! Waits until an object is in a state, by a watch.

pub(crate) mod follow;

use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    time::Duration,
};

use kube_core::ObjectMeta;

use super::{
    deadline::Deadline,
    endpoint::Endpoint,
    error::WaitUntilError,
    request::{Request, Verb},
    resources::{Object, Resources},
    scope::{Listable, SingleObject},
};
use crate::{
    json::json_value::to_value,
    resource::status::{self, ObjectStatus, State, fields::Fields},
};
use follow::{Follower, Sight};

/// Whether an object is in the state that is waited for.
///
/// The functions of [`wait_until`](Resources::wait_until) return it, or a `bool`, or the [status](crate::status::of) of an object: a wait
/// ends when that is current, or has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Met {
    /// It is.
    Yes,
    /// It is not, but can still be.
    NotYet,
    /// It cannot be any more, with the reason.
    Never(String),
}

impl From<bool> for Met {
    fn from(is_met: bool) -> Self {
        if is_met { Self::Yes } else { Self::NotYet }
    }
}

impl From<ObjectStatus> for Met {
    fn from(status: ObjectStatus) -> Self {
        match status.state {
            State::Current => Self::Yes,
            State::InProgress | State::Terminating => Self::NotYet,
            // Without the message, which may have values of the object.
            State::Failed => Self::Never(format!("it is {}", Brief(&status))),
        }
    }
}

impl<K: Object, P> Resources<K, P> {
    /// Waits until an object is in a state, and returns it.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use crdkit::{conditions, status};
    /// # use k8s_openapi::api::{apps::v1::Deployment, batch::v1::Job, core::v1::PersistentVolumeClaim};
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::WaitUntilError> {
    /// let jobs = client.resources::<Job>().namespace("default");
    /// jobs.wait_until("migrate", conditions::is_true("Complete")).within(Duration::from_secs(300)).await?;
    ///
    /// // By the rules of kstatus, until it is current or has failed.
    /// let deployments = client.resources::<Deployment>().namespace("default");
    /// let web = deployments.wait_until("web", status::of).await?;
    ///
    /// let claims = client.resources::<PersistentVolumeClaim>().namespace("default");
    /// let is_bound = |claim: &PersistentVolumeClaim| claim.spec.as_ref().is_some_and(|spec| spec.volume_name.is_some());
    /// claims.wait_until("data", is_bound).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The object is listed and watched, not polled. It need not exist yet, and may be created again in the meantime; to wait for one
    /// object only, use [`wait_for`](Self::wait_for). Without [`within`](WaitUntil::within), there is no time limit. Errors that may pass,
    /// such as a broken connection, are retried within the time limit.
    ///
    /// A Job that fails never completes: return [`Met::Never`] for what ends a wait early, or wait for its `status::of`, which is current
    /// as soon as it runs.
    ///
    /// # Errors
    ///
    /// [`WaitUntilError::Elapsed`] with what the object last looked like, [`WaitUntilError::Never`] if the function says so, and
    /// [`WaitUntilError::Request`] if a request fails for good, such as without permission. It requires the permissions to list and watch objects of the kind.
    #[doc(alias("await_condition", "kubectl wait"))]
    pub fn wait_until<'a, F, R>(&'a self, name: &'a str, is_met: F) -> WaitUntil<'a, K, F>
    where
        P: SingleObject<K>,
        F: FnMut(&K) -> R + Send,
        R: Into<Met>,
    {
        WaitUntil { endpoint: &self.endpoint, wanted: Wanted::Name(name), is_met, limit: Duration::MAX }
    }

    /// Waits until an object that you already have is in a state, and returns it.
    ///
    /// It is the object with this `metadata.uid`: the wait ends with [`WaitUntilError::Deleted`] if it is deleted.
    ///
    /// # Errors
    ///
    /// As [`wait_until`](Self::wait_until), and `MissingName`, `MissingMetadata` or `NamespaceMismatch` of [`Error`](super::Error) if the
    /// object was not read from the API server or is not in the scope of the handle.
    pub fn wait_for<'a, F, R>(&'a self, object: &'a K, is_met: F) -> WaitUntil<'a, K, F>
    where
        P: Listable<K>,
        F: FnMut(&K) -> R + Send,
        R: Into<Met>,
    {
        let wanted = Wanted::Object { object, spans_namespaces: P::SPANS_NAMESPACES };
        WaitUntil { endpoint: &self.endpoint, wanted, is_met, limit: Duration::MAX }
    }

    /// Waits until an object is deleted, or is replaced by another one of its name. It is done at once if there is none.
    ///
    /// To delete an object and wait, use [`and_wait`](super::Delete::and_wait).
    ///
    /// # Errors
    ///
    /// As [`wait_until`](Self::wait_until).
    pub fn wait_until_deleted<'a>(&'a self, name: &'a str) -> WaitUntilDeleted<'a, K>
    where
        P: SingleObject<K>,
    {
        WaitUntilDeleted { endpoint: &self.endpoint, name, limit: Duration::MAX }
    }
}

/// The object that is waited for.
enum Wanted<'a, K> {
    /// Each object with this name.
    Name(&'a str),
    /// This one.
    Object { object: &'a K, spans_namespaces: bool },
}

/// A wait for a state of an object. Awaiting it starts the wait.
#[must_use = "nothing is waited for until it is awaited"]
pub struct WaitUntil<'a, K: Object, F> {
    endpoint: &'a Endpoint<K>,
    wanted: Wanted<'a, K>,
    is_met: F,
    limit: Duration,
}

impl<K: Object, F> WaitUntil<'_, K, F> {
    /// Sets a time limit.
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

impl<'a, K, F, R> IntoFuture for WaitUntil<'a, K, F>
where
    K: Object,
    F: FnMut(&K) -> R + Send + 'a,
    R: Into<Met>,
{
    type Output = Result<K, WaitUntilError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { endpoint, wanted, mut is_met, limit } = self;
        Box::pin(wait(endpoint, wanted, move |object: &K| is_met(object).into(), limit))
    }
}

async fn wait<K: Object>(
    endpoint: &Endpoint<K>,
    wanted: Wanted<'_, K>,
    mut is_met: impl FnMut(&K) -> Met + Send,
    limit: Duration,
) -> Result<K, WaitUntilError> {
    let (endpoint, name, uid) = match wanted {
        Wanted::Name(name) => (endpoint.clone(), name, None),
        Wanted::Object { object, spans_namespaces } => {
            let name = endpoint.name_of(Verb::Watch, object)?;
            let request = Request::object(Verb::Watch, name);
            let endpoint = endpoint.in_namespace_of(&request, object.meta(), spans_namespaces)?;
            let uid = endpoint.uid_of(&request, object.meta())?;
            (endpoint, name, Some(uid))
        }
    };
    let operation = || Box::new(endpoint.operation(&Request::object(Verb::Watch, name)));
    let is_wanted = |object: &K| uid.is_none() || object.meta().uid.as_deref() == uid;
    let mut last_seen = LastSeen::Nothing;
    let mut follower = Follower::new(endpoint.clone(), name);
    let met = follower.until(|sight| match sight {
        Sight::Present(object) if is_wanted(&object) => match is_met(&object) {
            Met::Yes => Some(Ok(object)),
            Met::Never(reason) => Some(Err(WaitUntilError::Never { operation: operation(), reason })),
            Met::NotYet => {
                last_seen = LastSeen::Object(object);
                None
            }
        },
        Sight::Deleted(object) if !is_wanted(&object) => None,
        Sight::Present(_) | Sight::Missing | Sight::Deleted(_) if uid.is_some() => {
            Some(Err(WaitUntilError::Deleted { operation: operation() }))
        }
        Sight::Present(_) | Sight::Missing | Sight::Deleted(_) => {
            last_seen = LastSeen::Missing;
            None
        }
    });
    if let Ok(result) = Deadline::after(limit).within(met).await {
        return result?;
    }
    let operation = operation();
    let last_seen = last_seen.describe(operation.quotes_values);
    Err(WaitUntilError::Elapsed { operation, limit, last_seen, source: follower.last_error.map(Box::new) })
}

/// A wait for the end of an object. Awaiting it starts the wait.
#[must_use = "nothing is waited for until it is awaited"]
pub struct WaitUntilDeleted<'a, K: Object> {
    endpoint: &'a Endpoint<K>,
    name: &'a str,
    limit: Duration,
}

impl<K: Object> WaitUntilDeleted<'_, K> {
    /// Sets a time limit.
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    async fn wait(self) -> Result<(), WaitUntilError> {
        let Self { endpoint, name, limit } = self;
        let mut first_uid = None;
        let mut last = None;
        let mut follower = Follower::new(endpoint.any_metadata(), name);
        let gone = follower.until(|sight| match sight {
            Sight::Present(object) => {
                let uid = object.metadata.uid.clone().unwrap_or_default();
                let is_another = first_uid.get_or_insert_with(|| uid.clone()) != &uid;
                last = Some(object.metadata);
                is_another.then_some(())
            }
            Sight::Missing | Sight::Deleted(_) => Some(()),
        });
        if let Ok(result) = Deadline::after(limit).within(gone).await {
            return Ok(result?);
        }
        Err(WaitUntilError::Elapsed {
            operation: Box::new(endpoint.operation(&Request::object(Verb::Watch, name))),
            limit,
            last_seen: last.map_or_else(|| NOTHING.to_owned(), |last| remaining(&last)),
            source: follower.last_error.map(Box::new),
        })
    }
}

impl<'a, K: Object> IntoFuture for WaitUntilDeleted<'a, K> {
    type Output = Result<(), WaitUntilError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.wait())
    }
}

const NOTHING: &str = "no response of the API server was received";

/// What an object last looked like.
pub(super) enum LastSeen<K> {
    Nothing,
    Missing,
    Object(K),
}

impl<K: Object> LastSeen<K> {
    /// Describes the object: without messages, which may have its values, unless those are quoted.
    pub(super) fn describe(&self, quotes_values: bool) -> String {
        let object = match self {
            Self::Nothing => return NOTHING.to_owned(),
            Self::Missing => return "it does not exist".to_owned(),
            Self::Object(object) => to_value(object).unwrap_or_default(),
        };
        let status = status::of(&object);
        let mut text = if quotes_values { format!("it is {status}") } else { format!("it is {}", Brief(&status)) };
        text += &finalizers(self.metadata());
        for (index, condition) in Fields(&object).conditions().enumerate() {
            text += if index == 0 { "; its conditions are " } else { ", " };
            text += &format!("{}={}", condition.type_, condition.status);
            if !condition.reason.is_empty() {
                text += &format!(" ({})", condition.reason);
            }
        }
        text
    }

    fn metadata(&self) -> Option<&ObjectMeta> {
        match self {
            Self::Object(object) => Some(object.meta()),
            Self::Nothing | Self::Missing => None,
        }
    }
}

/// What remains of an object whose end is waited for.
fn remaining(last: &ObjectMeta) -> String {
    if last.deletion_timestamp.is_none() {
        return "it exists, and is not being deleted".to_owned();
    }
    format!("it is being deleted{}", finalizers(Some(last)))
}

/// The finalizers that a deletion waits for.
fn finalizers(metadata: Option<&ObjectMeta>) -> String {
    let terminating = metadata.filter(|metadata| metadata.deletion_timestamp.is_some());
    match terminating.and_then(|metadata| metadata.finalizers.as_deref()) {
        None | Some([]) => String::new(),
        Some(some) => format!(", and waits for its finalizers {}", some.join(", ")),
    }
}

/// A status without its message.
struct Brief<'a>(&'a ObjectStatus);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ObjectStatus { state, reason, .. }) = self;
        if reason.is_empty() { state.fmt(f) } else { write!(f, "{state}: {reason}") }
    }
}

#[cfg(test)]
mod tests;
