//! Responses in YAML, and compressed ones.

use crdkit_api_server::ApiServer;
use crdkit_tests::{PROTOBUF, Request, YAML};
use http::{
    HeaderMap,
    header::{CONTENT_ENCODING, CONTENT_TYPE, VARY},
};
use kube::Client;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, widgets},
    example::{TABLE, compare, get, hide_times},
    step::Body,
};

const AGGREGATED: &str = "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const METADATA: &str = "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const TABLE_IN_YAML: &str = "application/yaml;as=Table;g=meta.k8s.io;v=v1";

fn config(name: &str) -> Value {
    let data = json!({ "a": "yes", "b": "1", "c": "one\ntwo\n", "d": "a: b", "e": "", "f": "0x1f", "g": "é" });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

fn widget(name: &str) -> Value {
    let spec = json!({ "zone": "a", "note": "on" });
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": spec })
}

#[tokio::test]
async fn yaml_is_what_the_real_server_writes() {
    const NAMESPACE: &str = "yaml";
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let mut steps = Vec::new();
    for (collection, object) in
        [(format!("/api/v1/namespaces/{NAMESPACE}/configmaps"), config("a")), (widgets(NAMESPACE), widget("a"))]
    {
        let one = format!("{collection}/a");
        let document = Body::Raw(object.to_string());
        steps.extend([
            Step::new("POST", format!("{collection}?dryRun=All"), Value::Null).with_body(document).of_type(YAML),
            Step::new("POST", &collection, object.clone()),
            Step::new("POST", &collection, object),
            get(&one),
            get(&one).accepting(METADATA),
            get(&one).accepting(METADATA_LIST),
            get(&one).accepting(TABLE_IN_YAML),
            get(&collection),
            get(&collection).accepting(METADATA_LIST),
            get(&collection).accepting(TABLE_IN_YAML),
            get(format!("{collection}?labelSelector=none")),
            get(format!("{collection}/none")),
            get(format!("{collection}?limit=x")),
            get(format!("{collection}?watch=true&timeoutSeconds=1")),
            get(format!("{collection}?watch=true&timeoutSeconds=1")).accepting("application/yaml,application/json"),
            get(format!("{collection}?watch=true&timeoutSeconds=1")).accepting("application/yaml;stream=watch"),
            get(&collection).accepting("application/yaml;q=0.5,application/json"),
            get(&collection).accepting("text/yaml"),
            Step::new("PATCH", &one, json!({ "metadata": { "labels": { "c": "d" } } }))
                .of_type("application/merge-patch+json"),
            Step::new("DELETE", &one, Value::Null),
        ]);
    }
    steps.extend([
        get("/apis/apps"),
        get("/version"),
        get("/none"),
        get("/apis/none"),
        get(format!("{}/a/scale", widgets("none"))),
    ]);
    let steps =
        steps.into_iter().map(|step| if step.accept == "application/json" { step.accepting(YAML) } else { step });
    compare(&mut both, steps, hide_times).await;
}

async fn header(client: Client, path: &str, accept: &str, encoding: &'static str) -> (u16, HeaderMap) {
    let request = Request::get(path).accept(accept).header("Accept-Encoding", encoding);
    let response = request.open(client).await.unwrap();
    (response.status().as_u16(), response.headers().clone())
}

#[tokio::test]
async fn the_headers_are_those_of_the_real_server() {
    const NAMESPACE: &str = "representations";
    /// One object is below the limit of 128 KiB, and the list of both is above it.
    const SIZE: usize = 80 << 10;
    let Some(both) = Both::with_namespace(NAMESPACE).await else { return };
    let configs = format!("/api/v1/namespaces/{NAMESPACE}/configmaps");
    let of_both = both.clients().map(async |client| {
        for name in ["a", "b"] {
            let mut object = config(name);
            object["data"]["large"] = "x".repeat(SIZE).into();
            Request::post(&configs, object).send(client.clone()).await.unwrap();
        }
        let mut seen = Vec::new();
        for path in
            [&configs, &format!("{configs}/a"), &format!("{configs}/none"), &widgets(NAMESPACE), "/api", "/none"]
        {
            for accept in ["application/json", YAML, PROTOBUF, TABLE, TABLE_IN_YAML, AGGREGATED, "text/html"] {
                for encoding in ["", "gzip", "deflate, gzip", "gzip;q=1", "identity"] {
                    let (status, headers) = header(client.clone(), path, accept, encoding).await;
                    let shown = [CONTENT_TYPE, CONTENT_ENCODING, VARY].map(|name| {
                        headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
                    });
                    seen.push(format!("{path} {accept} {encoding}: {status} {shown:?}"));
                }
            }
        }
        seen
    });
    let [ours, theirs] = of_both;
    let (ours, theirs) = tokio::join!(ours, theirs);
    let different: Vec<_> = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).collect();
    assert!(ours.iter().any(|it| it.contains("\"gzip\"")), "{ours:#?}");
    assert!(different.is_empty(), "{different:#?}");
}

/// The text has its members in the order of their names.
#[tokio::test]
async fn objects_are_written_in_yaml() {
    let server = ApiServer::new();
    let client = server.kube_client();
    let configs = "/api/v1/namespaces/default/configmaps";
    let created = Request::post(configs, config("a")).send(client.clone()).await.unwrap();
    assert_eq!(created.status, 201);
    let read = Request::get(format!("{configs}/a")).accept(YAML).send(client.clone()).await.unwrap();
    assert_eq!((read.body, read.content_type.as_str()), (created.body, YAML));
    let list = Request::get(configs).accept(YAML).send(client.clone()).await.unwrap().body;
    assert_eq!(list["items"][0]["data"], config("a")["data"]);
    assert_eq!(list["items"][0].get("kind"), None);
    let request = Request::get(format!("{configs}/none")).accept(YAML);
    let body = request.open(client).await.unwrap().into_body().collect_bytes().await.unwrap();
    let text = "apiVersion: v1\ncode: 404\ndetails:\n  kind: configmaps\n  name: none\nkind: Status\n\
                message: configmaps \"none\" not found\nmetadata: {}\nreason: NotFound\nstatus: Failure\n";
    assert_eq!(String::from_utf8_lossy(&body), text);
}
