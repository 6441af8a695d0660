use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::*;
use crate::client::{
    mock::{Mock, Reply},
    scope::InNamespace,
};

fn page(names: &[&str], rest: Option<&str>) -> Reply {
    let items: Vec<Value> = names
        .iter()
        .map(|name| json!({ "metadata": { "name": name, "managedFields": [{ "manager": "m" }] } }))
        .collect();
    let metadata = json!({ "resourceVersion": "7", "continue": rest });
    Reply::json(200, json!({ "metadata": metadata, "items": items }))
}

fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
    mock.client().resources().namespace("prod")
}

fn queries(mock: &Mock) -> Vec<String> {
    let path = "GET /api/v1/namespaces/prod/configmaps?";
    let lines = mock.lines().into_iter();
    lines.map(|line| line.strip_prefix(path).unwrap().to_owned()).collect()
}

fn names(configs: &[ConfigMap]) -> Vec<&str> {
    let names = configs.iter().map(|config| config.metadata.name.as_deref());
    names.map(Option::unwrap).collect()
}

#[tokio::test]
async fn all_pages_are_joined_to_one_list() {
    let mock = Mock::new([page(&["a", "b"], Some("2/3")), page(&["c"], None)]);
    let list = configs(&mock).list().labels("a in (b)").at("7").await.unwrap();
    assert_eq!(names(&list.items), ["a", "b", "c"]);
    assert_eq!(list.items[0].metadata.managed_fields, None);
    assert_eq!(list.metadata.resource_version.as_deref(), Some("7"));
    let first = "labelSelector=a+in+%28b%29&limit=500&resourceVersion=7&resourceVersionMatch=Exact";
    let second = "labelSelector=a+in+%28b%29&limit=500&continue=2%2F3";
    assert_eq!(queries(&mock), [first, second]);
}

#[tokio::test]
async fn limit_ends_the_list_with_a_continue_token() {
    let mock = Mock::new([page(&["a", "b"], Some("x")), page(&["c"], Some("y"))]);
    let list = configs(&mock).list().page_size(2).limit(3).await.unwrap();
    assert_eq!(names(&list.items), ["a", "b", "c"]);
    assert_eq!(list.metadata.continue_.as_deref(), Some("y"));
    assert_eq!(queries(&mock), ["limit=2", "limit=1&continue=x"]);
}

#[tokio::test]
async fn managed_fields_are_preserved_on_request() {
    let mock = Mock::new([page(&["a"], None)]);
    let list = configs(&mock).list().keep_managed_fields().await.unwrap();
    let managed = list.items[0].metadata.managed_fields.as_ref().unwrap();
    assert_eq!(managed[0].manager.as_deref(), Some("m"));
}

#[tokio::test]
async fn pages_are_read_on_demand() {
    let mock = Mock::new([page(&["a"], Some("x")), page(&["b"], None)]);
    let mut pages = std::pin::pin!(configs(&mock).list().pages());
    assert_eq!(names(&pages.next().await.unwrap().unwrap().items), ["a"]);
    assert_eq!(mock.sent().len(), 1);
    assert_eq!(names(&pages.next().await.unwrap().unwrap().items), ["b"]);
    assert!(pages.next().await.is_none());
}

#[tokio::test]
async fn objects_are_streamed_over_empty_pages() {
    let replies = [page(&["a"], Some("x")), page(&[], Some("y")), page(&["b"], None)];
    let mock = Mock::new(replies);
    let objects: Vec<_> = configs(&mock).list().stream().try_collect().await.unwrap();
    assert_eq!(names(&objects), ["a", "b"]);
}

#[tokio::test]
async fn page_with_its_own_continue_token_is_an_error() {
    let mock = Mock::new([page(&["a"], Some("x")), page(&["a"], Some("x")), page(&["a"], None)]);
    let error = configs(&mock).list().await.unwrap_err();
    assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    assert!(error.to_string().contains("`continue`"), "{error}");
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test]
async fn cyclic_pages_are_an_error() {
    let names: Vec<String> = (0..20).map(|page| page.to_string()).collect();
    let alternating = |index: usize| page(&[&names[index]], Some(["x", "y"][index % 2]));
    let mock = Mock::new((0..20).map(alternating));
    let error = configs(&mock).list().await.unwrap_err();
    assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    assert!(error.to_string().contains("`continue`"), "{error}");
    assert!(mock.sent().len() < 8);
    // As if a proxy dropped `continue` from the request.
    let first_again = |index: usize| page(&["a", "b"], Some(&names[index]));
    let mock = Mock::new((0..20).map(first_again));
    let pages: Vec<_> = configs(&mock).list().pages().collect().await;
    assert!(matches!(&pages[..], [Ok(_), Err(Error::Unexpected { .. })]), "{pages:?}");
}

#[tokio::test]
async fn too_many_empty_pages_are_an_error() {
    let mock = Mock::new((0..10_010).map(|index| page(&[], Some(&index.to_string()))));
    let error = configs(&mock).list().await.unwrap_err();
    assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    assert_eq!(mock.sent().len(), 10_001);
}

#[tokio::test]
async fn other_response_is_not_an_empty_list() {
    let empty = |kind: &str| {
        let metadata = json!({ "resourceVersion": "7" });
        json!({ "apiVersion": "v1", "kind": kind, "metadata": metadata, "items": null })
    };
    for odd in [json!({}), json!({ "status": "ok" }), empty("SecretList"), empty("Shelf")] {
        let mock = Mock::new([Reply::exactly(200, &odd)]);
        let error = configs(&mock).list().await.unwrap_err();
        assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    }
    let lists = ["ConfigMapList", "Shelf"].map(|kind| Reply::exactly(200, &empty(kind)));
    let mock = Mock::new(lists);
    assert!(configs(&mock).list().await.unwrap().items.is_empty());
    let shelf = configs(&mock).list_kind("Shelf").list().await.unwrap();
    assert!(shelf.items.is_empty());
}

#[tokio::test]
async fn expired_list_is_read_in_one_page() {
    let replies = [page(&["a"], Some("x")), Reply::status(410, "Expired", ""), page(&["a", "b"], None)];
    let mock = Mock::new(replies);
    let list = configs(&mock).list().await.unwrap();
    assert_eq!(names(&list.items), ["a", "b"]);
    assert_eq!(queries(&mock)[2], "limit=4294967295");
}

#[tokio::test]
async fn expired_version_is_an_error() {
    let mock = Mock::new([Reply::status(410, "Expired", "")]);
    let error = configs(&mock).list().at("7").await.unwrap_err();
    assert!(error.is_expired(), "{error}");
    let mock = Mock::new([page(&["a"], Some("x")), Reply::status(410, "Expired", "")]);
    let pages: Vec<_> = configs(&mock).list().pages().collect().await;
    assert!(pages[0].is_ok() && pages[1].is_err() && pages.len() == 2);
}

#[tokio::test]
async fn reported_item_counts_do_not_allocate() {
    for remaining in [i64::MAX, 1_000_000_000_000, -1] {
        let metadata = json!({ "continue": "next", "remainingItemCount": remaining });
        let item = json!({ "metadata": { "name": "a" } });
        let first = Reply::json(200, json!({ "metadata": metadata, "items": [item] }));
        let last = Reply::json(200, json!({ "metadata": {}, "items": [item] }));
        let mock = Mock::new([first, last]);
        let configs = mock.client().resources::<ConfigMap>().all_namespaces();
        let list = configs.list().await.unwrap();
        assert_eq!(list.items.len(), 2);
        assert!(list.items.capacity() < 10);
    }
}
