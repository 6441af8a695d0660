//! How many of the rules in the folder `cel` that the server refuses are refused by the compiler: by a derive, which knows the
//! fields of its struct, or in const evaluation, which knows the constant schemas.

use crdkit::{
    __private::check::{cel, keyword::Subject},
    render::render_schema,
    schema::{Field, Keyword, Schema},
};
use crdkit_core::{
    cel::RuleScope,
    rules::cel::{message_type_steps, optional_old_self_applies, rule_type_steps},
    schema::ValidationRule,
};
use crdkit_tests::{case_count, number};
use serde_json::Value;

use crate::{
    base, comparison,
    corpus::cases,
    random::{Rng, ruled, written},
    verdicts::is_refused,
};

/// The number of random rules.
const RULES: u64 = 1_000;

/// The rules about names and types, and about `optionalOldSelf`.
const TYPES: [&str; 4] = ["C10", "C11", "C12", "C18"];

/// The greatest number of steps in a rule of the corpus.
const STEPS: usize = 1024;

const TEXT: Schema = Schema::string().with(&[Keyword::max_length(20)]);
const SHORT_TEXT: Schema = Schema::string().with(&[Keyword::max_length(5)]);
const INTEGER: Schema = Schema::integer();
const NUMBER: Schema = Schema::number();
const BOOLEAN: Schema = Schema::boolean();
const INT_OR_STRING: Schema = Schema::int_or_string().with(&[Keyword::max_length(20)]);
const SHORT_INT_OR_STRING: Schema = Schema::int_or_string().with(&[Keyword::max_length(9)]);
const ENUM: Schema =
    Schema::enumeration(&[crdkit::schema::UnitVariant::new("a"), crdkit::schema::UnitVariant::new("b")]);
const BYTES: Schema = Schema::string().with(&[Keyword::Format("byte"), Keyword::max_length(20)]);
const SHORT_BYTES: Schema = Schema::string().with(&[Keyword::Format("byte"), Keyword::max_length(9)]);
const DATE_TIME: Schema = Schema::string().with(&[Keyword::Format("date-time")]);
const DATE: Schema = Schema::string().with(&[Keyword::Format("date")]);
const DURATION: Schema = Schema::string().with(&[Keyword::Format("duration")]);
const NO_TIME: Schema = Schema::string().with(&[Keyword::Format("datetime")]);
const IP: Schema = Schema::string().with(&[Keyword::Format("ipv4"), Keyword::max_length(20)]);
const ANY: Schema = Schema::any().with(&[Keyword::Nullable(false)]);
const INNER: Schema = Schema::object(&[optional("s", &TEXT)]).named("Inner");
const PART: Schema =
    Schema::object(&[optional("s", &TEXT), optional("i", &INTEGER), optional("o", &INNER)]).named("Part");
const EMPTY: Schema = Schema::object(&[]).named("Empty");
const OPEN: Schema = INNER.with(&[Keyword::PreserveUnknownFields]);
const RESOURCE: Schema = Schema::any().with(&[Keyword::EmbeddedResource]);

macro_rules! lists_and_maps {
    ($($list:ident $map:ident of $inner:ident;)*) => {$(
        const $list: Schema = Schema::list(&$inner).with(&[Keyword::MaxSize(5)]);
        const $map: Schema = Schema::map(&$inner).with(&[Keyword::MaxSize(5)]);
    )*};
}
lists_and_maps! {
    TEXTS TEXT_MAP of TEXT;
    INTEGERS INTEGER_MAP of INTEGER;
    NUMBERS _NUMBER_MAP of NUMBER;
    PARTS PART_MAP of PART;
    BOOLEANS _BOOLEAN_MAP of BOOLEAN;
    DATE_TIMES _DATE_TIME_MAP of DATE_TIME;
    BYTES_LIST _BYTES_MAP of SHORT_BYTES;
    LISTS LIST_MAP of TEXTS;
    INTS_OR_STRINGS _INT_OR_STRING_MAP of SHORT_INT_OR_STRING;
    ANYS ANY_MAP of ANY;
}

/// The object that the rules of the corpus are about.
const RULED: Schema = Schema::object(&[
    optional("s", &TEXT),
    optional("t", &TEXT),
    optional("i", &INTEGER),
    optional("j", &INTEGER),
    optional("n", &NUMBER),
    optional("b", &BOOLEAN),
    optional("x", &INT_OR_STRING),
    optional("e", &ENUM),
    optional("nul", &SHORT_TEXT).with(&[Keyword::Nullable(true)]),
    optional("by", &BYTES),
    optional("dt", &DATE_TIME),
    optional("d", &DATE),
    optional("du", &DURATION),
    optional("datetime", &NO_TIME),
    optional("ip", &IP),
    optional("ss", &TEXTS),
    optional("is", &INTEGERS),
    optional("ns", &NUMBERS),
    optional("os", &PARTS),
    optional("bs", &BOOLEANS),
    optional("dts", &DATE_TIMES),
    optional("bys", &BYTES_LIST),
    optional("ll", &LISTS),
    optional("xs", &INTS_OR_STRINGS),
    optional("mi", &INTEGER_MAP),
    optional("ms", &TEXT_MAP),
    optional("mo", &PART_MAP),
    optional("ml", &LIST_MAP),
    optional("o", &PART),
    optional("p", &PART),
    optional("empty", &EMPTY),
    optional("any", &ANY),
    optional("anys", &ANYS),
    optional("anym", &ANY_MAP),
    optional("pu", &OPEN),
    optional("er", &RESOURCE),
    optional("a-b", &TEXT),
    optional("a.b", &TEXT),
    optional("a/b", &TEXT),
    optional("a__b", &TEXT),
    optional("a b", &TEXT),
    optional("1a", &TEXT),
    optional("_x", &TEXT),
    optional("__y", &TEXT),
    optional("namespace", &TEXT),
    optional("in", &TEXT),
    optional("true", &TEXT),
    optional("if", &TEXT),
    optional("self", &TEXT),
    optional("oldSelf", &TEXT),
    optional("é", &TEXT),
])
.named("Ruled");

