//! Tests of rules on values.

use alloc::{
    borrow::Cow,
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use crate::{
    cel::{
        AdmissionInput, AdmissionRun, AdmissionScope, AuthorizationDecision, AuthorizationTarget, AuthorizedResource,
        EvaluationError, ResultType, RuleScope,
    },
    go,
    json::Json,
    schema::{Items, SchemaProps},
};

fn typed(type_: &str) -> SchemaProps<'_> {
    SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() }
}

/// The scope of an object with fields of some types.
fn scope() -> RuleScope {
    let list = |items| SchemaProps { items: Some(Items::Schema(Box::new(items))), ..typed("array") };
    let set = SchemaProps { list_type: Some("set".into()), ..list(typed("string")) };
    let time = SchemaProps { format: Some("date-time".into()), ..typed("string") };
    let any = SchemaProps { int_or_string: true, ..SchemaProps::default() };
    let properties: Vec<(Cow<'_, str>, _)> = vec![
        ("int".into(), typed("integer")),
        ("number".into(), typed("number")),
        ("text".into(), typed("string")),
        ("texts".into(), list(typed("string"))),
        ("set".into(), set),
        ("time".into(), time),
        ("any".into(), any),
        ("namespace".into(), typed("string")),
        ("a-b".into(), typed("string")),
    ];
    let schema = SchemaProps { properties: Some(properties), ..typed("object") };
    RuleScope::of(&schema, false).unwrap()
}

fn value() -> Json<'static> {
    let text = |text: &'static str| Json::String(text.into());
    Json::Object(vec![
        ("int".into(), Json::Integer(5)),
        ("number".into(), Json::Integer(2)),
        ("text".into(), text("Müller")),
        ("texts".into(), Json::Array(vec![text("b"), text("a"), text("b")])),
        ("set".into(), Json::Array(vec![text("x"), text("y")])),
        ("time".into(), text("2024-02-29T10:00:00+02:00")),
        ("any".into(), text("80")),
        ("namespace".into(), text("n")),
        ("a-b".into(), text("dash")),
    ])
}

fn evaluate(rule: &str) -> Result<bool, EvaluationError> {
    let program = scope().program(rule, true).unwrap_or_else(|error| panic!("{rule}: {error:?}"));
    program.evaluate(&value(), None, 1_000_000).result
}

