//! The cost of evaluating rules, compared with the server's.

use crdkit_core::{
    cel::{Evaluation, RuleScope},
    json::Json,
    schema::{AdditionalProperties, Items, SchemaProps},
};
use crdkit_oracles::{Random, cases, responses, schema_json, seed};

type Schema = SchemaProps<'static>;

/// Rules whose cost is known exactly.
const EXACT: &[&str] = &[
    "self.ints.all(x, self.ints.all(y, x == y || x < y))",
    "self.ints.all(x, self.ints.all(y, x < y || x == y))",
    "self.ints.all(x, self.ints.all(y, !(x != y)))",
    "self.ints.all(x, self.ints.all(y, x == 1 ? true : x + y > 5))",
    "self.ints.all(x, self.ints.all(y, x != 1 ? x > 3 : y == 1))",
    "!self.ints.exists(x, self.ints.exists(y, x + y == 3))",
    "self.ints.exists(x, x == 1) && self.ints.all(x, !self.ints.exists(y, y == 2))",
    "self.ints.all(x, !self.ints.exists_one(y, y == 1))",
    "self.ints.map(x, self.ints.filter(y, y > x)).all(l, l.size() == 0)",
    "self.ints.all(x, self.ints.map(y, y > 0, y + x).size() > 0)",
    "self.ints.all(x, x in self.ints.map(y, y + 0))",
    "self.ints.all(x, self.ints.all(y, y in [1, 2, 3]))",
    "self.ints.all(x, self.ints.all(y, y in [x, 2] && !(y in [])))",
    "self.ints.all(x, self.ints.all(y, [x, y].size() == 2 && [1, 2] != [x]))",
    "self.ints.all(x, self.ints.all(y, {'k': x}.k == 1 && {'k': 1}['k'] == y))",
    "self.ints.all(x, self.ints.all(y, (x == 1 ? [1] : [x])[0] == 1))",
    "self.ints.all(x, self.ints.all(y, self.ints[0] == y && self.ints[x - 1] == y && self.ints[x] == 1))",
    "self.ints.all(x, self.ints.all(y, int('1') == x && duration('1s') == duration('1000ms')))",
    "self.ints.all(i, x, self.ints.all(j, y, i == j || x == y))",
    "self.ints.all(x, self.ints.transformList(i, y, y + i).size() > 0)",
    "self.ints.all(x, self.ints.transformMap(i, y, y).size() > 0)",
    "self.ints.all(x, self.ints.sum() > 0 && self.ints.max() == 1)",
    "self.ints.all(x, self.ints.all(y, optional.of(x).orValue(2) == 1))",
    "self.ints.all(x, self.ints.all(y, dyn(x) == dyn(y) && string(x) == '1' && double(x) <= 1.5))",
    "self.ints.all(x, self.ints.all(y, true))",
    "self.ints.all(x, self.ints.all(y, -x < y && x % 2 == 1 && x * 3 - 1 == 2))",
    "self.texts.all(x, self.texts.all(y, x.matches('^[a-z]+$') || y == ''))",
    "self.texts.all(x, self.texts.all(y, x.startsWith(y) && !x.contains('zz') && x.endsWith('c')))",
    "self.texts.all(x, self.texts.all(y, x + y == 'abcabc' && size(x) <= size(y)))",
    "self.texts.all(x, self.texts.all(y, x.lowerAscii() == y && x.upperAscii() != y))",
    "self.texts.all(x, self.texts.all(y, x in ['abc', 'd'] && x >= y))",
    "self.texts.all(x, self.texts.all(y, x.indexOf('b') == 1 && x.replace('a', 'b') == 'bbc'))",
    "self.texts.all(x, x in self.texts && self.texts.isSorted() && self.texts == self.texts)",
    "self.objects.all(x, self.objects.all(y, has(x.k) && !has(x.o) && x.k == y.k))",
    "self.objects.all(x, self.objects.all(y, x.n == 2 || x.k.startsWith('a')))",
    "self.objects.all(x, self.objects.all(y, (x.n == 1 ? x : y).k == 'abc'))",
    "self.objects.all(x, self.objects.all(y, (x.n == 1 ? x.k : y.k) == 'abc' && (x.n == 1 ? 'a' : x.k) == 'a'))",
    "self.objects.all(x, self.objects.all(y, !has(x.o) || x.o == y.o))",
    "self.objects.all(x, self.objects.all(y, (has(x.o) ? x.o : 'd') == 'd' && x == y))",
    "self.objects.all(x, self.objects.map(z, z.n)[0] == 1 || x.n == 3)",
    "self.either.all(x, self.either.all(y, x == y && (type(x) == int || y == 'a')))",
    "self.map.all(x, self.map.all(y, self.map[x] == 1 || y == ''))",
    "self.map.all(x, x in self.map && self.map.map(y, self.map[y]).size() > 0)",
    // Selections of optional values.
    "self.objects.all(x, x.?k.orValue('') == 'abc' && x.?o.orValue('d') == 'd' && !x.?o.hasValue())",
    "self.map.all(k, self.map[?k].hasValue() && !self.?map['none'].hasValue())",
    "self.ints[?9].or(self.ints[?0]).orValue(2) == 1 && self.?ints[0].hasValue()",
    "self.objects.all(x, x.?k.optMap(k, k + 'd').value() == 'abcd' && (x.n == 1 ? x.?k : x.?o).hasValue())",
    "self.map.exists(k, self.map[k] == 2) || self.map.all(k, v, k != '' && v == 1)",
    // Functions of libraries.
    "self.texts.all(x, x.split('b').size() == 2 && x.lastIndexOf('c') == 2 && x.indexOf('d') == -1)",
    "self.ints.sum() == 3 && self.ints.min() == 1 && self.ints.isSorted()",
    "sets.contains(self.ints, [1]) && sets.equivalent(self.ints, [1]) && sets.intersects([1, 2], self.ints)",
    "self.ints.distinct().size() == 1 && self.ints.sort().size() == 3 && self.texts.reverse().size() == 3",
    "self.ints.sortBy(x, -x).size() == 3 && [[1], [2]].flatten().size() == 2",
    "isQuantity('1Gi') && quantity('1Gi').isGreaterThan(quantity('1Mi')) && isIP('1.1.1.1')",
];

