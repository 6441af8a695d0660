use futures_util::TryFutureExt;
use k8s_openapi::api::core::v1::{EphemeralContainer, Pod};

use crate::client::{error::UpdateError, request_future::RequestFuture, resources::Resources, scope::SingleObject};

const EPHEMERAL_CONTAINERS: Option<&str> = Some("ephemeralcontainers");

impl<P> Resources<Pod, P> {
    /// Adds an ephemeral container to a running Pod, as `kubectl debug` does, and returns the Pod. One that the Pod has under this name
    /// stays as it is: ephemeral containers can neither be changed nor removed.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::{EphemeralContainer, Pod};
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::UpdateError> {
    /// let shell = EphemeralContainer {
    ///     name: "shell".into(),
    ///     image: Some("busybox".into()),
    ///     target_container_name: Some("web".into()),
    ///     ..EphemeralContainer::default()
    /// };
    /// client.resources::<Pod>().namespace("default").add_ephemeral_container("web-0", &shell).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It requires the permissions to `get` Pods and to `patch` `pods/ephemeralcontainers`.
    ///
    /// # Errors
    ///
    /// The same as for [`update`](Self::update).
    #[doc(alias("kubectl debug"))]
    pub fn add_ephemeral_container<'a>(
        &'a self,
        name: &'a str,
        container: &'a EphemeralContainer,
    ) -> RequestFuture<'a, Pod, UpdateError>
    where
        P: SingleObject<Pod>,
    {
        let add = |pod: &mut Pod| {
            let containers = pod.spec.get_or_insert_default().ephemeral_containers.get_or_insert_default();
            if containers.iter().all(|existing| existing.name != container.name) {
                containers.push(container.clone());
            }
        };
        let updated = self.endpoint.update(name, EPHEMERAL_CONTAINERS, add);
        Box::pin(updated.map_ok(|(pod, _)| pod))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::client::mock::{Mock, Reply};

    fn pod(containers: &[&str]) -> Reply {
        let containers: Vec<Value> =
            containers.iter().map(|name| json!({ "name": name, "image": "busybox" })).collect();
        let spec = json!({ "containers": [{ "name": "web" }], "ephemeralContainers": containers });
        Reply::json(200, json!({ "metadata": { "resourceVersion": "3" }, "spec": spec }))
    }

    #[tokio::test]
    async fn a_container_is_added_once() {
        let mock = Mock::new([pod(&["first"]), pod(&["first", "shell"]), pod(&["first", "shell"])]);
        let pods = mock.client().resources::<Pod>().namespace("prod");
        let shell =
            EphemeralContainer { name: "shell".into(), image: Some("busybox".into()), ..EphemeralContainer::default() };
        pods.add_ephemeral_container("web", &shell).await.unwrap();
        let again = pods.add_ephemeral_container("web", &shell).await.unwrap();
        assert_eq!(again.spec.unwrap().ephemeral_containers.unwrap().len(), 2);
        let path = "/api/v1/namespaces/prod/pods/web";
        let expected = [format!("GET {path}"), format!("PATCH {path}/ephemeralcontainers"), format!("GET {path}")];
        assert_eq!(mock.lines(), expected);
        let sent = &mock.sent()[1].body;
        let containers = json!([{ "name": "first", "image": "busybox" }, { "name": "shell", "image": "busybox" }]);
        assert_eq!(
            (&sent["spec"]["ephemeralContainers"], &sent["metadata"]["resourceVersion"]),
            (&containers, &json!("3"))
        );
    }
}
