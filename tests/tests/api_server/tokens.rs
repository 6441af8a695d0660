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

/// Returns the claims of a token.
fn claims(token: &str) -> Value {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for character in token.split('.').nth(1).unwrap().bytes() {
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
        for (name, account) in [("web", "one"), ("other", "default")] {
            let spec = json!({ "serviceAccountName": account, "containers": [{ "name": "a", "image": "b" }] });
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

    Request::delete("/api/v1/namespaces/default/secrets/key").send(client.clone()).await.unwrap();
    assert_eq!(send(&bound, Request::get("/api")).await.status, 401);
    assert_eq!(send(&token, Request::get("/api")).await.status, 200);
    server.set_time(time("2030-01-01T00:10:00Z"));
    let expired = send(&token, Request::get("/api")).await;
    assert_eq!((expired.status, &expired.body["reason"]), (401, &json!("Unauthorized")));
    // Another token says nothing about the sender.
    assert_eq!(send("other", Request::get("/api/v1/namespaces/default/secrets")).await.status, 200);
}
