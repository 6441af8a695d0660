//! Tokens of service accounts.

use crdkit_api_server::ApiServer;
use crdkit_tests::{Answer, Request};
use kube::Client;
use serde_json::{Value, json};

use crate::{both::Both, example::hide_times};

const REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";
const SELF: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

async fn post(client: &Client, path: &str, body: Value) -> Answer {
    Request::post(path, body).send(client.clone()).await.unwrap()
}

async fn review(client: &Client, token: &str, audiences: &[&str]) -> Value {
    let spec = if audiences.is_empty() {
        json!({ "token": token })
    } else {
        json!({ "token": token, "audiences": audiences })
    };
    post(client, REVIEWS, json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec }))
        .await
        .body
}

/// Replaces what differs between any two servers.
fn normalize(value: &mut Value) {
    match value {
        Value::Object(members) => {
            // Managers of requests for tokens are not tracked here.
            for name in [
                "uid",
                "jti",
                "iss",
                "aud",
                "exp",
                "iat",
                "nbf",
                "token",
                "managedFields",
                "authentication.kubernetes.io/node-uid",
                "authentication.kubernetes.io/pod-uid",
            ] {
                members.remove(name);
            }
            members.values_mut().for_each(normalize);
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::String(text) if text.starts_with("JTI=") || text.starts_with("https://") => *text = "<hidden>".into(),
        _ => {}
    }
}

const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns the claims of a token.
fn claims(token: &str) -> Value {
    part(token.split('.').nth(1).unwrap())
}

/// Returns the JSON in a part of a token.
fn part(text: &str) -> Value {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for character in text.bytes() {
        let digit = ALPHABET.iter().position(|it| *it == character).unwrap();
        bits = bits << 6 | u32::try_from(digit).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    serde_json::from_slice(&bytes).unwrap()
}

/// Returns a part of a token with these bytes.
fn encoded(bytes: &[u8]) -> String {
    let digits = bytes.chunks(3).flat_map(|group| {
        let bits =
            group.iter().enumerate().fold(0_usize, |bits, (at, byte)| bits | usize::from(*byte) << (16 - 8 * at));
        (0..=group.len()).map(move |at| char::from(ALPHABET[bits >> (18 - 6 * at) & 0x3f]))
    });
    digits.collect()
}

#[tokio::test]
async fn tokens_are_requested_and_reviewed() {
    let namespace = "tokens";
    let Some(both) = Both::with_server(&ApiServer::new(), namespace, &[]).await else { return };
    let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    let mut of_both = Vec::new();
    for client in both.clients() {
        let mut seen = Vec::new();
        post(&client, &accounts, json!({ "metadata": { "name": "one" } })).await;
        let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "token-node" } });
        post(&client, "/api/v1/nodes", node).await;
        for (name, account, node) in
            [("web", "one", ""), ("other", "default", ""), ("bound", "one", "token-node"), ("lost", "one", "no-node")]
        {
            let containers = json!([{ "name": "a", "image": "b" }]);
            let mut spec = json!({ "serviceAccountName": account, "containers": containers });
            if !node.is_empty() {
                spec["nodeName"] = node.into();
            }
            post(&client, &pods, json!({ "metadata": { "name": name }, "spec": spec })).await;
        }
        let path = format!("{accounts}/one/token");
        let bound = json!({ "apiVersion": "v1", "kind": "Pod", "name": "web" });
        for spec in [
            json!({ "expirationSeconds": 3600 }),
            json!({}),
            json!({ "audiences": ["a", "b"] }),
            json!({ "boundObjectRef": bound }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Pod", "name": "other" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "1" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Pod", "name": "bound" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Pod", "name": "lost" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Node", "name": "token-node" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Node", "name": "none" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "ConfigMap", "name": "a" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Pod", "name": "none" } }),
            json!({ "boundObjectRef": { "apiVersion": "v1", "kind": "Secret", "name": "none" } }),
            json!({ "expirationSeconds": 5 }),
            json!({ "expirationSeconds": 8_589_934_592_i64 }),
        ] {
            let answer = post(&client, &path, json!({ "spec": spec })).await;
            let token = answer.body["status"]["token"].as_str().map(str::to_owned);
            seen.push(json!([answer.status, answer.body]));
            if let Some(token) = token {
                seen.push(claims(&token));
                for audiences in [&[][..], &["b", "c"], &["d"]] {
                    let mut review = review(&client, &token, audiences).await;
                    // The audiences of a refused token are those of the cluster.
                    if let Some(error) =
                        review["status"]["error"].as_str().map(|error| error.contains("target audiences"))
                    {
                        review["status"]["error"] = error.into();
                    }
                    seen.push(review);
                }
            }
        }
        for path in [format!("{accounts}/none/token"), "/api/v1/namespaces/none/serviceaccounts/a/token".to_owned()] {
            let answer = post(&client, &path, json!({ "spec": {} })).await;
            seen.push(json!([answer.status, answer.body]));
        }
        seen.push(review(&client, "other", &[]).await);
        of_both.push(Value::from(seen));
    }
    let mut responses: [Value; 2] = of_both.try_into().unwrap();
    responses.iter_mut().for_each(normalize);
    hide_times(&mut responses);
    let [ours, theirs] = responses;
    let pairs = ours.as_array().unwrap().iter().zip(theirs.as_array().unwrap());
    let different: Vec<_> = pairs.filter(|(ours, theirs)| ours != theirs).collect();
    let shown: Vec<_> = different.iter().map(|(ours, theirs)| format!("ours: {ours}\nreal: {theirs}")).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

