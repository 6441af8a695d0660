use crdkit_core::cel::RuleScope;

use super::*;
use crate::schema::{Field, Keyword, Literal, Schema, Tagging, UnitVariant, Variant};

const TEXT: Schema = Schema::string();
const NUMBER: Schema = Schema::integer();
const FRACTION: Schema = Schema::number();
const TIME: Schema = Schema::string().with(&[Keyword::Format("date-time")]);
const ANY: Schema = Schema::any();
const TEXTS: Schema = Schema::list(&TEXT);
const PART: Schema = Schema::object(&[Field::new("size", &NUMBER), Field::new("name", &TEXT)]).named("Part");
const PARTS: Schema = Schema::list(&PART);
const PART_MAP: Schema = Schema::map(&PARTS);
const PATCHED: Schema = PART.with(&[Keyword::Patch(|| serde_json::json!({}))]);
const OPEN: Schema = PART.with(&[Keyword::PreserveUnknownFields]);
const TAGGED: Schema = Schema::one_of(
    Tagging::Internal("kind"),
    &[Variant::new("part").with(&PART), Variant::new("time").with(&Schema::object(&[Field::new("name", &TIME)]))],
);
const KEYS: Schema = Schema::enumeration(&[UnitVariant::new("one")]);
const ITSELF: Schema = Schema::object(&[
    Field::new("text", &TEXT),
    Field::new("number", &NUMBER).with(&[Keyword::DefaultLiteral(Literal::Integer(1))]),
    Field::new("fraction", &FRACTION),
    Field::new("time", &TIME),
    Field::new("texts", &TEXTS),
    Field::new("parts", &PARTS),
    Field::new("map", &PART_MAP),
    Field::new("named", &Schema::map(&NUMBER).keyed_by(&KEYS)),
    Field::new("any", &ANY),
    Field::new("either", &Schema::int_or_string()),
    Field::new("patched", &PATCHED),
    Field::new("open", &OPEN),
    Field::new("tagged", &TAGGED),
    Field::new("tuple", &Schema::tuple(&[&NUMBER, &FRACTION])),
    Field::new("a-b", &TEXT),
    Field::new("namespace", &TEXT),
    Field::flattened(&Schema::object(&[Field::new("flat", &NUMBER)])),
])
.named("Itself");

#[track_caller]
fn error_of(source: &str, result: Scalar) -> String {
    let steps = RuleScope::unknown().type_steps(source, false, result).expect("it compiles for some schema");
    let expression = Expression { what: "the rule", source };
    match types::<64>(&Subject::of_type(&ITSELF, &[]), expression, &steps) {
        Ok(()) => String::new(),
        Err(message) => message.as_str().to_owned(),
    }
}

#[test]
fn rules_with_the_right_types() {
    for source in [
        "self.text != '' && self.number > 1 && self.fraction > 1 && self.flat == 1",
        "self.parts.all(it, it.size > 0 && it.name.matches('a'))",
        "self.parts.exists_one(at, it, at > 0 && it.name == '')",
        "self.map.all(key, key != '' && self.map[key].all(it, it.size > 0))",
        "self.map['a'][0].size == 1 && self.map.a[0].size == 1",
        "self.parts.map(it, it.name) == self.texts && self.parts.filter(it, it.size > 1).size() == 0",
        "self.?parts.hasValue() && self.parts[?0].?name.orValue('') == ''",
        "self.time < timestamp('2024-01-01T00:00:00Z') && self.time != null",
        "has(self.text) ? self.number == oldSelf.number : self.texts == []",
        "self.a__dash__b == self.__namespace__ && self.namespace == ''",
        "self.text in ['a', self.text] && 'a' in self.map && self.number in [1, self.flat]",
        "self.tagged.kind == 'part' && self.tagged.size == 1 && self.tagged.name == self.time",
        "self.open.other == 1 && self.patched.other == '' && self.either == 1 && self.either == 'a'",
        "self.tuple[0] == 1 && self.tuple[1] == 1.5",
        "self.parts == self.parts && self.parts[0] != self.parts[1] && type(self.text) == string",
        "size(self.text) + self.texts.size() + self.map.size() > 0 && double(self.number) < self.fraction",
        "self.parts.sortBy(it, it.size)[0].name == self.texts.join('')",
        "self.named.one == 1 && self.named.other == 'a'",
        "'%s %d'.format([self.text, self.number]) == ''",
        "optional.of(self.parts).optMap(parts, parts[0].size).orValue(1) > 0",
        "self.number > 0 ? self.text : ''",
    ] {
        let result = if source.ends_with(": ''") { Scalar::String } else { Scalar::Bool };
        assert_eq!(error_of(source, result), "", "{source}");
    }
}