fn typed(type_: &'static str) -> Schema {
    SchemaProps { type_: Some(type_.into()), ..Schema::default() }
}

fn list(items: Schema) -> Schema {
    SchemaProps { items: Some(Items::Schema(Box::new(items))), max_items: Some(9), ..typed("array") }
}

fn object(fields: Vec<(&'static str, Schema)>) -> Schema {
    let fields = fields.into_iter().map(|(name, schema)| (name.into(), schema));
    SchemaProps { properties: Some(fields.collect()), ..typed("object") }
}

fn schema() -> Schema {
    let text = || SchemaProps { max_length: Some(9), ..typed("string") };
    let values = Some(AdditionalProperties::Schema(Box::new(typed("integer"))));
    object(vec![
        ("ints", list(typed("integer"))),
        ("texts", list(text())),
        ("objects", list(object(vec![("k", text()), ("n", typed("integer")), ("o", text())]))),
        ("either", list(SchemaProps { int_or_string: true, max_length: Some(9), ..Schema::default() })),
        ("map", SchemaProps { additional_properties: values, max_properties: Some(9), ..typed("object") }),
    ])
}

fn value() -> Json<'static> {
    let text = |text: &'static str| Json::String(text.into());
    let object = || Json::Object(vec![("k".into(), text("abc")), ("n".into(), Json::Integer(1))]);
    let map = ["k1", "k2", "k3"].map(|name| (name.into(), Json::Integer(1)));
    Json::Object(vec![
        ("ints".into(), Json::Array(vec![Json::Integer(1); 3])),
        ("texts".into(), Json::Array(vec![text("abc"); 3])),
        ("objects".into(), Json::Array(vec![object(), object(), object()])),
        ("either".into(), Json::Array(vec![Json::Integer(1); 3])),
        ("map".into(), Json::Object(map.into())),
    ])
}

/// Returns the server's costs and results of rules.
fn server_costs(schema: &Schema, value: &Json<'_>, rules: &[String]) -> Option<Vec<(u64, String)>> {
    let query = |rule: &String| vec!["costs".into(), schema_json(schema).to_string(), value.to_string(), rule.clone()];
    let queries: Vec<_> = rules.iter().map(query).collect();
    let read = |response: String| {
        let (cost, result) = response.split_once('\t').expect("a cost and a result");
        (cost.parse().unwrap_or_else(|_| panic!("{response}")), result.to_owned())
    };
    Some(responses(&queries)?.into_iter().map(read).collect())
}

fn evaluate(scope: &RuleScope, value: &Json<'_>, rule: &str) -> Evaluation {
    let program = scope.program(rule, false).unwrap_or_else(|error| panic!("{rule}: {error:?}"));
    program.evaluate(value, Some(value), u64::MAX)
}

