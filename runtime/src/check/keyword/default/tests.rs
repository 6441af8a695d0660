use super::*;
use crate::schema::{Field, Schema, UnitVariant};

const PORT: Schema = Schema::integer().with(&[Keyword::minimum(1.0), Keyword::maximum(9.0)]);
const LONG: Schema = Schema::integer().with(&[Keyword::Format("int32")]);
const SHARE: Schema = Schema::number().with(&[Keyword::exclusive_minimum(0.0), Keyword::Enum(HALVES)]);
const HALVES: &[EnumValue] = &[EnumValue::Number(0.5), EnumValue::Integer(1)];
const NAME: Schema = Schema::string().with(&[Keyword::max_length(3), Keyword::min_length(1)]);
const PHASE: Schema = Schema::enumeration(&[UnitVariant::new("On"), UnitVariant::new("Off")]).named("Phase");
const NAMES: Schema = Schema::list(&NAME).with(&[Keyword::max_items(2)]);
const POINT: Schema =
    Schema::object(&[Field::new("x", &Schema::integer()).optional(), Field::new("y", &Schema::integer())])
        .named("Point");

#[track_caller]
fn check(schema: &'static Schema, literal: Literal, expected: &str) {
    let found = match default(Subject::of_type(schema, &[]), literal) {
        Ok(()) => String::new(),
        Err(message) => message.as_str().to_owned(),
    };
    assert!(found.contains(expected), "{found}");
    assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
}

#[test]
fn kinds() {
    const BOOLEAN: Schema = Schema::boolean();
    const ANY: Schema = Schema::any();
    check(&BOOLEAN, Literal::Boolean(true), "");
    check(&BOOLEAN, Literal::Text("true"), "the default is a string, but the value is a boolean");
    check(&PORT, Literal::Number(1.5), "the default is a number with a fraction, but the value is an integer");
    check(&PORT, Literal::Number(1e3), "the default is written as a float, but the value is an integer: write `1000`");
    check(&NAMES, Literal::Object, "the default is an object, but the value is a list");
    check(&ANY, Literal::Object, "");
}

#[test]
fn numbers() {
    check(&PORT, Literal::Integer(1), "");
    check(&PORT, Literal::Integer(0), "a number at least 1");
    check(&PORT, Literal::Integer(10), "a number at most 9");
    check(&LONG, Literal::Integer(2_147_483_647), "");
    check(&LONG, Literal::Integer(2_147_483_648), "a 32-bit integer");
    check(&SHARE, Literal::Number(0.5), "");
    check(&SHARE, Literal::Integer(1), "");
    check(&SHARE, Literal::Integer(0), "a number above 0");
    check(&SHARE, Literal::Number(0.75), "not one of the values");
}

#[test]
fn texts() {
    check(&NAME, Literal::Text("äöü"), "");
    check(&NAME, Literal::Text(""), "has 0 characters");
    check(&NAME, Literal::Text("äöüß"), "require at most 3");
    check(&PHASE, Literal::Text("On"), "");
    check(&PHASE, Literal::Text("on"), "`Phase` has no variant `on`");
}

#[test]
fn lists_and_objects() {
    const AB: Literal = Literal::List(&[Literal::Text("a"), Literal::Text("b")]);
    const NUMBERS: Literal = Literal::List(&[Literal::Integer(1)]);
    const LONG: Literal = Literal::List(&[Literal::Text("a"); 3]);
    const MAP: Schema = Schema::map(&NAME);
    check(&NAMES, AB, "");
    check(&NAMES, NUMBERS, "the default contains an integer, but the items are strings");
    check(&NAMES, LONG, "has 3 items");
    check(&MAP, Literal::Object, "");
    check(&POINT, Literal::Object, "not a valid `Point`: its field `y` is required");
}
