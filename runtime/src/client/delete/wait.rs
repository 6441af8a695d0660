//! Waits until an object is gone.

use std::time::Duration;

use futures_util::TryStreamExt;
use kube_core::{ObjectMeta, PartialObjectMeta, Resource};

use crate::client::{
    endpoint::Endpoint,
    error::{DeleteError, Error},
    list::ListRequest,
    request::{Request, Verb},
    resources::Object,
    watch::{Event, WatchRequest},
};

/// Between a watch that ended and the next.
const PAUSE: Duration = Duration::from_millis(100);

impl<K: Object> Endpoint<K> {
    /// Waits until the object of this uid is gone.
    pub(super) async fn wait_until_gone(
        &self,
        name: &str,
        uid: &str,
        limit: Duration,
    ) -> Result<(), DeleteError> {
        let mut waiting = Waiting {
            endpoint: self.metadata(),
            uid,
            selector: format!("metadata.name={}", escaped(name)),
            last: ObjectMeta::default(),
        };
        match tokio::time::timeout(limit, waiting.until_gone()).await {
            Ok(result) => Ok(result?),
            Err(_) => Err(DeleteError::StillThere {
                target: Box::new(self.target(&Request::object(Verb::Delete, name))),
                limit,
                finalizers: waiting.last.finalizers.unwrap_or_default(),
            }),
        }
    }
}

struct Waiting<'a, K: Object> {
    endpoint: Endpoint<PartialObjectMeta<K>>,
    uid: &'a str,
    selector: String,
    last: ObjectMeta,
}

impl<K: Object> Waiting<'_, K> {
    async fn until_gone(&mut self) -> Result<(), Error> {
        while let Some(version) = self.version_if_there().await? {
            match self.gone_after(&version).await {
                Ok(true) => return Ok(()),
                Ok(false) => tokio::time::sleep(PAUSE).await,
                Err(error) if error.is_expired() => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The version of a list that has the object; `None` if it has not.
    async fn version_if_there(&mut self) -> Result<Option<String>, Error> {
        let list = ListRequest::new(self.endpoint.clone())
            .fields(&self.selector)
            .await?;
        let version = list.metadata.resource_version.unwrap_or_default();
        let found = list.items.into_iter().find(|object| self.is_it(object));
        Ok(found.map(|object| {
            self.last = object.metadata;
            version
        }))
    }

    /// Whether the object goes before the watch ends.
    async fn gone_after(&mut self, version: &str) -> Result<bool, Error> {
        let watch = WatchRequest::new(self.endpoint.clone()).fields(&self.selector);
        let mut events = watch.after(version).await?;
        while let Some(event) = events.try_next().await? {
            match event {
                Event::Deleted(object) if self.is_it(&object) => return Ok(true),
                Event::Added(object) | Event::Modified(object) if self.is_it(&object) => {
                    self.last = object.metadata;
                }
                _ => {}
            }
        }
        Ok(false)
    }

    fn is_it(&self, object: &PartialObjectMeta<K>) -> bool {
        object.meta().uid.as_deref() == Some(self.uid)
    }
}

/// The name as a value of a field selector.
fn escaped(name: &str) -> String {
    let mut value = String::new();
    for c in name.chars() {
        if matches!(c, '\\' | ',' | '=') {
            value.push('\\');
        }
        value.push(c);
    }
    value
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::client::{
        Deleted, Propagation, Resources,
        mock::{Mock, Reply},
        place::InNamespace,
    };

    const MINUTE: Duration = Duration::from_secs(60);

    fn config(uid: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "web", "uid": uid, "finalizers": ["example.com/cleanup"] },
        })
    }

    fn list(items: &[Value]) -> Reply {
        Reply::json(
            200,
            json!({ "metadata": { "resourceVersion": "7" }, "items": items }),
        )
    }

    fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
        mock.client().resources().namespace("prod")
    }

    #[tokio::test]
    async fn options_are_sent() {
        let mock = Mock::new([Reply::status(200, "", "web")]);
        let deleted = configs(&mock)
            .delete("web")
            .uid("u")
            .resource_version("7")
            .propagation(Propagation::Foreground)
            .grace_period(Duration::from_secs(5))
            .await;
        assert_eq!(deleted.unwrap(), Deleted::Gone);
        assert_eq!(
            mock.lines(),
            ["DELETE /api/v1/namespaces/prod/configmaps/web"]
        );
        let options = json!({
            "gracePeriodSeconds": 5,
            "propagationPolicy": "Foreground",
            "preconditions": { "uid": "u", "resourceVersion": "7" },
        });
        assert_eq!(mock.sent()[0].body, options);
    }

    #[tokio::test]
    async fn an_object_with_finalizers_is_going() {
        let mock = Mock::new([Reply::json(200, config("u"))]);
        let deleted = configs(&mock).delete("web").await.unwrap();
        assert!(matches!(deleted, Deleted::Going(_)), "{deleted:?}");
        assert_eq!(mock.sent()[0].body, json!({}));
    }

    #[tokio::test]
    async fn the_object_that_was_deleted_is_waited_for() {
        let event = |kind: &str, uid: &str| json!({ "type": kind, "object": config(uid) });
        let mock = Mock::new([
            Reply::json(200, config("u")),
            list(&[config("u")]),
            Reply::lines([event("DELETED", "another"), event("MODIFIED", "u")]),
            list(&[config("u")]),
            Reply::lines([event("DELETED", "u")]),
        ]);
        let deleted = configs(&mock).delete("web").and_wait(MINUTE).await;
        assert_eq!(deleted.unwrap(), Deleted::Gone);
        let lines = mock.lines();
        assert_eq!(lines.len(), 5);
        assert!(
            lines[1].contains("fieldSelector=metadata.name%3Dweb"),
            "{lines:?}"
        );
        assert!(
            lines[2].contains("resourceVersion=7&watch=true"),
            "{lines:?}"
        );
    }

    #[tokio::test]
    async fn another_of_the_same_name_is_not_waited_for() {
        let mock = Mock::new([Reply::json(200, config("u")), list(&[config("another")])]);
        let deleted = configs(&mock).delete("web").and_wait(MINUTE).await;
        assert_eq!(deleted.unwrap(), Deleted::Gone);
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_go_in_time_is_told_with_its_finalizers() {
        let watches = (0..20).flat_map(|_| [list(&[config("u")]), Reply::lines([])]);
        let mock = Mock::new([Reply::json(200, config("u"))].into_iter().chain(watches));
        let wait = Duration::from_secs(1);
        let error = configs(&mock)
            .delete("web")
            .and_wait(wait)
            .await
            .unwrap_err();
        let DeleteError::StillThere { finalizers, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(finalizers, &["example.com/cleanup"]);
    }

    #[test]
    fn names_are_values_of_selectors() {
        assert_eq!(escaped(r"a,b=c\d"), r"a\,b\=c\\d");
    }
}
