use alloc::{format, string::ToString};

use super::{Ast, ErrorKind, parse};

fn is_match(pattern: &str, text: &str) -> bool {
    parse(pattern).expect(pattern).matcher().is_match(text)
}

#[test]
fn what_is_read() {
    for pattern in [
        "",
        "^[a-z]([-a-z0-9]*[a-z0-9])?$",
        r"^\d{1,1000}$",
        "[]a]",
        r"[^]\]a(]",
        "[[:alpha:]()]",
        r"\Q(((\E",
        "(?P<name>a)(?<name>b)(?i:c)",
        "a{,2}",
        "a{b}",
        r"\(\[\)é\z",
        r"\pL\p{^Greek}\P{Uppercase_Letter}",
        r"[a-z&&[^b]]",
        r"\b{start}",
        "^*",
        "(?P<n>a)(?P<n>b)",
    ] {
        assert_eq!(parse(pattern).err(), None, "{pattern}");
    }
}

#[test]
fn what_is_refused() {
    use ErrorKind::*;
    for (pattern, kind, fragment, advice) in [
        ("(a", MissingParen, "(a", "not closed"),
        ("a)", UnexpectedParen, "a)", "has no `(`"),
        ("x[a", MissingBracket, "[a", "not closed"),
        ("a\\", TrailingBackslash, "", "ends in a backslash"),
        ("x(?=a)", InvalidPerlOp, "(?=", "lookaround"),
        ("(?<!a)", InvalidNamedCapture, "(?<!a)", "lookaround"),
        (r"(a)\1", InvalidEscape, r"\1", "backreference"),
        ("(?>a)", InvalidPerlOp, "(?>", "`(?:`"),
        ("(?x)a", InvalidPerlOp, "(?x", "flag `x`"),
        ("a{1001}", InvalidRepeatSize, "{1001}", "1000"),
        ("(a{100}){11}", InvalidRepeatSize, "{11}", "1000"),
        ("a{2,1}", InvalidRepeatSize, "{2,1}", "smaller number first"),
        ("a++", InvalidRepeatOp, "++", "remove the last"),
        ("a**", InvalidRepeatOp, "**", "(?:...)"),
        ("|*", MissingRepeatArgument, "*", r"\*"),
        (r"a\Z", InvalidEscape, r"\Z", r"\z"),
        (r"\u0041", InvalidEscape, r"\u", r"\x{41}"),
        (r"\C", InvalidEscape, r"\C", "whole characters"),
        ("[b-a]", InvalidCharRange, "b-a", "smaller character first"),
        (r"\p{Script=Greek}", InvalidCharRange, r"\p{Script=Greek}", r"`\p{Greek}`"),
        (r"\p{Old_Italic}", InvalidCharRange, r"\p{Old_Italic}", "one word"),
        ("[[:abc:]]", InvalidCharRange, "[:abc:]", "[:alpha:]"),
    ] {
        let found = parse(pattern).expect_err(pattern);
        assert_eq!((found.kind(), found.fragment()), (kind, fragment), "{pattern}");
        assert!(found.to_string().contains(advice), "{pattern}: {found}");
    }
}

#[test]
fn limits() {
    let deep = |depth| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
    let kind = |pattern: &str| parse(pattern).err().map(|error| error.kind());
    assert_eq!(kind(&deep(999)), None);
    assert_eq!(kind(&deep(1001)), Some(ErrorKind::NestingDepth));
    let large = |count| format!("(?:{}){{1000}}", "[ab]".repeat(count));
    assert_eq!(kind(&large(3000)), None);
    assert_eq!(kind(&large(4000)), Some(ErrorKind::Large));
}

#[test]
fn texts_match_or_do_not() {
    for (pattern, matching, other) in [
        ("b", &["b", "abc"][..], &["", "ac"][..]),
        ("^a+$", &["a", "aaa"], &["", "ab", "ba", "a\n"]),
        (r"^\d{4}-\d{2}$", &["2030-01"], &["203-01", "2030-011"]),
        ("^(Low|High)$", &["Low", "High"], &["low", "LowHigh"]),
        ("^a|b$", &["ax", "xb"], &["xa", "bx"]),
        (r"^[^a-c\]]?$", &["", "d"], &["a", "]", "dd"]),
        ("^(a?){3}b*?$", &["", "aaab"], &["aaaa"]),
        ("^(?:a|(?P<x>b)){1,2}$", &["a", "ab"], &["", "aba"]),
        ("^.$", &["ß"], &["\n", ""]),
        ("(?s)^.$", &["\n"], &["ab"]),
        ("(?m)^b$", &["b", "a\nb\nc"], &["ab", "b "]),
        (r"\bword\b", &["a word!", "word"], &["words", "sword"]),
        (r"a\Bb", &["ab"], &["a b"]),
        ("(?i)straße", &["STRAßE", "ſtraßE"], &["STRASSE"]),
        (r"^\p{Greek}+$", &["αβγ"], &["abc", ""]),
        ("[[:^alpha:]]", &["a1"], &["abc"]),
        ("^(a*)*$", &["", "aaa"], &["b"]),
        (r"[^\x00-\x{10FFFF}]", &[], &["", "a"]),
    ] {
        for text in matching {
            assert!(is_match(pattern, text), "{pattern} {text}");
        }
        for text in other {
            assert!(!is_match(pattern, text), "{pattern} {text}");
        }
    }
}

#[test]
fn time_is_linear() {
    let pattern = format!("^{}{}$", "a?".repeat(100), "a".repeat(100));
    assert!(is_match(&pattern, &"a".repeat(100)));
    assert!(!is_match("^(a|a)*$", &format!("{}b", "a".repeat(10_000))));
}

#[test]
fn alternatives_share_their_start() {
    let Ok(Ast::Concat(parts)) = parse("abc|abd") else {
        panic!("it is no sequence");
    };
    assert_eq!(parts.len(), 2);
}
