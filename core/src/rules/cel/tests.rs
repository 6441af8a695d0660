use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::*;
use crate::{schema::Items, walk};

fn typed(type_: &str) -> SchemaProps<'_> {
    SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() }
}

fn ruled<'a>(schema: SchemaProps<'a>, rule: &'a str) -> SchemaProps<'a> {
    SchemaProps { validations: vec![ValidationRule { rule: rule.into(), ..ValidationRule::default() }], ..schema }
}

fn found(schema: &SchemaProps<'_>) -> Vec<String> {
    let mut found = Vec::new();
    walk(&Node::root(schema), &mut |at| {
        check_node(at, "root", &mut Costs::default(), &mut |_, violation| {
            let id = violation.rule.id;
            found.push(match violation.server_error {
                Some(server_error) => alloc::format!("{id} {}: {server_error}", server_error.field),
                None => id.to_string(),
            });
            assert!(!violation.message.to_string().is_empty());
        });
    });
    found
}

#[test]
fn texts_around_a_rule() {
    let rule = |rule: &'static str, message: &'static str| ValidationRule {
        rule: rule.into(),
        message: Some(message.into()),
        ..ValidationRule::default()
    };
    let broken = |rule: ValidationRule<'_>| {
        let mut broken = Vec::new();
        check_fields(&rule, &mut |result| {
            broken.extend(result.err().map(|it| it.rule.id));
        });
        broken
    };
    assert_eq!(broken(rule("true", "")), [""; 0]);
    assert_eq!(broken(rule(" \u{a0}", "a")), ["C1"]);
    assert_eq!(broken(rule("a", " ")), ["C2"]);
    assert_eq!(broken(rule("a", "b\rc\n")), ["C3"]);
    assert_eq!(broken(rule("a", "b\n")), [""; 0]);
    assert_eq!(broken(rule("a &&\rb", "")), ["C4"]);
    assert_eq!(broken(rule("\n a \n", "")), [""; 0]);
    let more = ValidationRule {
        message_expression: Some(" ".into()),
        reason: Some("".into()),
        field_path: Some(".a\n".into()),
        ..rule("a", "")
    };
    assert_eq!(broken(more), ["C5", "C6", "C7"]);
}

#[test]
fn what_was_before_a_change() {
    let keyed = |items| SchemaProps {
        list_type: Some("map".into()),
        items: Some(Items::Schema(Box::new(items))),
        ..typed("array")
    };
    let plain = |items| SchemaProps { items: Some(Items::Schema(Box::new(items))), ..typed("array") };
    let item = ruled(typed("integer"), "self == oldSelf");
    assert_eq!(found(&keyed(item.clone())), [""; 0]);
    let within = "C17 .x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf \
                  cannot be used on the uncorrelatable portion of the schema within root";
    assert_eq!(found(&plain(item.clone())), [within]);
    assert_eq!(found(&keyed(plain(plain(item)))), [within.to_string() + ".items"]);
    let item = ruled(typed("integer"), "string(self) != 'oldSelf'");
    assert_eq!(found(&plain(item)), [""; 0]);
}

#[test]
fn optional_old_self() {
    let mut schema = ruled(typed("string"), "self != 'oldSelf' // oldSelf");
    schema.validations[0].optional_old_self = Some(false);
    assert_eq!(
        found(&schema),
        ["C18 .x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if \
             oldSelf is not used in rule"]
    );
    schema.validations[0].rule = "oldSelf != self".into();
    assert_eq!(found(&schema), [""; 0]);
}

#[test]
fn rules_of_one_text() {
    let mut schema = ruled(typed("string"), "self != ''");
    schema.validations.push(schema.validations[0].clone());
    let found = found(&schema);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("C9 "), "{found:?}");
}

#[test]
fn values_of_no_type() {
    let any = || SchemaProps { preserve_unknown_fields: Some(true), ..SchemaProps::default() };
    let list = SchemaProps { items: Some(Items::Schema(Box::new(any()))), ..typed("array") };
    let map =
        SchemaProps { additional_properties: Some(AdditionalProperties::Schema(Box::new(any()))), ..typed("object") };
    for unseen in [any(), list, map] {
        let found = found(&ruled(unseen, "true"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("C13 .x-kubernetes-validations: Internal error"));
    }
    let mixed = SchemaProps { int_or_string: true, ..SchemaProps::default() };
    assert_eq!(found(&ruled(mixed, "true")), [""; 0]);
}
