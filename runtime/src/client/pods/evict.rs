use std::{
    future::{Future, IntoFuture},
    pin::Pin,
    time::Duration,
};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use crate::{
    client::{
        delete::DeleteOptions,
        endpoint::{Endpoint, JSON},
        error::{Error, EvictError, Mismatch},
        request::{Request, Verb},
        resources::Resources,
        scope::SingleObject,
    },
    json::json_value::to_value,
};

const EVICTION: Option<&str> = Some("eviction");

impl<P> Resources<Pod, P> {
    /// Evicts a Pod: deletes it, unless a PodDisruptionBudget does not allow that now.
    ///
    /// ```no_run
    /// # use crdkit::client::EvictError;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use std::time::Duration;
    /// # async fn example(client: crdkit::Client) -> Result<(), EvictError> {
    /// let pods = client.resources::<Pod>().namespace("default");
    /// match pods.evict("web-0").await {
    ///     Err(EvictError::Budget(_)) => tokio::time::sleep(Duration::from_secs(5)).await, // and again
    ///     evicted => evicted?,
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It requires the permission to `create` `pods/eviction`: `Access::to::<Pod>([Verb::Create]).subresource("eviction")`.
    ///
    /// Other kinds have no evictions:
    ///
    /// ```compile_fail,E0599
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<ConfigMap>().namespace("default").evict("web");
    /// # }
    /// ```
    #[doc(alias("drain", "PodDisruptionBudget"))]
    pub fn evict<'a>(&self, name: &'a str) -> Evict<'a>
    where
        P: SingleObject<Pod>,
    {
        let endpoint = self.endpoint.clone();
        Evict { options: DeleteOptions::from_client(&endpoint.client), endpoint, name }
    }
}

/// A request to evict a Pod. Awaiting it sends the request.
///
/// It fails with [`EvictError::Budget`] if a PodDisruptionBudget does not allow it now, with [`Error::NotFound`] if no Pod has this name,
/// and with [`Error::Conflict`] if it is not the one with the [`uid`](Self::uid). A success says that the deletion has begun:
/// [`wait_until_deleted`](Resources::wait_until_deleted) waits for its end. If there is no response, the request is not sent again.
#[must_use = "nothing is evicted until it is awaited"]
pub struct Evict<'a> {
    endpoint: Endpoint<Pod>,
    name: &'a str,
    options: DeleteOptions,
}

impl Evict<'_> {
    /// Sets the grace period for graceful termination. Fractions of a second are dropped.
    pub fn grace_period(mut self, period: Duration) -> Self {
        // The API server stores the period as nanoseconds in 64 bits.
        self.options.grace_period_seconds = Some(period.as_secs().min(i32::MAX as u64));
        self
    }

    /// Evicts the Pod only if its `metadata.uid` is `uid`, and not a later one with the same name.
    pub fn uid(mut self, uid: &str) -> Self {
        self.options.preconditions().uid = Some(uid.to_owned());
        self
    }

    async fn send(self) -> Result<(), Error> {
        let Self { endpoint, name, options } = self;
        let request =
            Request::object(Verb::Create, name).subresource(EVICTION).query(endpoint.client.options.write_query());
        let options = to_value(&options).map_err(|error| endpoint.encode_error(&request, error))?;
        let eviction = json!({
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": { "name": name, "namespace": endpoint.namespace() },
            "deleteOptions": options,
        });
        let request = endpoint.with_json(request, JSON, &eviction)?;
        let response = endpoint.fetch(&request).await?;
        if endpoint.is_done(&request, &response)? {
            Ok(())
        } else {
            Err(endpoint.unexpected(&request, Mismatch::new("a Status of success", "something else")))
        }
    }
}

impl<'a> IntoFuture for Evict<'a> {
    type Output = Result<(), EvictError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { Ok(self.send().await?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::mock::{Mock, Reply};

    fn refused(cause: &str) -> Reply {
        let cause =
            json!({ "reason": cause, "message": "The disruption budget web needs 2 healthy pods and has 2 currently" });
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 429, "reason": "TooManyRequests",
            "message": "Cannot evict pod as it would violate the pod's disruption budget.", "details": { "causes": [cause] },
        });
        Reply::exactly(429, &status)
    }

    #[tokio::test]
    async fn evictions_have_the_options_of_a_deletion() {
        let mock = Mock::new([Reply::success(), Reply::success()]);
        let pods = mock.client().resources::<Pod>().namespace("prod");
        pods.evict("web").await.unwrap();
        pods.dry_run().evict("web").grace_period(Duration::from_secs(5)).uid("u").await.unwrap();
        let path = "POST /api/v1/namespaces/prod/pods/web/eviction";
        assert_eq!(mock.lines(), [path.to_owned(), format!("{path}?dryRun=All")]);
        let bodies: Vec<_> = mock.sent().into_iter().map(|sent| sent.body).collect();
        let metadata = json!({ "name": "web", "namespace": "prod" });
        let eviction = |options| json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata, "deleteOptions": options });
        assert_eq!(bodies[0], eviction(json!({})));
        let options = json!({ "gracePeriodSeconds": 5, "preconditions": { "uid": "u" }, "dryRun": ["All"] });
        assert_eq!(bodies[1], eviction(options));
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_is_an_error_of_its_own_and_is_not_retried() {
        let mock = Mock::new([refused("DisruptionBudget")]);
        let pods = mock.client().max_retries(5).resources::<Pod>().namespace("prod");
        let error = pods.evict("web").await.unwrap_err();
        let message = "cannot create the eviction of Pod `web` in namespace `prod`: a PodDisruptionBudget does not allow it now: The \
            disruption budget web needs 2 healthy pods and has 2 currently; try again later";
        assert_eq!(error.to_string(), message);
        assert!(matches!(error, EvictError::Budget(_)) && !error.is_outcome_unknown());
        assert_eq!(mock.sent().len(), 1);

        // An overloaded API server is another matter.
        let mock = Mock::new([refused("Other"), Reply::success()]);
        mock.client().max_retries(5).resources::<Pod>().namespace("prod").evict("web").await.unwrap();
        assert_eq!(mock.sent().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn an_eviction_without_a_response_is_not_sent_again() {
        let mock = Mock::new([Reply::lost()]);
        let error = mock.client().max_retries(5).resources::<Pod>().namespace("prod").evict("web").await.unwrap_err();
        assert!(error.is_outcome_unknown(), "{error}");
        assert_eq!(mock.sent().len(), 1);
        let mock = Mock::new([Reply::json(201, json!({}))]);
        let error = mock.client().resources::<Pod>().namespace("prod").evict("web").await.unwrap_err();
        assert!(matches!(error, EvictError::Request(Error::Unexpected { .. })), "{error}");
    }
}
