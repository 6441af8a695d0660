//! Every function and macro of the server's CEL environment, in rules.

use std::collections::{BTreeMap, BTreeSet};

use crdkit_tests::Request;
use serde_json::{Value, json};

use crate::both::Both;

const FUNCTIONS: &str = include_str!("../../../core/src/cel/functions.txt");
const GROUP: &str = "functions.example.com";
/// Functions of the variable `authorizer`, which rules do not have.
const OF_AUTHORIZER: [&str; 16] = [
    "allowed",
    "check",
    "error",
    "errored",
    "fieldSelector",
    "group",
    "labelSelector",
    "name",
    "namespace",
    "path",
    "reason",
    "resource",
    "serviceAccount",
    "subresource",
    // The server accepts it in new definitions since the next version.
    "includes",
    // Only the parser writes it.
    "@not_strictly_false",
];

/// True rules with each function.
const RULES: &[(&str, &str)] = &[
    ("!_", "!(self.i == 2)"),
    ("-_", "-self.i == -1"),
    ("@in", "self.i in self.l"),
    ("@sortByAssociatedKeys", "self.l.sortBy(x, -x)[0] == 3"),
    ("_!=_", "self.i != 2"),
    ("_%_", "self.i % 2 == 1"),
    ("_&&_", "self.b && self.i == 1"),
    ("_*_", "self.i * 2 == 2"),
    ("_+_", "self.i + 1 == 2"),
    ("_-_", "self.i - 1 == 0"),
    ("_/_", "4 / self.i == 4"),
    ("_<=_", "self.i <= 1"),
    ("_<_", "self.i < 2"),
    ("_==_", "self.i == 1"),
    ("_>=_", "self.i >= 1"),
    ("_>_", "self.i > 0"),
    ("_?._", "self.?s.hasValue()"),
    ("_?_:_", "self.b ? self.i == 1 : false"),
    ("_[?_]", "self.l[?0].hasValue()"),
    ("_[_]", "self.l[0] == 1"),
    ("_||_", "self.i == 2 || self.b"),
    ("add", "quantity('1').add(quantity('1')).isGreaterThan(quantity('1'))"),
    ("asApproximateFloat", "quantity('1').asApproximateFloat() == 1.0"),
    ("asInteger", "quantity('1').asInteger() == 1"),
    ("bool", "bool('true')"),
    ("bytes", "bytes('a') == b'a'"),
    ("cel.@mapInsert", "self.l.transformMap(i, x, x * 2)[0] == 2"),
    ("charAt", "'abc'.charAt(1) == 'b'"),
    ("cidr", "cidr('10.0.0.0/8') == cidr('10.0.0.0/8')"),
    ("compareTo", "quantity('1').compareTo(quantity('2')) == -1"),
    ("contains", "self.s.contains('b')"),
    ("containsCIDR", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')"),
    ("containsIP", "cidr('10.0.0.0/8').containsIP('10.1.1.1')"),
    ("distinct", "[1, 1, 2].distinct() == [1, 2]"),
    ("double", "double(self.i) == 1.0"),
    ("duration", "duration('1s') < duration('2s')"),
    ("dyn", "dyn(self.i) == 1"),
    ("endsWith", "self.s.endsWith('c')"),
    ("family", "ip('127.0.0.1').family() == 4"),
    ("find", "'abc1'.find('[0-9]') == '1'"),
    ("findAll", "'a1b2'.findAll('[0-9]') == ['1', '2']"),
    ("first", "self.l.first().value() == 1"),
    ("flatten", "[[1], [2]].flatten() == [1, 2]"),
    ("format", "'%d'.format([1]) == '1'"),
    ("format.byte", "!format.byte().validate('aGVsbG8=').hasValue()"),
    ("format.date", "!format.date().validate('2024-01-01').hasValue()"),
    ("format.datetime", "!format.datetime().validate('2024-01-01T00:00:00Z').hasValue()"),
    ("format.dns1035Label", "!format.dns1035Label().validate('abc').hasValue()"),
    ("format.dns1035LabelPrefix", "!format.dns1035LabelPrefix().validate('abc-').hasValue()"),
    ("format.dns1123Label", "!format.dns1123Label().validate('abc').hasValue()"),
    ("format.dns1123LabelPrefix", "!format.dns1123LabelPrefix().validate('abc-').hasValue()"),
    ("format.dns1123Subdomain", "!format.dns1123Subdomain().validate('a.bc').hasValue()"),
    ("format.dns1123SubdomainPrefix", "!format.dns1123SubdomainPrefix().validate('a.bc-').hasValue()"),
    ("format.labelValue", "!format.labelValue().validate('abc').hasValue()"),
    ("format.named", "!format.named('byte').value().validate('YQ==').hasValue()"),
    ("format.qualifiedName", "!format.qualifiedName().validate('a.b/c').hasValue()"),
    ("format.uri", "!format.uri().validate('https://a.b').hasValue()"),
    ("format.uuid", "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()"),
    ("getDate", "timestamp('2024-05-06T07:08:09.010Z').getDate() == 6"),
    ("getDayOfMonth", "timestamp('2024-05-06T07:08:09.010Z').getDayOfMonth() == 5"),
    ("getDayOfWeek", "timestamp('2024-05-06T07:08:09.010Z').getDayOfWeek() == 1"),
    ("getDayOfYear", "timestamp('2024-05-06T07:08:09.010Z').getDayOfYear() == 126"),
    ("getEscapedPath", "url('https://a.b:80/x?q=1').getEscapedPath() == '/x'"),
    ("getFullYear", "timestamp('2024-05-06T07:08:09.010Z').getFullYear() == 2024"),
    ("getHost", "url('https://a.b:80/x?q=1').getHost() == 'a.b:80'"),
    ("getHostname", "url('https://a.b:80/x?q=1').getHostname() == 'a.b'"),
    ("getHours", "timestamp('2024-05-06T07:08:09.010Z').getHours() == 7"),
    ("getMilliseconds", "timestamp('2024-05-06T07:08:09.010Z').getMilliseconds() == 10"),
    ("getMinutes", "timestamp('2024-05-06T07:08:09.010Z').getMinutes() == 8"),
    ("getMonth", "timestamp('2024-05-06T07:08:09.010Z').getMonth() == 4"),
    ("getPort", "url('https://a.b:80/x?q=1').getPort() == '80'"),
    ("getQuery", "url('https://a.b:80/x?q=1').getQuery() == {'q': ['1']}"),
    ("getScheme", "url('https://a.b:80/x?q=1').getScheme() == 'https'"),
    ("getSeconds", "timestamp('2024-05-06T07:08:09.010Z').getSeconds() == 9"),
    ("hasValue", "optional.of(self.i).hasValue()"),
    ("indexOf", "self.s.indexOf('b') == 1"),
    ("int", "int('1') == self.i"),
    ("ip", "ip('127.0.0.1') == ip('127.0.0.1')"),
    ("ip.isCanonical", "ip.isCanonical('127.0.0.1')"),
    ("isCIDR", "isCIDR('10.0.0.0/8')"),
    ("isGlobalUnicast", "ip('8.8.8.8').isGlobalUnicast()"),
    ("isGreaterThan", "quantity('2').isGreaterThan(quantity('1'))"),
    ("isIP", "isIP('127.0.0.1')"),
    ("isInteger", "quantity('1').isInteger()"),
    ("isLessThan", "quantity('1').isLessThan(quantity('2'))"),
    ("isLinkLocalMulticast", "ip('224.0.0.1').isLinkLocalMulticast()"),
    ("isLinkLocalUnicast", "ip('169.254.169.254').isLinkLocalUnicast()"),
    ("isLoopback", "ip('127.0.0.1').isLoopback()"),
    ("isQuantity", "isQuantity('1Gi')"),
    ("isSemver", "isSemver('1.2.3')"),
    ("isSorted", "self.l.isSorted()"),
    ("isURL", "isURL('https://a.b')"),
    ("isUnspecified", "ip('0.0.0.0').isUnspecified()"),
    ("join", "self.n.join('-') == 'a-b'"),
    ("last", "self.l.last().value() == 3"),
    ("lastIndexOf", "'abcb'.lastIndexOf('b') == 3"),
    ("lists.range", "lists.range(2)[1] == 1"),
    ("lowerAscii", "'ABC'.lowerAscii() == self.s"),
    ("major", "semver('1.2.3').major() == 1"),
    ("masked", "cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8')"),
    ("matches", "self.s.matches('^a')"),
    ("max", "self.l.max() == 3"),
    ("min", "self.l.min() == 1"),
    ("minor", "semver('1.2.3').minor() == 2"),
    ("optional.none", "!optional.none().hasValue()"),
    ("optional.of", "optional.of(self.i).value() == 1"),
    ("optional.ofNonZeroValue", "optional.ofNonZeroValue(self.i).hasValue()"),
    ("optional.unwrap", "optional.unwrap([optional.of(1), optional.none()]) == [1]"),
    ("or", "optional.none().or(optional.of(self.i)).value() == 1"),
    ("orValue", "self.?none.orValue(1) == self.i"),
    ("patch", "semver('1.2.3').patch() == 3"),
    ("prefixLength", "cidr('10.0.0.0/8').prefixLength() == 8"),
    ("quantity", "quantity('1Ki') == quantity('1024')"),
    ("replace", "'abc'.replace('b', 'x') == 'axc'"),
    ("reverse", "self.l.reverse() == [3, 2, 1]"),
    ("semver", "semver('1.2.3').isLessThan(semver('1.2.4'))"),
    ("sets.contains", "sets.contains(self.l, [1])"),
    ("sets.equivalent", "sets.equivalent(self.l, [3, 2, 1])"),
    ("sets.intersects", "sets.intersects(self.l, [3, 4])"),
    ("sign", "sign(quantity('1')) == 1"),
    ("size", "size(self.l) == 3"),
    ("slice", "self.l.slice(0, 1) == [1]"),
    ("sort", "[2, 1].sort() == [1, 2]"),
    ("split", "'a-b'.split('-') == ['a', 'b']"),
    ("startsWith", "self.s.startsWith('a')"),
    ("string", "string(self.i) == '1'"),
    ("strings.quote", "strings.quote('a') == '\"a\"'"),
    ("sub", "quantity('2').sub(quantity('1')).compareTo(quantity('1')) == 0"),
    ("substring", "self.s.substring(1) == 'bc'"),
    ("sum", "self.l.sum() == 6"),
    ("timestamp", "timestamp('2024-05-06T07:08:09Z') < timestamp('2025-05-06T07:08:09Z')"),
    ("trim", "' abc '.trim() == self.s"),
    ("type", "type(self.i) == int"),
    ("uint", "uint(1) == 1u"),
    ("unwrapOpt", "[optional.of(self.i)].unwrapOpt() == [1]"),
    ("upperAscii", "self.s.upperAscii() == 'ABC'"),
    ("url", "url('https://a.b') == url('https://a.b')"),
    ("validate", "format.dns1123Label().validate('A').hasValue()"),
    ("value", "self.?i.value() == 1"),
    // Macros.
    ("all", "self.l.all(x, x > 0)"),
    ("all of two", "self.l.all(i, x, x > i)"),
    ("exists", "self.l.exists(x, x == 3)"),
    ("exists of two", "self.l.exists(i, x, i == 2 && x == 3)"),
    ("exists_one", "self.l.exists_one(x, x == 3)"),
    ("existsOne of two", "self.l.existsOne(i, x, i == 2 && x == 3)"),
    ("filter", "self.l.filter(x, x > 1) == [2, 3]"),
    ("has", "has(self.s)"),
    ("map", "self.l.map(x, x * 2) == [2, 4, 6]"),
    ("map of some", "self.l.map(x, x > 1, x * 2) == [4, 6]"),
    ("optFlatMap", "self.?i.optFlatMap(x, optional.of(x + 1)).value() == 2"),
    ("optMap", "self.?i.optMap(x, x + 1).value() == 2"),
    ("optional elements", "[?self.?i, ?self.?none] == [1]"),
    ("optional entries", "{?'a': self.?i, ?'b': self.?none} == {'a': 1}"),
    ("optional entries", "{?'b': self.?i, ?'a': self.?i}.transformMap(k, v, v + 1) != {'a': 2, 'b': 3}"),
    ("transformList", "self.l.transformList(i, x, i + x) == [1, 3, 5]"),
    ("transformMapEntry", "self.l.transformMapEntry(i, x, {x: i})[3] == 2"),
];

#[test]
fn every_function_has_a_rule() {
    let mut known: BTreeSet<_> = RULES.iter().map(|(name, _)| *name).collect();
    known.extend(OF_AUTHORIZER);
    let missing = FUNCTIONS.lines().filter_map(|line| line.split(' ').nth(1)).filter(|name| !known.contains(name));
    assert_eq!(missing.collect::<BTreeSet<_>>(), BTreeSet::new());
}

/// The names of the fields with the rule of a case and with its negation.
fn fields(at: usize) -> [String; 2] {
    [format!("true{at}"), format!("false{at}")]
}

fn definition() -> Value {
    let probe = |rule: &str| {
        json!({
            "type": "object",
            "properties": {
                "i": { "type": "integer" }, "none": { "type": "integer" }, "s": { "type": "string", "maxLength": 9 },
                "n": { "type": "array", "maxItems": 9, "items": { "type": "string", "maxLength": 9 } },
                "b": { "type": "boolean" }, "l": { "type": "array", "maxItems": 9, "items": { "type": "integer" } },
            },
            "x-kubernetes-validations": [{ "rule": rule }],
        })
    };
    let mut properties = BTreeMap::new();
    for (at, (_, rule)) in RULES.iter().enumerate() {
        let [holds, fails] = fields(at);
        properties.insert(holds, probe(rule));
        properties.insert(fails, probe(&format!("!({rule})")));
    }
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": properties } } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("functions.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": { "kind": "Function", "plural": "functions" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

fn object() -> Value {
    let probe = json!({ "i": 1, "s": "abc", "b": true, "l": [1, 2, 3], "n": ["a", "b"] });
    let spec: BTreeMap<_, _> = (0..RULES.len()).flat_map(fields).map(|field| (field, probe.clone())).collect();
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Function", "metadata": { "name": "a" }, "spec": spec })
}

/// Returns the messages about each field.
fn messages(body: &Value) -> BTreeMap<String, String> {
    let causes = body["details"]["causes"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    causes.map(|cause| (text(&cause["field"]).replace("spec.", ""), text(&cause["message"]))).collect()
}

#[tokio::test]
async fn rules_have_the_results_of_the_server() {
    let namespace = "functions";
    let Some(both) = Both::with_definitions(namespace, &[definition()]).await else { return };
    let object = object();
    let path = format!("/apis/{GROUP}/v1/namespaces/{namespace}/functions");
    let mut responses = Vec::new();
    for client in both.clients() {
        let response = Request::post(&path, object.clone()).send(client).await.unwrap();
        assert_eq!(response.status, 422, "{}", response.body);
        responses.push(messages(&response.body));
    }
    let mut wrong = Vec::new();
    for (at, (_, rule)) in RULES.iter().enumerate() {
        let [ours, theirs] = [0, 1].map(|server: usize| fields(at).map(|field| responses[server].get(&field)));
        assert!(theirs[0].is_none() && theirs[1].is_some(), "the rule is not true: {rule}: {theirs:?}");
        if ours != theirs {
            wrong.push(format!("{rule}\n  ours: {ours:?}\n  real: {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