const fn optional(name: &'static str, schema: &'static Schema) -> Field {
    Field::new(name, schema).optional()
}

/// What the compiler reports about the rule of a definition.
fn compile_error(crd: &Value) -> Option<String> {
    let rule = &written(crd)[0];
    let text = |key: &str| rule[key].as_str().map(Into::into);
    let rule = ValidationRule {
        rule: text("rule").unwrap_or_default(),
        message_expression: text("messageExpression"),
        optional_old_self: rule["optionalOldSelf"].as_bool(),
        ..ValidationRule::default()
    };
    if let Some(is_optional) = rule.optional_old_self
        && let Err(violation) = optional_old_self_applies(&rule.rule, is_optional)
    {
        return Some(violation.message.to_string());
    }
    let fields = base::of_the_rule();
    [RuleScope::unknown(), RuleScope::with_fields(fields.keys().map(String::as_str))]
        .iter()
        .find_map(|scope| derive_error(scope, &rule))
        .or_else(|| const_error(&rule))
}

fn derive_error(scope: &RuleScope, rule: &ValidationRule<'_>) -> Option<String> {
    let mut found = None;
    let report = &mut |violation: &crdkit_core::Violation<'_>| found = Some(violation.message.to_string());
    rule_type_steps(scope, rule, report);
    message_type_steps(scope, rule, report);
    found
}

fn const_error(rule: &ValidationRule<'_>) -> Option<String> {
    let scope = RuleScope::unknown();
    let message = rule.message_expression.as_deref().unwrap_or_default();
    let parts = [
        ("the rule", &*rule.rule, rule_type_steps(&scope, rule, &mut |_| ())),
        ("the message expression", message, message_type_steps(&scope, rule, &mut |_| ())),
    ];
    parts.iter().find_map(|(what, source, steps)| {
        let checked = cel::types::<STEPS>(&Subject::of_type(&RULED, &[]), cel::Expression { what, source }, steps);
        checked.err().map(|message| message.as_str().to_owned())
    })
}

#[test]
fn the_constant_schema_is_that_of_the_corpus() {
    let rendered = serde_json::to_value(render_schema(&RULED).expect("it can be rendered")).expect("JSON");
    let fields = rendered["properties"].as_object().expect("an object has fields");
    let expected = base::of_the_rule();
    let different = expected.iter().filter(|(name, schema)| fields.get(*name) != Some(schema));
    let differences: Vec<_> = different.map(|(name, schema)| (name, fields.get(name), schema)).collect();
    assert!(differences.is_empty() && fields.len() == expected.len(), "{differences:#?}");
}

#[test]
fn no_rule_that_the_server_accepts_is_a_compile_error() {
    let accepted = cases("cel").into_iter().filter(|case| case.place == "rule" && !is_refused(case));
    let wrong: Vec<_> =
        accepted.filter_map(|case| Some(format!("{}\n{}", case.text, compile_error(&case.crd)?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_random_rule_that_the_server_accepts_is_a_compile_error() {
    let count: u64 = case_count("CRDKIT_RANDOM_RULES", RULES);
    let mut rng = Rng::new(number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1));
    let (mut accepted, mut wrong) = (0, Vec::new());
    for _ in 0..count {
        let crd = ruled(&mut rng, 1);
        if comparison::ours(&crd).iter().any(|it| TYPES.contains(&it.rule)) {
            continue;
        }
        accepted += 1;
        wrong.extend(compile_error(&crd).map(|error| format!("{}\n{error}", written(&crd))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted > count / 10, "only {accepted} of {count} rules are accepted");
}

/// Rules whose refusal takes more than constant schemas: estimates of their cost, and the places of objects in the finished
/// schema, by which the server compares their types. They are left to the generated test.
#[test]
fn nine_of_ten_rules_that_the_server_refuses_are_compile_errors() {
    let refused: Vec<_> = cases("cel").into_iter().filter(|case| case.place == "rule" && is_refused(case)).collect();
    let left: Vec<_> =
        refused.iter().filter(|case| compile_error(&case.crd).is_none()).map(|case| &*case.text).collect();
    let found = refused.len() - left.len();
    println!("{found} of {} rules are compile errors; the others:\n{}", refused.len(), left.join("\n"));
    assert!(found * 10 >= refused.len() * 9, "only {found} of {} are compile errors", refused.len());
}
