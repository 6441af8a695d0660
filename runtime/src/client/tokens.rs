//! Issues tokens of service accounts.

use k8s_openapi::api::{authentication::v1::TokenRequest, core::v1::ServiceAccount};

use super::{
    endpoint::JSON,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::Resources,
    response_kind::ExpectedTypes,
    scope::SingleObject,
};

const TOKEN: Option<&str> = Some("token");
const EXPECTED: ExpectedTypes = ExpectedTypes::for_objects("authentication.k8s.io/v1", "TokenRequest");

impl<P> Resources<ServiceAccount, P> {
    /// Issues a token of a service account: the answer has it in its status, with the time when it expires.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{authentication::v1::TokenRequest, core::v1::ServiceAccount};
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let accounts = client.resources::<ServiceAccount>().namespace("default");
    /// let mut request = TokenRequest::default();
    /// request.spec.get_or_insert_default().audiences = Some(vec!["vault".into()]);
    /// let token = accounts.create_token("builder", &request).await?.status.and_then(|status| status.token);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Without audiences, the token is for the API server. It requires the permission to `create` `serviceaccounts/token`:
    /// `Access::to::<ServiceAccount>([Verb::Create]).subresource("token")`.
    ///
    /// Other kinds have no tokens:
    ///
    /// ```compile_fail,E0599
    /// # use k8s_openapi::api::{authentication::v1::TokenRequest, core::v1::Secret};
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<Secret>().namespace("default").create_token("builder", &TokenRequest::default());
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](super::Error::NotFound) if no service account has this name,
    /// [`Error::Invalid`](super::Error::Invalid) if the token would expire within ten minutes, and the errors common to all requests. A
    /// request without a response is sent again: each has a token of its own.
    #[doc(alias("TokenRequest", "create_token_request"))]
    pub fn create_token<'a>(&'a self, name: &'a str, token: &'a TokenRequest) -> RequestFuture<'a, TokenRequest>
    where
        P: SingleObject<ServiceAccount>,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = Request::object(Verb::Create, name)
                .subresource(TOKEN)
                .query(endpoint.client.options.write_query())
                .repeatable();
            let request = endpoint.with_json(request, JSON, token)?;
            let response = endpoint.fetch(&request).await?;
            endpoint.read_as(&EXPECTED, &request, &response.body)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    };

    #[tokio::test(start_paused = true)]
    async fn a_token_is_requested_again_after_a_lost_response() {
        let answer = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": { "name": "web", "namespace": "prod" },
            "spec": { "audiences": ["vault"] }, "status": { "token": "secret", "expirationTimestamp": "2030-01-31T12:00:00Z" },
        });
        let mock = Mock::new([Reply::lost(), Reply::exactly(201, &answer)]);
        let accounts = mock.client().max_retries(5).resources::<ServiceAccount>().namespace("prod");
        let request: TokenRequest = serde_json::from_value(json!({ "spec": { "audiences": ["vault"] } })).unwrap();
        let issued = accounts.create_token("web", &request).await.unwrap();
        assert_eq!(issued.status.unwrap().token.as_deref(), Some("secret"));
        assert_eq!(mock.lines(), ["POST /api/v1/namespaces/prod/serviceaccounts/web/token"; 2]);
        assert_eq!(mock.sent()[1].body["spec"]["audiences"], json!(["vault"]));

        for odd in in_place_of(&answer) {
            let mock = Mock::new([Reply::exactly(201, &odd)]);
            let accounts = mock.client().resources::<ServiceAccount>().namespace("prod");
            assert_unexpected(&accounts.create_token("web", &request).await.unwrap_err());
        }
    }
}
