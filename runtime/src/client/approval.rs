//! Approves and denies requests for certificates.

use futures_util::TryFutureExt;
use k8s_openapi::api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestCondition};

use super::{error::UpdateError, request_future::RequestFuture, resources::Resources, scope::SingleObject};

const APPROVAL: Option<&str> = Some("approval");

impl<P> Resources<CertificateSigningRequest, P> {
    /// Approves a request for a certificate, so that its signer issues one. One that is approved already stays as it is.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::UpdateError> {
    /// let requests = client.resources::<CertificateSigningRequest>();
    /// requests.approve("web", "KnownHost", "web is a host of the inventory").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It requires the permissions to `get` the requests, to `patch` `certificatesigningrequests/approval`, and to `approve` the `signers`
    /// with the name of the signer.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](super::Error::Invalid) if it was denied, and the errors of [`update`](Self::update).
    #[doc(alias("kubectl certificate approve"))]
    pub fn approve<'a>(
        &'a self,
        name: &'a str,
        reason: &'a str,
        message: &'a str,
    ) -> RequestFuture<'a, CertificateSigningRequest, UpdateError>
    where
        P: SingleObject<CertificateSigningRequest>,
    {
        self.decide(name, "Approved", reason, message)
    }

    /// Denies a request for a certificate. One that is denied already stays as it is.
    ///
    /// It requires the permissions of [`approve`](Self::approve).
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](super::Error::Invalid) if it was approved, and the errors of [`update`](Self::update).
    #[doc(alias("kubectl certificate deny"))]
    pub fn deny<'a>(
        &'a self,
        name: &'a str,
        reason: &'a str,
        message: &'a str,
    ) -> RequestFuture<'a, CertificateSigningRequest, UpdateError>
    where
        P: SingleObject<CertificateSigningRequest>,
    {
        self.decide(name, "Denied", reason, message)
    }

    fn decide<'a>(
        &'a self,
        name: &'a str,
        decision: &'static str,
        reason: &'a str,
        message: &'a str,
    ) -> RequestFuture<'a, CertificateSigningRequest, UpdateError> {
        let add = move |request: &mut CertificateSigningRequest| {
            let conditions = request.status.get_or_insert_default().conditions.get_or_insert_default();
            if conditions.iter().all(|condition| condition.type_ != decision) {
                conditions.push(CertificateSigningRequestCondition {
                    type_: decision.to_owned(),
                    status: "True".to_owned(),
                    reason: Some(reason.to_owned()),
                    message: Some(message.to_owned()),
                    // The API server sets the times.
                    ..CertificateSigningRequestCondition::default()
                });
            }
        };
        let updated = self.endpoint.update(name, APPROVAL, add);
        Box::pin(updated.map_ok(|(request, _)| request))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::client::mock::{Mock, Reply};

    fn request(conditions: Value) -> Reply {
        let spec = json!({ "request": "YQ==", "signerName": "example.com/signer" });
        let request = json!({
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": { "name": "web", "uid": "u", "resourceVersion": "3" },
            "spec": spec, "status": { "conditions": conditions },
        });
        Reply::exactly(200, &request)
    }

    #[tokio::test]
    async fn a_decision_is_a_condition_that_is_added_once() {
        let approved =
            json!({ "type": "Approved", "status": "True", "reason": "KnownHost", "message": "it is in the inventory" });
        let mock = Mock::new([request(json!([])), request(json!([approved])), request(json!([approved]))]);
        let requests = mock.client().resources::<CertificateSigningRequest>();
        requests.approve("web", "KnownHost", "it is in the inventory").await.unwrap();
        requests.approve("web", "Other", "").await.unwrap();
        let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests/web";
        assert_eq!(mock.lines(), [format!("GET {path}"), format!("PATCH {path}/approval"), format!("GET {path}")]);
        assert_eq!(mock.sent()[1].body["status"]["conditions"], json!([approved]));
    }

    #[tokio::test]
    async fn a_denial_is_another_condition() {
        let mock = Mock::new([request(json!([])), request(json!([]))]);
        mock.client().resources::<CertificateSigningRequest>().deny("web", "Unknown", "who is it").await.unwrap();
        let sent = &mock.sent()[1].body["status"]["conditions"];
        assert_eq!((&sent[0]["type"], &sent[0]["reason"]), (&json!("Denied"), &json!("Unknown")));
    }
}
