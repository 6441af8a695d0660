//! Closures that review requests as webhooks do.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures_util::FutureExt;
use kube::core::{
    Resource,
    admission::{AdmissionRequest, AdmissionResponse},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    matching::{Rule, Selection},
    webhook::{Handler, Webhook},
};
use crate::ApiServer;

impl ApiServer {
    /// Calls a function before objects of a type are created, updated or deleted. It can refuse the request.
    ///
    /// Requests of other versions of the type are converted to this one. The webhook is named `PLURAL.GROUP`. For webhooks with
    /// selectors, match conditions or other rules, create a `ValidatingWebhookConfiguration`, as in a cluster.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::{
    ///     api::{Api, PostParams},
    ///     core::admission::{AdmissionRequest, AdmissionResponse},
    /// };
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = crdkit_api_server::ApiServer::new().with_validating_webhook(
    ///     |request: AdmissionRequest<ConfigMap>| async move {
    ///         let response = AdmissionResponse::from(&request);
    ///         let has_no_data = request.object.is_some_and(|map| map.data.is_none());
    ///         if has_no_data { response.deny("data is required") } else { response }
    ///     },
    /// );
    /// let maps = Api::<ConfigMap>::default_namespaced(server.kube_client());
    /// let map = ConfigMap { metadata: kube::core::ObjectMeta { name: Some("a".into()), ..<_>::default() }, ..<_>::default() };
    /// let refused = maps.create(&PostParams::default(), &map).await.unwrap_err();
    /// assert!(refused.to_string().contains(r#"admission webhook "configmaps" denied the request: data is required"#));
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_validating_webhook<K, F, Fut>(self, review: F) -> Self
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + 'static,
        F: Fn(AdmissionRequest<K>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = AdmissionResponse> + Send + 'static,
    {
        self.state(|state| state.admission.add_webhook(webhook(review, false)));
        self
    }

    /// Calls a function before objects of a type are created, updated or deleted. It can change the object with a JSON patch, and
    /// refuse the request.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::{
    ///     api::{Api, PostParams},
    ///     core::admission::{AdmissionRequest, AdmissionResponse, Operation},
    /// };
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = crdkit_api_server::ApiServer::new().with_mutating_webhook(
    ///     |request: AdmissionRequest<ConfigMap>| async move {
    ///         let response = AdmissionResponse::from(&request);
    ///         if request.operation != Operation::Create {
    ///             return response;
    ///         }
    ///         let patch = serde_json::json!([{ "op": "add", "path": "/data", "value": { "a": "b" } }]);
    ///         response.with_patch(serde_json::from_value(patch).unwrap()).unwrap()
    ///     },
    /// );
    /// let maps = Api::<ConfigMap>::default_namespaced(server.kube_client());
    /// let map = ConfigMap { metadata: kube::core::ObjectMeta { name: Some("a".into()), ..<_>::default() }, ..<_>::default() };
    /// let created = maps.create(&PostParams::default(), &map).await?;
    /// assert_eq!(created.data.unwrap()["a"], "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_mutating_webhook<K, F, Fut>(self, review: F) -> Self
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + 'static,
        F: Fn(AdmissionRequest<K>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = AdmissionResponse> + Send + 'static,
    {
        self.state(|state| state.admission.add_webhook(webhook(review, true)));
        self
    }

    /// Sets the address of a Service, at which the server calls the webhooks whose `clientConfig.service` names it.
    pub fn with_service(self, namespace: &str, name: &str, address: SocketAddr) -> Self {
        self.state(|state| state.admission.add_service(namespace, name, address));
        self
    }
}

fn webhook<K, F, Fut>(review: F, is_mutating: bool) -> Webhook
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + 'static,
    F: Fn(AdmissionRequest<K>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = AdmissionResponse> + Send + 'static,
{
    let (group, version, plural) = (K::group(&()), K::version(&()), K::plural(&()));
    let name = match &*group {
        "" => plural.to_string(),
        group => format!("{plural}.{group}"),
    };
    let review = Arc::new(review);
    let handler = move |document: Value| {
        let review = review.clone();
        async move {
            let request = AdmissionRequest::<K>::deserialize(&document["request"])
                .map_err(|error| format!("the object is no {}: {error}", K::kind(&())))?;
            let response = review(request).await;
            Ok(json!({ "kind": "AdmissionReview", "apiVersion": document["apiVersion"], "response": response }))
        }
        .boxed()
    };
    let rule = Rule {
        operations: vec!["*".to_owned()],
        groups: vec![group.into_owned()],
        versions: vec![version.into_owned()],
        resources: vec![plural.into_owned()],
        names: Vec::new(),
        scope: String::new(),
    };
    Webhook {
        configuration: name.clone(),
        name,
        is_mutating,
        selection: Selection { rules: vec![rule], matches_equivalent: true, ..Selection::default() },
        conditions: Vec::new(),
        ignores_failures: false,
        supports_dry_run: true,
        is_reinvoked: false,
        review_version: Some("v1"),
        timeout: Duration::MAX,
        handler: Handler::Closure(Arc::new(handler)),
    }
}