fn error(rule: &str) -> String {
    match evaluate(rule) {
        Err(EvaluationError::Failed(text)) => text,
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn rules_that_are_true() {
    for rule in [
        "self.text.size() == 6 && size(self.texts) == 3",
        "self.number == 2.0 && self.number / 4.0 == 0.5",
        "self.__namespace__ == 'n' && self.namespace == 'n' && self.a__dash__b == 'dash'",
        "self.any == '80' && self.any != 80",
        "self.set == ['y', 'x'] && self.set + ['x', 'z'] == ['x', 'y', 'z']",
        "self.texts != ['a', 'b', 'b']",
        "!oldSelf.hasValue() && oldSelf.?int.orValue(3) == 3",
        "has(self.int) && self.?int.value() == 5 && self.?int.optMap(it, it + 1).value() == 6",
        "self.texts.all(it, it in ['a', 'b']) && self.texts.exists_one(it, it == 'a')",
        "self.texts.exists(i, v, i == 1 && v == 'a')",
        "self.texts.map(it, it + it) == ['bb', 'aa', 'bb'] && self.texts.filter(it, it > 'a').size() == 2",
        "self.texts.transformMap(i, v, i > 0, v + string(i)) == {1: 'a1', 2: 'b2'}",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
        "self.texts.transformList(i, v, i) == [0, 1, 2]",
        "['bb', 'a'].sortBy(it, it.size()) == ['a', 'bb'] && self.texts.sort() == ['a', 'b', 'b']",
        "optional.of(self.int).optMap(x, x + x).value() == 10",
        "false && 1 / (self.int - 5) == 1 || true",
        "1 / (self.int - 5) == 1 || true",
        "!(1 / (self.int - 5) == 1 && false)",
        "[1, 2, 0].exists(it, 1 / it == 0)",
        "1 in [1, 2] && 1.0 in dyn([1]) && !(3 in [1, 2])",
        "dyn(1) == 1u && dyn(1.5) > 1 && dyn(1) < 2.5",
        "string(1.5) == '1.5' && string(duration('90s')) == '90s' && string(1e30) == '1e+30'",
        "string(self.time) == '2024-02-29T10:00:00+02:00'",
        "type(self.int) == int && type(self.time) == google.protobuf.Timestamp && type([]) == list",
        "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b']",
        "'äöü'.substring(1, 2) == 'ö' && 'äöü'.charAt(2) == 'ü' && 'äöü'.indexOf('ü') == 2",
        "'abab'.lastIndexOf('ab') == 2 && 'abab'.lastIndexOf('ab', 1) == 0 && 'a'.lastIndexOf('b') == -1",
        "'aa'.replace('', '-') == '-a-a-' && 'aaa'.replace('a', 'b', 2) == 'bba'",
        "['a', 'b'].join('-') == 'a-b' && strings.quote('a\\n\"') == '\"a\\\\n\\\\\"\"'",
        "[1, 2].sum() == 3 && [2, 1].max() == 2 && [1, 2, 2].isSorted() && self.texts.indexOf('a') == 1",
        "sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])",
        "[[1], [2, 3]].flatten() == [1, 2, 3] && [1, 2].reverse() == [2, 1] && [1, 1].distinct() == [1]",
        "lists.range(3) == [0, 1, 2] && [1, 2, 3].slice(1, 2) == [2]",
        "optional.of(1).or(optional.none()).value() == 1 && [1][?1].orValue(7) == 7",
        "{'a': {'b': 1}}.?a.?b.value() == 1 && !{'a': 1}[?'b'].hasValue()",
        "google.protobuf.Int64Value{value: 3} == 3 && google.protobuf.Duration{seconds: 60} == duration('1m')",
        "(self.int > 3 ? self.texts : [])[0] == 'b'",
    ] {
        assert_eq!(evaluate(rule), Ok(true), "{rule}");
    }
}

#[test]
fn errors_have_the_servers_texts() {
    for (rule, expected) in [
        ("1 / (self.int - 5) == 1", "division by zero"),
        ("1 % (self.int - 5) == 1", "modulus by zero"),
        ("self.int + 9223372036854775807 > 0", "integer overflow"),
        ("-(self.int - 9223372036854775807 - 6) > 0", "integer overflow"),
        ("uint(self.int) - 6u > 0u", "unsigned integer overflow"),
        ("[1][self.int] == 1", "index out of bounds: 5"),
        ("{'a': 1}['b'] == self.int", "no such key: b"),
        ("oldSelf.value().int == 1", "optional.none() dereference"),
        ("int('a' + self.text) == 1", "type conversion error from 'string' to 'int'"),
        ("self.any > 1", "no such overload"),
        ("dyn(self.int).contains('a')", "no such overload"),
        ("self.texts.filter(it, it == '').max() == 'a'", "max called on empty list"),
        ("self.text.charAt(9) == ''", "index out of range: 9"),
        ("self.text.substring(3, 1) == ''", "invalid substring range. start: 3, end: 1"),
        ("self.texts.transformMapEntry(i, v, {v: i}).size() > 0", "insert failed: key b already exists"),
        ("dyn(1.0/0.0 - 1.0/0.0) < self.number", "NaN values cannot be ordered"),
    ] {
        assert_eq!(error(rule), expected, "{rule}");
    }
}

/// Expressions with their results in Kubernetes 1.37, after tabs: the type or the kind of the error, the quoted value or error, and
/// the cost.
const EXPRESSIONS: &str = include_str!("expressions.txt");

/// Returns the data of two time zones, whose rules hold at all times.
fn zones(name: &str) -> Option<Vec<u8>> {
    let rule = match name {
        "America/New_York" => "EST5EDT,M3.2.0,M11.1.0",
        "Europe/Berlin" => "CET-1CEST,M3.5.0,M10.5.0/3",
        "Europe/Amsterdam" => "AMT-0:19:32",
        "Asia/Tokyo" => "JST-9",
        "Australia/Sydney" => "AEST-10AEDT,M10.1.0,M4.1.0/3",
        _ => return None,
    };
    let header = |types: u8| [&b"TZif2"[..], &[0; 31], &[0, 0, 0, types], &[0, 0, 0, 0]].concat();
    Some([&header(0)[..], &header(1), &[0; 6], rule.as_bytes(), b"\n"].concat())
}

#[test]
fn expressions_have_the_results_of_the_server() {
    let scope = AdmissionScope::new();
    let mut count = 0;
    for line in EXPRESSIONS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [source, kind, expected, cost] = columns.as_slice() else { panic!("{line}") };
        let found = match scope.program(source, ResultType::Any) {
            Err(error) => {
                let text = error.admission_text(source, ResultType::Any);
                ("program".into(), text.trim_start_matches("program instantiation failed: ").into(), 0)
            }
            Ok(program) => {
                let resource = AuthorizedResource::default();
                let input =
                    AdmissionInput { values: vec![], composed: &[], authorizer: None, resource, zones: Some(zones) };
                let run = AdmissionRun::new(input, 1_000_000);
                let evaluation = run.evaluate(&program);
                match evaluation.result {
                    Ok(value) => (value.type_name().to_string(), go::quote(&value.to_string()), evaluation.cost),
                    Err(error) => ("error".to_string(), go::quote(&error.to_string()), evaluation.cost),
                }
            }
        };
        assert_eq!((&*found.0, &*found.1, found.2), (*kind, *expected, cost.parse().unwrap()), "{source}");
        count += 1;
    }
    assert!(count > 400);
}

#[test]
fn large_results_exceed_the_limit() {
    for rule in [
        "lists.range(100000).all(it, lists.range(100000).all(jt, it + jt >= 0))",
        "lists.range(9000).all(it, lists.range(9000).size() > it)",
    ] {
        assert_eq!(evaluate(rule), Err(EvaluationError::CostLimitExceeded), "{rule}");
    }
}

#[test]
fn composed_variables_are_evaluated_when_they_are_used() {
    let mut scope = AdmissionScope::new().with_variables();
    let mut composed = Vec::new();
    for (name, source) in [("double", "object.n * 2"), ("next", "variables.double + 1"), ("broken", "object.x")] {
        composed.push((name.to_string(), scope.variable_program(name, source).map_err(|_| String::new())));
    }
    composed.push(("wrong".to_string(), Err("no".to_string())));
    assert!(scope.variable_program("wrong", "1 +").is_err());
    let object = Json::Object(vec![("n".into(), Json::Integer(3))]);
    for (source, expected) in [
        ("variables.next == 7 && variables.double == 6", Ok(true)),
        ("has(variables.next) && variables.?next.value() == 7", Ok(true)),
        ("true || variables.broken == 1", Ok(true)),
        ("variables.broken == 1", Err("composited variable \"broken\" fails to evaluate: no such key: x")),
        ("has(variables.broken)", Err("composited variable \"broken\" fails to evaluate: no such key: x")),
        ("variables.wrong == 1", Err("composited variable \"wrong\" fails to compile: no")),
    ] {
        let program = scope.program(source, ResultType::Bool).unwrap();
        let input = AdmissionInput {
            values: vec![("object", &object)],
            composed: &composed,
            authorizer: None,
            resource: AuthorizedResource::default(),
            zones: None,
        };
        let result = AdmissionRun::new(input, 1_000_000).evaluate(&program).result;
        let found = result.map(|value| value.as_bool() == Some(true)).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(ToString::to_string), "{source}");
    }
}

