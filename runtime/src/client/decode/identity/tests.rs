use super::*;

fn read(object: &str) -> Identity<'_> {
    identity(object).unwrap()
}

fn cut(object: &str) -> String {
    let ManagedFieldsAt::Member { member, value } = read(object).managed_fields else {
        panic!("{object}");
    };
    assert!(object[value].starts_with('['));
    format!("{}{}", &object[..member.start], &object[member.end..])
}

#[test]
fn identities_are_borrowed() {
    let object = r#"{"apiVersion":"v1","kind":"A","metadata":{"annotations":{"name":"no"},"name":"a","namespace":"n",
        "resourceVersion":"7","uid":"u"},"spec":{"metadata":{"name":"other"}}}"#;
    for identity in [scan(object).unwrap(), parse(object).unwrap()] {
        assert!(matches!(identity.name, Cow::Borrowed("a")));
        assert!(matches!(identity.namespace, Some(Cow::Borrowed("n"))));
        assert!(matches!(identity.uid, Some(Cow::Borrowed("u"))));
        assert!(matches!(identity.resource_version, Cow::Borrowed("7")));
    }
}

#[test]
fn keys_may_come_in_any_order() {
    let object = r#"{ "spec" : { "a" : "}" } , "metadata" : { "uid" : "u" , "name" : "a" } , "kind" : "A" }"#;
    assert_eq!(scan(object).unwrap().name, "a");
}

#[test]
fn managed_fields_are_cut_out_with_one_comma() {
    let cases = [
        (r#"{"metadata":{"managedFields":[],"name":"a"}}"#, r#"{"metadata":{"name":"a"}}"#),
        (r#"{"metadata":{"name":"a","managedFields":[{}]}}"#, r#"{"metadata":{"name":"a"}}"#),
        (r#"{"metadata":{"name":"a","managedFields":["]"],"uid":"b"}}"#, r#"{"metadata":{"name":"a","uid":"b"}}"#),
        (r#"{"metadata":{"name":"a" , "managedFields" : [ ] }}"#, r#"{"metadata":{"name":"a" }}"#),
    ];
    for (object, without) in cases {
        assert_eq!(cut(object), without);
    }
}

#[test]
fn unusually_written_objects_are_parsed() {
    let odd = [
        r#"{"metadata":{"name":"x"},"metadata":{"name":"a"}}"#,
        r#"{"metadata":{"name":"x","name":"a"}}"#,
        r#"{"metad\u0061ta":{"name":"a"}}"#,
        r#"{"metadata":{"name":"x"},"metad\u0061ta":{"name":"a"}}"#,
        r#"{"metadata":{"n\u0061me":"a"}}"#,
        r#"{"metadata":{"name":"a","namespace":null}}"#,
        r#"{"metadata":{"name":"a","managedFields":[],"managedFields":[]}}"#,
        r#"{"metadata":{"name":"a","managed\u0046ields":[]}}"#,
    ];
    for object in odd {
        assert_eq!(scan(object), None, "{object}");
        let identity = read(object);
        assert_eq!(identity.name, "a", "{object}");
        assert_eq!(identity.namespace, None, "{object}");
        assert_eq!(identity.managed_fields, ManagedFieldsAt::Unknown);
    }
    assert_eq!(read(r#"{"metadata":{"name":"\u0061\n"}}"#).name, "a\n");
    let nested = r#"{"metadata":{"name":"a"},"spec":{"metadata":{},"x":"\u0061"}}"#;
    assert_eq!(scan(nested).unwrap().name, "a");
}

#[test]
fn objects_without_a_name_are_rejected() {
    for object in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"metadata":null}"#,
        r#"{"metadata":{}}"#,
        r#"{"metadata":{"name":1}}"#,
        r#"{"metadata":{"name":"a",}}"#,
        r#"{"metadata":{"managedFields":[],}}"#,
        r#"{"metadata":{,"name":"a"}}"#,
    ] {
        assert!(identity(object).is_err(), "{object}");
    }
}

#[test]
fn text_after_the_metadata_is_not_validated() {
    assert_eq!(read(r#"{"metadata":{"name":"a"},"spec":nul"#).name, "a");
}