/// A request with a token is one of its account, until the token expires or what it is bound to is gone.
#[tokio::test]
async fn requests_are_authenticated_by_tokens() {
    let time = |text: &str| text.parse().unwrap();
    let server = ApiServer::new().with_rbac().at(time("2030-01-01T00:00:00Z")).with_objects(
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: one}}\n---\n\
         {apiVersion: v1, kind: Secret, metadata: {name: key}}",
    );
    let client = server.kube_client();
    let request = async |spec: Value| {
        let path = "/api/v1/namespaces/default/serviceaccounts/one/token";
        let answer = post(&client, path, json!({ "spec": spec })).await;
        answer.body["status"]["token"].as_str().unwrap().to_owned()
    };
    let send = async |token: &str, request: Request| {
        request.header("Authorization", format!("Bearer {token}")).send(client.clone()).await.unwrap()
    };
    let token = request(json!({ "expirationSeconds": 600 })).await;
    let own = send(&token, Request::post(SELF, json!({}))).await.body;
    assert_eq!(own["status"]["userInfo"]["username"], "system:serviceaccount:default:one");
    let refused = send(&token, Request::get("/api/v1/namespaces/default/secrets")).await;
    assert_eq!(refused.status, 403);
    assert!(refused.body["message"].as_str().unwrap().contains("system:serviceaccount:default:one"));
    let bound = json!({ "apiVersion": "v1", "kind": "Secret", "name": "key" });
    let bound = request(json!({ "boundObjectRef": bound })).await;
    assert_eq!(send(&bound, Request::get("/api")).await.status, 200);
    let elsewhere = request(json!({ "audiences": ["elsewhere"] })).await;
    assert_eq!(send(&elsewhere, Request::get("/api")).await.status, 401);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    for forged in [format!("{signed}."), format!("{signed}.{}", signature.to_lowercase())] {
        assert_eq!(send(&forged, Request::get("/api")).await.status, 401, "{forged}");
    }

    Request::delete("/api/v1/namespaces/default/secrets/key").send(client.clone()).await.unwrap();
    assert_eq!(send(&bound, Request::get("/api")).await.status, 401);
    assert_eq!(send(&token, Request::get("/api")).await.status, 200);
    server.set_time(time("2030-01-01T00:10:00Z"));
    let expired = send(&token, Request::get("/api")).await;
    assert_eq!((expired.status, &expired.body["reason"]), (401, &json!("Unauthorized")));
    // Another token says nothing about the sender.
    assert_eq!(send("other", Request::get("/api/v1/namespaces/default/secrets")).await.status, 200);
}

/// Others verify a token by the published keys; a changed one is refused.
#[tokio::test]
async fn tokens_are_signed() {
    let namespace = "signed-tokens";
    let Some(both) = Both::with_server(&ApiServer::new(), namespace, &[]).await else { return };
    let mut of_both = Vec::new();
    for client in both.clients() {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default/token");
        let created = post(
            &client,
            &format!("/api/v1/namespaces/{namespace}/serviceaccounts"),
            json!({ "metadata": { "name": "default" } }),
        )
        .await;
        assert!([201, 409].contains(&created.status), "{}", created.body);
        let issued = post(&client, &path, json!({ "spec": {} })).await.body;
        let token = issued["status"]["token"].as_str().unwrap();
        let [header, claims, signature] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
        let keys =
            Request::get("/openid/v1/jwks").accept("application/jwk-set+json").send(client.clone()).await.unwrap();
        let configuration = Request::get("/.well-known/openid-configuration").send(client.clone()).await.unwrap();
        let header_members = part(header);
        let key = &keys.body["keys"][0];
        assert_eq!(
            (&key["kid"], &key["alg"], &key["use"]),
            (&header_members["kid"], &header_members["alg"], &json!("sig"))
        );
        assert_eq!(configuration.body["issuer"], part(claims)["iss"]);
        assert_eq!(configuration.body["id_token_signing_alg_values_supported"], json!([key["alg"]]));
        let names: Vec<_> = configuration.body.as_object().unwrap().keys().cloned().collect();
        // A claim that was changed, a signature of another token, and none.
        let other =
            json!({ "iss": part(claims)["iss"], "sub": "system:serviceaccount:kube-system:default" }).to_string();
        let other = encoded(other.as_bytes());
        let mut reviews = Vec::new();
        for forged in [
            format!("{header}.{other}.{signature}"),
            format!("{header}.{claims}.{claims}"),
            format!("{header}.{claims}."),
        ] {
            let status = review(&client, &forged, &[]).await["status"].take();
            reviews.push((status["authenticated"].clone(), status["user"].clone()));
        }
        of_both.push((keys.content_type, configuration.content_type, names, reviews));
    }
    assert_eq!(of_both[0], of_both[1]);
}