#[test]
fn authorizers_are_asked() {
    let scope = AdmissionScope::new();
    let source = "authorizer.serviceAccount('a', 'b').group('apps').resource('deployments').namespace('n').name('x')\
                  .subresource('scale').check('get').allowed() && authorizer.requestResource.check('list').reason() == 'pods'\
                  && !authorizer.path('/x').check('get').allowed()";
    let source = source.replace('\\', "");
    let program = scope.program(&source, ResultType::Bool).unwrap();
    let authorizer = |check: &crate::cel::AuthorizationCheck| match &check.target {
        AuthorizationTarget::Path(_) => AuthorizationDecision::default(),
        AuthorizationTarget::Resource(resource) => AuthorizationDecision {
            allowed: check.service_account.as_ref().is_some_and(|(namespace, name)| namespace == "a" && name == "b")
                && (&*resource.group, &*resource.namespace, &*resource.name) == ("apps", "n", "x")
                && (&*resource.resource, &*resource.subresource, &*check.verb) == ("deployments", "scale", "get"),
            reason: resource.resource.clone(),
            error: None,
        },
    };
    let input = AdmissionInput {
        values: vec![],
        composed: &[],
        authorizer: Some(&authorizer),
        resource: AuthorizedResource { resource: "pods".into(), ..AuthorizedResource::default() },
        zones: None,
    };
    let evaluation = AdmissionRun::new(input, 10_000_000).evaluate(&program);
    assert_eq!(evaluation.result.unwrap().as_bool(), Some(true));
    assert!(evaluation.cost > 3 * 350_000);
}
