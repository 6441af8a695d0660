//! The API server behaves like a real one.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::*;

const PATH: &str = "/apis/faults.example.com/v1";

fn server(settings: Settings) -> Arc<ApiServer> {
    let server = ApiServer::new(settings, Faults::none());
    for (namespace, name, tier) in [("dev", "a", "web"), ("prod", "b", "db"), ("prod", "c", "web")] {
        server.storage().create(namespace, name, content(tier, 1));
    }
    server
}

fn content(tier: &str, size: u64) -> Content {
    Content {
        labels: [("tier".to_owned(), tier.to_owned())].into(),
        spec: json!({ "size": size }),
        ..Content::default()
    }
}

async fn connect(server: &Arc<ApiServer>, target: &str) -> TcpStream {
    let uri = server.listen().await;
    let mut stream = TcpStream::connect(uri.authority().unwrap().as_str()).await.unwrap();
    let head = format!("GET {PATH}{target} HTTP/1.1\r\nHost: test\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// Returns the head and the body of a response, as far as they arrive within 100 ms.
async fn get(server: &Arc<ApiServer>, target: &str) -> (String, String) {
    let mut stream = connect(server, target).await;
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_millis(100), stream.read_to_end(&mut answer)).await;
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let body = if head.contains("chunked") { unchunk(body) } else { body.to_owned() };
    (head.to_owned(), body)
}

fn unchunk(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        whole += &rest[..length];
        body = &rest[length + 2..];
    }
    whole
}

