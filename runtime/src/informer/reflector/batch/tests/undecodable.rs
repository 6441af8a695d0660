//! Objects that cannot be decoded.

use super::*;

fn odd(name: &str, version: u64) -> Value {
    let mut odd = object(name, version);
    odd["data"] = json!({ "size": 1 });
    odd
}

#[test]
fn an_undecodable_object_keeps_its_last_state_until_deleted() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 1)]);
    let mut problems = bench.shared.reporter.subscribe();
    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", odd("a", 2)).unwrap();
    bench.watch("MODIFIED", object("b", 3)).unwrap();
    assert_eq!(bench.events(), ["+a1", "+b1", "b1>b3"]);
    let Problem::Undecodable(problem) = problems.next().now_or_never().flatten().unwrap() else {
        panic!();
    };
    assert_eq!((problem.name.as_deref(), problem.path.as_deref()), (Some("a"), Some("data.size")));

    bench.batch.begin_list();
    bench.item(&odd("a", 2)).unwrap();
    bench.item(&odd("c", 4)).unwrap();
    bench.item(&object("b", 3)).unwrap();
    bench.batch.end_list(None);
    assert_eq!(bench.events(), Vec::<String>::new());
    assert_eq!(bench.shared.reporter.undecodable_states(), 2);
    assert_eq!(bench.undecodable(), ["a2 earlier", "c4"]);

    bench.batch.begin_watch("4");
    bench.watch("DELETED", odd("a", 5)).unwrap();
    bench.watch("DELETED", odd("c", 6)).unwrap();
    assert_eq!(bench.events(), ["-a1"]);
    assert_eq!(bench.undecodable(), [""; 0]);
    assert_eq!(bench.shared.reporter.undecodable_states(), 2);
}

#[test]
fn each_undecodable_state_is_one_problem() {
    let mut bench = Bench::new();
    let mut problems = bench.shared.reporter.subscribe();
    let mut new = || std::iter::from_fn(|| problems.next().now_or_never().flatten()).count();
    for _ in 0..5 {
        bench.batch.begin_list();
        for _ in 0..2 {
            bench.item(&odd("a", 1)).unwrap();
        }
        bench.batch.end_list(None);
    }
    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", odd("a", 1)).unwrap();
    assert_eq!(new(), 1);
    bench.watch("MODIFIED", odd("a", 2)).unwrap();
    assert_eq!(new(), 1);
    // As after restoring an older database.
    let mut other = odd("a", 2);
    other["data"] = json!([]);
    bench.watch("MODIFIED", other.clone()).unwrap();
    assert_eq!(new(), 1);
    other["metadata"]["uid"] = json!("b");
    bench.watch("MODIFIED", other).unwrap();
    assert_eq!(new(), 1);
    bench.watch("MODIFIED", object("a", 3)).unwrap();
    bench.watch("MODIFIED", odd("a", 4)).unwrap();
    assert_eq!((new(), bench.undecodable()), (1, vec!["a4 earlier".to_owned()]));
    assert_eq!(bench.shared.reporter.undecodable_states(), 5);
}

#[test]
fn an_object_that_decodes_again_or_is_not_listed_is_not_undecodable() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 1)]);
    bench.batch.begin_watch("1");
    for (version, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        bench.watch("MODIFIED", odd(name, version as u64 + 2)).unwrap();
    }
    let all = ["a2 earlier", "b3 earlier", "c4", "d5", "e6"];
    assert_eq!(bench.undecodable(), all);

    // An incomplete list does not affect objects that it did not return, nor does a list of another namespace.
    bench.batch.begin_list();
    bench.item(&odd("d", 5)).unwrap();
    bench.batch.commit();
    bench.batch.begin_list();
    bench.batch.end_list(Some("test"));
    assert_eq!(bench.undecodable(), all);

    bench.batch.begin_list();
    bench.item(&object("a", 1)).unwrap();
    bench.item(&object("b", 7)).unwrap();
    bench.item(&odd("c", 4)).unwrap();
    bench.watch("DELETED", odd("c", 3)).unwrap();
    bench.watch("DELETED", odd("e", 8)).unwrap();
    assert_eq!(bench.undecodable(), ["c4", "d5"]);
    bench.batch.end_list(Some("prod"));
    assert_eq!(bench.undecodable(), ["c4"]);
    assert_eq!(bench.shared.cache.undecodable_count(), 1);
}

#[test]
fn invalid_json_after_the_metadata_is_not_an_undecodable_object() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    let whole = format!(r#"{{"type":"MODIFIED","object":{}}}"#, object("a", 2));
    let metadata = r#"{"metadata":{"name":"a","resourceVersion":"2"}"#;
    for transport_error in [
        format!("{whole}}}"),
        format!(r#"{{"type":"MODIFIED","object":{metadata},"data":{{"k":"{}"}}}}}}"#, '\u{1}'),
        format!(r#"{{"type":"MODIFIED","object":{metadata},"data":}}}}"#),
        format!(r#"{{"type":"DELETED","object":{metadata},"data":}}}}"#),
    ] {
        let error = bench.lines(&[&transport_error]).expect_err(&transport_error);
        assert!(matches!(error, WatchError::Malformed(_)), "{error}: {transport_error}");
    }
    assert_eq!(bench.shared.reporter.undecodable_states(), 0);
    assert_eq!(bench.batch.commit(), 0);
}
