//! Webhooks of the program, which the server calls without a network.

use std::{collections::HashMap, sync::Arc, time::Duration};

use bytes::Bytes;
use crdkit::webhook::{WebhookClient, WebhookService, Webhooks};
use futures_util::FutureExt;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use serde::Serialize;
use serde_json::Value;
use tower::ServiceExt as _;

use super::{
    client::rejected,
    webhook::{Handler, Webhook},
};
use crate::{ApiServer, conversion::functions::Functions, definitions, webhook_calls::Answer};

/// What the paths are added to.
const BASE: &str = "https://webhooks.invalid";

impl ApiServer {
    /// Calls the webhooks of a program before objects are created, updated or deleted, as their configurations specify, with match
    /// conditions, selectors, failure policies and time limits. There is no network between them.
    ///
    /// ```
    /// use crdkit::webhook::{Webhook, Webhooks};
    /// use crdkit_api_server::ApiServer;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let webhooks = Webhooks::new("maps").add(Webhook::of::<ConfigMap>().mutate(|map, _| {
    ///     map.data.get_or_insert_default().insert("a".into(), "b".into());
    /// }));
    /// let client = ApiServer::new().with_webhooks(&webhooks).client();
    ///
    /// let mut map = ConfigMap::default();
    /// map.metadata.name = Some("settings".into());
    /// let created = client.resources::<ConfigMap>().namespace("default").create(&map).await?;
    /// assert_eq!(created.data.unwrap()["a"], "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The kinds that the webhooks [convert](Webhooks::convert) are converted too, without a network, unless the server has other
    /// functions for them, such as those of [`Self::with_conversion`].
    ///
    /// # Panics
    ///
    /// If a real API server would [reject](Webhooks::configurations) a configuration.
    pub fn with_webhooks(self, webhooks: &Webhooks) -> Self {
        let configurations =
            webhooks.configurations(&WebhookClient::url(BASE)).unwrap_or_else(|error| panic!("{error}"));
        self.state(|state| {
            for converter in webhooks.converters() {
                definitions::convert_with(
                    state,
                    &converter.definition_name(),
                    Functions::of_converter(converter.clone()),
                );
            }
        });
        let service = webhooks.service();
        let objects =
            [configurations.mutating.as_ref().map(to_value), configurations.validating.as_ref().map(to_value)];
        for object in objects.into_iter().flatten() {
            let configured = Webhook::of_configuration(&object, &HashMap::new());
            let urls = object["webhooks"].as_array().into_iter().flatten().map(|it| &it["clientConfig"]["url"]);
            for (webhook, url) in configured.into_iter().zip(urls) {
                let path = url.as_str().and_then(|url| url.strip_prefix(BASE)).unwrap_or_default();
                let handler = handler(service.clone(), path.to_owned(), webhook.timeout);
                // It was just created, so that there is only this reference.
                if let Some(webhook) = Arc::into_inner(webhook) {
                    self.state(|state| state.admission.add_webhook(Webhook { handler, ..webhook }));
                }
            }
        }
        self
    }
}

fn to_value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).expect("all keys of the object are strings")
}

fn handler(service: WebhookService, path: String, timeout: Duration) -> Handler {
    let path = format!("{path}?timeout={}s", timeout.as_secs());
    Handler::Closure(Arc::new(move |review| post(service.clone(), path.clone(), review).boxed()))
}

/// Sends a review, and returns the document that the service answers.
async fn post(service: WebhookService, path: String, review: Value) -> Answer {
    let failure = |reason: String| format!("failed to call webhook: {reason}");
    let request = Request::post(&path).header(header::CONTENT_TYPE, "application/json");
    let body = Full::new(Bytes::from(review.to_string()));
    let request = request.body(body).map_err(|error| failure(error.to_string()))?;
    let Ok(response) = service.oneshot(request).await;
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    if head.status.is_success() {
        serde_json::from_slice(&body).map_err(|error| failure(error.to_string()))
    } else {
        Err(failure(rejected(head.status.as_u16(), &body, true)))
    }
}
