use alloc::{borrow::Cow, boxed::Box, format, vec, vec::Vec};

use super::*;
use crate::schema::Items;

fn typed(type_: &str) -> SchemaProps<'_> {
    SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() }
}

fn value() -> RuleScope {
    let strings = SchemaProps { items: Some(Items::Schema(Box::new(typed("string")))), ..typed("array") };
    let date = SchemaProps { format: Some("date-time".into()), ..typed("string") };
    let properties: Vec<(Cow<'_, str>, _)> = vec![
        ("int".into(), typed("integer")),
        ("str".into(), typed("string")),
        ("strs".into(), strings),
        ("time".into(), date),
        ("namespace".into(), typed("string")),
        ("a-b".into(), typed("string")),
    ];
    let schema = SchemaProps { properties: Some(properties), ..typed("object") };
    RuleScope::of(&schema, false).unwrap()
}

fn fault(source: &str) -> String {
    match value().compile_rule(source, false) {
        Ok(_) => String::new(),
        Err(CompileError::Invalid(errors)) => errors[0].message.clone(),
        Err(CompileError::ServerPanic(error)) => format!("crash: {}", error.message),
        Err(CompileError::ConstantEvaluation(error)) => format!("constant: {}", error.message),
        Err(CompileError::WrongResultType(found)) => format!("gives {found}"),
    }
}

#[test]
fn rules_that_compile() {
    for source in [
        "self.int > 1 && self.str.startsWith('a')",
        "self.strs.all(it, it != '') || self.strs.exists(i, v, i > 0 && v == '')",
        "self.strs.map(it, it.size()).sum() < 10",
        "self.__namespace__ == self.namespace && self.a__dash__b != ''",
        "has(self.int) ? self.int == oldSelf.int : true",
        "self.?str.orValue('') == '' && self.?int.hasValue()",
        "self.time < timestamp('2024-01-01T00:00:00Z') + duration('1h')",
        "[1, 2].exists(it, it == self.int) && self.int in [1, 2]",
        "type(self.int) == int && type(self) != string",
        "quantity('1Gi').isGreaterThan(quantity(self.str))",
        "format.dns1123Label().validate(self.str).hasValue()",
        "ip.isCanonical('1.1.1.1') && isIP(self.str) && cidr('1.1.1.0/24').containsIP(self.str)",
        "self.strs.sortBy(it, it.size())[0] == '' && sets.contains(self.strs, ['a'])",
        "self.strs.transformMap(i, v, v == '').size() == 0",
        "optional.of(self.int).optMap(it, it + 1).value() > 0",
        "google.protobuf.Timestamp{seconds: 1} < self.time && google.protobuf.Int64Value{value: 1} == 1",
        "dyn(self.int) == 'a' && {'a': 1}['a'] == 1 && [] == self.strs",
    ] {
        assert_eq!(fault(source), "", "{source}");
    }
}

#[test]
fn rules_that_do_not() {
    for (source, expected) in [
        ("self.foo == 'a'", "undefined field 'foo'"),
        ("foo == 'a'", "undeclared reference to 'foo' (in container '')"),
        ("self.int == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"),
        ("self.str.startsWith(1)", "found no matching overload for 'startsWith' applied to 'string.(int)'"),
        ("self.int", "gives int"),
        ("self.int && true", "expected type 'bool' but found 'int'"),
        ("[1, 'a'].size() > 0", "expected type 'int' but found 'string'"),
        ("[1].includes(1)", "undeclared reference to 'includes' (in container '')"),
        ("self.int.foo == 1", "type 'int' does not support field selection"),
        (
            "self.int.all(it, true)",
            "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("duration('1 hour') > self.time - self.time", "invalid duration argument"),
        ("int('a') > 1", "constant: type conversion error from 'string' to 'int'"),
        ("[?dyn(1)].size() > 0", "crash: the server panics on an optional value of the type `dyn`"),
        ("{b'a': 1}.size() > 0", "crash: the server panics on bytes as a map key"),
        (
            "google.protobuf.Duration{seconds: '1'} > duration('1s')",
            "expected type of field 'seconds' is 'int' but provided type is 'string'",
        ),
        ("google.protobuf.BoolValue{value: true}", "gives wrapper(bool)"),
    ] {
        assert_eq!(fault(source), expected, "{source}");
    }
}

#[test]
fn costs() {
    let cost = |source: &str| value().compile_rule(source, false).unwrap().cost;
    assert_eq!(cost("self.int == oldSelf.int"), 4);
    assert_eq!(cost("self.str == oldSelf.str"), 314_573 + 4);
    assert_eq!(cost("has(self.str)"), 1);
    let compiled = value().compile_rule("self.strs.all(it, it != self.str)", false).unwrap();
    let paths: Vec<_> = compiled.unbounded.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, [".strs", ".str", ".strs[]"]);
}