#[track_caller]
fn check_error(source: &str, expected: &str) {
    let found = error_of(source, Scalar::Bool);
    assert!(found.contains(expected), "{source}: {found}");
}

#[test]
fn fields_that_do_not_exist() {
    check_error("self.txet == ''", "line 1, column 5: `Itself` has no field `txet`: did you mean `text`?");
    check_error("self.parts.all(it, it.sise > 0)", "`Part` has no field `sise`: did you mean `size`?");
    check_error("self.parts.exists(at, it, it.sise > at)", "`Part` has no field `sise`");
    check_error("self.map['a'][0].sise == 1", "`Part` has no field `sise`");
    check_error("self.?parts[?0].?sise.hasValue()", "`Part` has no field `sise`");
    check_error("has(self.parts[0].sise)", "`Part` has no field `sise`");
    check_error("self.number >= oldSelf.numbre", "`Itself` has no field `numbre`: did you mean `number`?");
    check_error("self.parts.size > 1", "a list has no field `size`: use an index, or a macro");
    check_error("self.text.size > 1", "a string has no field `size`");
    check_error("self.any.size > 1", "`any` can be any value and is therefore not visible to rules");
    check_error("self.tagged.other == 1", "has no field `other`");
}

#[test]
fn types_that_do_not_fit() {
    check_error("self.text == 1", "a string cannot be compared with an int: write a number as text, `'1'`");
    check_error("self.fraction == 1", "a double cannot be compared with an int: write the number with a fraction");
    check_error("self.text == null", "a string cannot be compared with a null: a null field is absent in CEL");
    check_error("self.parts[0] == 'a'", "the object `Part` cannot be compared with a string");
    check_error("self.number + 'a' == ''", "`+` cannot combine an int and a string");
    check_error("self.texts == 'a'", "found no matching overload for '_==_' applied to '(list(string), string)'");
    check_error("self.texts.all(it, it > 1)", "a string cannot be compared with an int");
    check_error("self.parts.map(it, it.size).all(it, it.matches('a'))", "applied to 'int.(string)': it is called as");
    check_error(
        "self.map.transformMap(key, parts, parts[0].size)['a'] == 'b'",
        "an int cannot be compared with a string",
    );
    check_error("self.parts.filter(it, it.size).size() == 1", "expected type 'bool' but found 'int'");
    check_error("self.number.matches('a')", "it is called as `string.matches(string)`");
    check_error("self.number.all(it, true)", "expression of type 'int' cannot be range of a comprehension");
    check_error("self.number && true", "expected type 'bool' but found 'int'");
    check_error("[self.text, self.number].size() == 2", "expected type 'string' but found 'int'");
    check_error("self.texts['a'] == ''", "found no matching overload for '_[_]' applied to '(list(string), string)'");
    check_error("self.?text.orValue(1) == ''", "applied to 'optional_type(string).(int)'");
    check_error("self.parts.max() == 1", "found no matching overload for 'max' applied to 'list(Part).()'");
}

#[test]
fn results_of_other_types() {
    check_error("self.number", "the rule `self.number` evaluates to the type `int`: write an expression");
    check_error("self.texts", "evaluates to the type `list(string)`");
    let message = error_of("self.number", Scalar::String);
    assert!(message.ends_with("write one that evaluates to a string, such as `string(...)`"), "{message}");
}

#[test]
fn an_error_is_marked_on_its_line() {
    let message = error_of("self.text == 'é' ||\nself.txet == 'é' && self.txet == ''", Scalar::Bool);
    assert_eq!(
        message,
        "the rule does not compile, at line 2, column 5: `Itself` has no field `txet`: did you mean `text`?\n | \
         self.txet == 'é' && self.txet == ''\n | ....^"
    );
    let long = format!("self.txet == '{}'", "a".repeat(300));
    assert!(error_of(&long, Scalar::Bool).ends_with("did you mean `text`?"));
}