#[test]
fn rules_cost_what_the_server_counts() {
    let (schema, value) = (schema(), value());
    let rules: Vec<_> = EXACT.iter().map(|rule| (*rule).to_owned()).collect();
    let Some(responses) = server_costs(&schema, &value, &rules) else {
        return;
    };
    let scope = RuleScope::of(&schema, false).unwrap();
    let mut wrong = Vec::new();
    for (rule, response) in rules.iter().zip(responses) {
        let cost = evaluate(&scope, &value, rule).cost;
        if response != (cost, "true".to_owned()) {
            wrong.push(format!("{rule}: we: {cost}, it: {response:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), EXACT.len(), wrong.join("\n"));
}

const RULES: u64 = 3_000;

/// A random expression of a type.
fn expression(random: &mut Random, type_: char, vars: &[(String, char)], depth: usize) -> String {
    let known: Vec<_> = vars.iter().filter(|(_, its)| *its == type_).map(|(name, _)| name.clone()).collect();
    if !known.is_empty() && random.once_in(2) {
        return random.choose(&known).clone();
    }
    if depth == 0 {
        let leaves: &[&str] = match type_ {
            'b' => &["true", "false", "has(self.map)", "has(self.objects[0].o)"],
            'i' => &["1", "0", "self.ints[0]", "self.map['k1']", "self.objects[1].n", "int('2')"],
            's' => &["'abc'", "''", "self.texts[2]", "self.objects[0].k"],
            _ => &["[1, 2]", "self.ints", "[]", "[self.ints[1]]"],
        };
        return (*random.choose(leaves)).to_owned();
    }
    let (loops, nested) = (random.below(2) == 0, vars.len());
    let (range, var, item) = match random.below(3) {
        0 => (expression(random, 'l', vars, depth - 1), format!("v{nested}"), 'i'),
        1 => ("self.texts".to_owned(), format!("v{nested}"), 's'),
        _ => ("self.objects.map(o, o.n)".to_owned(), format!("v{nested}"), 'i'),
    };
    let mut inner = vars.to_vec();
    inner.push((var.clone(), item));
    let mut sub = |type_| expression(random, type_, vars, depth - 1);
    let (condition, number, other, text, part, list) = (sub('b'), sub('i'), sub('i'), sub('s'), sub('s'), sub('l'));
    let other_condition = sub('b');
    let body = expression(random, 'b', &inner, depth - 1);
    let mapped = expression(random, 'i', &inner, depth - 1);
    let choices = match type_ {
        'b' if loops => vec![
            format!("{range}.all({var}, {body})"),
            format!("{range}.exists({var}, {body})"),
            format!("{range}.exists_one({var}, {body})"),
        ],
        'b' => vec![
            format!("({condition} || {other_condition})"),
            format!("({condition} && {other_condition})"),
            format!("({condition} ? {other_condition} : {body})").replace(&body, &other_condition),
            format!("!({condition})"),
            format!("({number} == {other})"),
            format!("({number} < {other})"),
            format!("({text} != {part})"),
            format!("({text} <= {part})"),
            format!("{text}.startsWith({part})"),
            format!("{text}.contains({part})"),
            format!("{text}.matches('^a.*')"),
            format!("({number} in {list})"),
            format!("({number} in [1, 2])"),
            format!("({list} == {list})"),
        ],
        'i' => vec![
            format!("({condition} ? {number} : {other})"),
            format!("({number} + {other})"),
            format!("({number} - {other})"),
            format!("size({text})"),
            format!("{list}.size()"),
            format!("(-{number})").replace("--", "- -"),
            format!("self.ints[{number}]"),
        ],
        's' => vec![
            format!("({condition} ? {text} : {part})"),
            format!("({text} + {part})"),
            format!("{text}.upperAscii()"),
            format!("{text}.replace({part}, 'x')"),
        ],
        _ => vec![
            format!("{range}.map({var}, {mapped})"),
            format!("({list} + [{number}])"),
            format!("{list}.filter(f, f == {number})"),
            format!("({condition} ? {list} : [{number}])"),
        ],
    };
    random.choose(&choices).clone()
}

#[test]
fn random_rules_cost_what_the_server_counts() {
    let (schema, value) = (schema(), value());
    let scope = RuleScope::of(&schema, false).unwrap();
    let mut random = Random::new(seed());
    let mut rules = Vec::new();
    let count = cases(RULES);
    while rules.len() < count {
        let rule = expression(&mut random, 'b', &[], 3);
        if scope.compile_rule(&rule, false).is_ok() {
            rules.push(rule);
        }
    }
    let Some(responses) = server_costs(&schema, &value, &rules) else {
        return;
    };
    let (mut exact, mut total, mut wrong) = (0, 0, Vec::new());
    for (rule, (theirs, result)) in rules.iter().zip(responses) {
        let Evaluation { cost: ours, result: our_result } = evaluate(&scope, &value, rule);
        let our_result = our_result.map_or_else(|_| "error".to_owned(), |is_true| is_true.to_string());
        if our_result != result {
            wrong.push(format!("{rule}: we: {our_result}, it: {result}"));
        }
        total += 1;
        exact += usize::from(ours == theirs);
        // The order of a map is random, so that a loop over it may end later.
        if ours > theirs {
            wrong.push(format!("{rule}: we: {ours}, it: {theirs}"));
        }
    }
    wrong.sort_by_key(String::len);
    println!("{exact} of {total} costs are exact");
    assert!(wrong.is_empty(), "{} of {total} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    assert!(exact * 100 >= total * 99, "{exact} of {total} costs are exact");
}
