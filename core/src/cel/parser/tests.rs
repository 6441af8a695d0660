use alloc::string::String;

use super::*;

fn error(source: &str) -> String {
    match parse(source) {
        Ok(_) => String::new(),
        Err(errors) => format!("{}: {}", errors[0].at, errors[0].message),
    }
}

#[test]
fn expressions() {
    for source in [
        "self.a == oldSelf.a",
        "self.?a.orValue(1) > 0 && self.list[?0].hasValue() && {?'a': self.?a} == {}",
        "!!a || --b - -1 > -(-2) || !-1",
        "a ? b : c ? d : e",
        "[1, ?a,] == [,] && {,} == {'a': 1,} && Foo.Bar{a: 1, ?b: 2,} == Foo{}",
        "-9223372036854775808 < 18446744073709551615u && -0x1F > .5e1",
        "self.namespace.if.f(x)",
        ".a.b(.c)",
        "a in b in c",
    ] {
        assert_eq!(error(source), "", "{source}");
    }
}

#[test]
fn mistakes_that_are_no_syntax_are_all_reported() {
    let messages = |source| {
        let errors = parse(source).err().expect("there are errors");
        errors.into_iter().map(|it| format!("{}: {}", it.at, it.message)).collect::<Vec<_>>()
    };
    let quantifier = "argument must be a simple name";
    assert_eq!(
        messages("l.all(1, has(a)) && l.all(x, x, if) && 99999999999999999999 > var(has(1))"),
        [
            "13: invalid argument to has() macro",
            &format!("6: {quantifier}"),
            "32: reserved identifier: if",
            "29: duplicate variable name: x",
            "39: invalid int literal",
            "62: reserved identifier: var"
        ]
    );
    assert_eq!(messages("has(l.all(1, true))"), [&format!("10: {quantifier}"), "10: invalid argument to has() macro"]);
    assert_eq!(messages("has(a) || >").len(), 2);
}

#[test]
fn mistakes() {
    for (source, at) in [
        ("", "0: Syntax error: mismatched input '<EOF>'"),
        ("a &&", "4: Syntax error: mismatched input '<EOF>'"),
        ("a > > 1", "4: Syntax error: extraneous input '>'"),
        ("(a", "2: Syntax error: missing ')' at '<EOF>'"),
        ("a b", "2: Syntax error: extraneous input 'b' expecting <EOF>"),
        ("if", "0: reserved identifier: if"),
        ("a.in", "2: Syntax error: no viable alternative at input '.in'"),
        ("a.`b`(1)", "5: Syntax error: mismatched input '('"),
        ("9223372036854775808", "0: invalid int literal"),
        ("-18446744073709551616u", "1: invalid uint literal"),
        ("1e999", "0: invalid double literal"),
        ("-!a", "1: Syntax error"),
        ("a?.b", "4: Syntax error"),
        ("has(a)", "4: invalid argument to has() macro"),
        ("f(a,)", "4: Syntax error"),
        ("'\\ud800'", "0: invalid unicode code point"),
    ] {
        assert!(error(source).starts_with(at), "{source}: {}", error(source));
    }
}

#[test]
fn depth() {
    let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(error(&nested(249)), "");
    assert!(error(&nested(250)).contains("recursion limit"));
    let fields = |count: usize| format!("a{}", ".b".repeat(count));
    assert_eq!(error(&fields(250)), "");
    assert!(error(&fields(251)).contains("recursion depth"));
    assert_eq!(error(&["a"; 1000].join(" || ")), "");
    assert!(error(&["1"; 252].join(" + ")).contains("recursion depth"));
    assert!(error(&"a".repeat(100_001)).contains("size: 100001, limit 100000"));
}

#[test]
fn macros_on_macros() {
    let chain = |count: usize| format!("a{}", ".optMap(x, x)".repeat(count));
    assert_eq!(error(&chain(8)), "");
    assert!(error(&chain(60)).contains("expand to more expressions"));
}