async fn json_of(server: &Arc<ApiServer>, target: &str) -> Value {
    serde_json::from_str(&get(server, target).await.1).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

async fn events(server: &Arc<ApiServer>, target: &str) -> Vec<String> {
    let (_, body) = get(server, target).await;
    let events = body.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let describe = |event: Value| {
        let metadata = &event["object"]["metadata"];
        let name = metadata["name"].as_str().unwrap_or("-");
        let version = metadata["resourceVersion"].as_str().unwrap_or("-");
        format!("{} {name} {version}", event["type"].as_str().unwrap())
    };
    events.map(describe).collect()
}

#[tokio::test]
async fn lists_are_of_a_namespace_and_a_selection() {
    let server = server(Settings::default());
    assert_eq!(names(&json_of(&server, "/widgets").await), ["a", "b", "c"]);
    let prod = json_of(&server, "/namespaces/prod/widgets").await;
    assert_eq!(names(&prod), ["b", "c"]);
    assert_eq!((&prod["kind"], &prod["metadata"]["resourceVersion"]), (&json!("WidgetList"), &json!("93")));
    assert_eq!(names(&json_of(&server, "/widgets?labelSelector=tier%3Dweb").await), ["a", "c"]);
}

#[tokio::test]
async fn pages_are_of_one_version_until_it_is_compacted() {
    let server = server(Settings::default());
    let first = json_of(&server, "/widgets?limit=2").await;
    assert_eq!(first["metadata"]["remainingItemCount"], 1);
    server.storage().delete("prod", "c");
    let token: String =
        form_urlencoded::byte_serialize(first["metadata"]["continue"].as_str().unwrap().as_bytes()).collect();
    let next = format!("/widgets?limit=2&continue={token}");
    assert_eq!(names(&json_of(&server, &next).await), ["c"]);
    server.storage().compact();
    let (head, body) = get(&server, &next).await;
    assert!(head.starts_with("HTTP/1.1 410 "), "{head}");
    assert!(body.contains(r#""reason":"Expired""#), "{body}");
}

#[tokio::test]
async fn watches_send_changes_after_a_version() {
    let server = server(Settings::default());
    let storage = server.storage();
    storage.update("prod", "c", |content| content.spec["size"] = json!(2));
    storage.delete("prod", "b");
    storage.create("dev", "d", content("db", 1));
    let everything = events(&server, "/widgets?watch=true&resourceVersion=92").await;
    assert_eq!(everything, ["ADDED c 93", "MODIFIED c 94", "DELETED b 95", "ADDED d 96"]);
    let prod = events(&server, "/namespaces/prod/widgets?watch=true&resourceVersion=94").await;
    assert_eq!(prod, ["DELETED b 95"]);
}

#[tokio::test]
async fn objects_enter_and_leave_a_selection() {
    let server = server(Settings::default());
    for tier in ["web", "db"] {
        server.storage().update("prod", "b", |changed| *changed = content(tier, 1));
    }
    let target = "/widgets?watch=true&resourceVersion=93&labelSelector=tier%3Dweb";
    assert_eq!(events(&server, target).await, ["ADDED b 94", "DELETED b 95"]);
    let (_, body) = get(&server, target).await;
    let left: Value = serde_json::from_str(body.lines().nth(1).unwrap()).unwrap();
    assert_eq!(left["object"]["metadata"]["labels"]["tier"], "web", "the last state in the selection");
}

#[tokio::test]
async fn streaming_lists_send_all_objects_and_a_bookmark() {
    let target = "/namespaces/prod/widgets?watch=true&sendInitialEvents=true&allowWatchBookmarks=true\
                  &resourceVersionMatch=NotOlderThan";
    let served = server(Settings::default());
    assert_eq!(events(&served, target).await, ["ADDED b 92", "ADDED c 93", "BOOKMARK - 93"]);
    let of = |streaming| server(Settings { streaming, ..Settings::default() });
    let (head, body) = get(&of(Streaming::Refused), target).await;
    assert!(head.starts_with("HTTP/1.1 422 ") && body.contains("sendInitialEvents"), "{head}\n{body}");
    let ignored = events(&of(Streaming::Ignored), target).await;
    assert_eq!(ignored, ["ADDED b 92", "ADDED c 93"], "without a bookmark at their end");
}

#[tokio::test]
async fn compacted_versions_are_expired_as_status_or_as_event() {
    for expires_in_watch in [true, false] {
        let server = server(Settings { expires_in_watch, ..Settings::default() });
        server.storage().compact();
        let (head, body) = get(&server, "/widgets?watch=true&resourceVersion=92").await;
        let status = if expires_in_watch { "200" } else { "410" };
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert!(body.contains(r#""code":410"#), "{body}");
    }
}

#[tokio::test]
async fn watches_send_bookmarks_and_end_after_the_requested_timeout() {
    let server = server(Settings { bookmarks: Duration::from_millis(600), ..Settings::default() });
    let target = "/widgets?watch=true&resourceVersion=93&allowWatchBookmarks=true&timeoutSeconds=1";
    let mut stream = connect(&server, target).await;
    let mut answer = String::new();
    let ended = timeout(Duration::from_secs(5), async {
        while !answer.ends_with("\r\n0\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap().into());
        }
    });
    ended.await.unwrap();
    assert_eq!(answer.matches("BOOKMARK").count(), 1, "{answer}");
}

#[tokio::test]
async fn forbidden_namespaces_are_refused() {
    let server = server(Settings::default());
    server.forbid("prod", true);
    assert!(get(&server, "/namespaces/prod/widgets").await.0.starts_with("HTTP/1.1 403 "));
    assert!(get(&server, "/namespaces/dev/widgets").await.0.starts_with("HTTP/1.1 200 "));
    server.forbid("prod", false);
    assert!(get(&server, "/namespaces/prod/widgets").await.0.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn a_restored_server_sends_no_events_before_the_requested_version() {
    let server = server(Settings { bookmarks: Duration::from_millis(20), ..Settings::default() });
    let storage = server.storage();
    let backup = storage.snapshot();
    for size in 2..5 {
        storage.update("dev", "a", |a| *a = content("web", size));
    }
    storage.create("dev", "new", content("web", 1));
    let uid = |name: &str| storage.objects()[&("dev".to_owned(), name.to_owned())].uid.clone();
    let (of_a, of_new) = (uid("a"), uid("new"));
    storage.restore(&backup);
    assert_eq!(storage.version(), 93);

    let target = "/widgets?watch=true&allowWatchBookmarks=true&resourceVersion=97";
    for size in 12..15 {
        storage.update("dev", "a", |a| *a = content("web", size));
        assert_eq!(events(&server, target).await, [""; 0]);
    }
    storage.create("dev", "new", content("web", 1));
    assert_eq!((uid("a"), uid("new") != of_new), (of_a, true));
    let received = events(&server, target).await;
    assert!(received.iter().all(|received| received == "BOOKMARK - 97"), "{received:?}");
    storage.delete("dev", "new");
    let received = events(&server, target).await;
    assert_eq!(received[0], "DELETED new 98");
    let list = json_of(&server, "/widgets").await;
    assert_eq!(list["metadata"]["resourceVersion"], "98");
    assert_eq!(list["items"][0]["spec"]["size"], 14);
}

#[tokio::test]
async fn connections_are_cut_stalled_and_refused() {
    let server = server(Settings::default());
    let target = "/widgets?watch=true&resourceVersion=93";
    let mut watching = connect(&server, target).await;
    let mut head = [0; 15];
    watching.read_exact(&mut head).await.unwrap();
    server.stall_connections();
    server.storage().delete("dev", "a");
    let mut rest = Vec::new();
    let silent = timeout(Duration::from_millis(100), watching.read_to_end(&mut rest)).await;
    assert!(silent.is_err() && !String::from_utf8(rest).unwrap().contains("DELETED"));
    assert_eq!(events(&server, target).await, ["DELETED a 94"]);
    server.stop_serving();
    assert_eq!(watching.read(&mut [0; 100]).await.unwrap(), 0);
    let mut refused = connect(&server, target).await;
    assert!(!matches!(refused.read(&mut [0; 100]).await, Ok(1..)));
    server.resume_serving();
    assert_eq!(events(&server, target).await, ["DELETED a 94"]);
}

#[tokio::test]
async fn wrong_bodies_differ_from_right_ones() {
    use crate::faults::{Fault, WrongBody};
    for body in WrongBody::ALL {
        let settings = Settings::default();
        let server = ApiServer::new(settings, Faults::scripted([Fault::WrongBody { body }]));
        server.storage().create("dev", "a", content("web", 1));
        let (head, wrong) = get(&server, "/widgets").await;
        let (_, right) = get(&server, "/widgets").await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert_ne!(wrong, right, "{body:?}");
    }
}
