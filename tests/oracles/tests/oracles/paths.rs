use crdkit_core::literal::{
    field_path,
    json_path::{JsonPathStep, steps},
};
use crdkit_oracles::{Oracle, Random, cases, seed};

const PARTS: &[&str] = &[
    ".spec",
    ".a",
    ".b",
    ".a-b",
    r".a\.b",
    ".",
    "..",
    "...",
    "..a",
    "..*",
    ".*",
    "[*]",
    "[0]",
    "[-1]",
    "[1:2]",
    "[::2]",
    "[:]",
    "[]",
    "[0,1]",
    "[0, 2]",
    "['a','b']",
    "['a']",
    "['a.b']",
    r"['a\.b']",
    "[\"a\"]",
    "[a]",
    "[+1]",
    "[1:2:3:4]",
    "[-]",
    "[99999999999999999999]",
    "[1:99999999999999999999]",
    "[?(@.a)]",
    "[?(@.a==\"b\")]",
    "[?(@.a=='b')]",
    "[?(@.a>=1)]",
    "[?(@.a==)]",
    "[?(@.a=)]",
    "[?(=1)]",
    "[?(@.a!=\")\")]",
    "[?(@.a<1.5)]",
    "[?(@.b[0].c=='x')]",
    "[?(@.a==\"b)]",
    "[?(@.a]",
    "[?()]",
    "[?(@.a)x]",
    "[?(@.a==@.b)]",
    "[?(true)]",
    "@",
    "$",
    " ",
    "\t",
    "\n",
    "\r",
    "{",
    "}",
    "}{",
    "(",
    ")",
    "'",
    "\"",
    "'a'",
    "\"a\"",
    r"'\n'",
    r#""\q""#,
    r"'\''",
    r#""\u00e9""#,
    r#""\ud800""#,
    r#""\U0010FFFF""#,
    r#""\U00110000""#,
    r#""\777""#,
    r#""\101""#,
    r#""\x4""#,
    r#""\x41""#,
    r#""\"""#,
    r#""'""#,
    "\\",
    r"\ ",
    "+",
    "-",
    "1",
    "1.5",
    "1.",
    "+1",
    "-.5",
    "1.2.3",
    "٣",
    ".é",
    "é",
    "ª",
    "_",
    "x",
    "true",
    "false",
    "range",
    "end",
    "/",
    "=",
    "!",
    ",",
    "]",
    "[",
    "?",
    "*",
    "~",
    "☃",
    "\u{a0}",
];

fn path(random: &mut Random, parts: &[&str]) -> String {
    let mut path = String::new();
    for _ in 0..random.below(6) {
        path.push_str(random.pick(parts));
    }
    if random.once_in(2) { path } else { random.mutated(&path, parts) }
}

#[test]
fn random_json_paths() {
    let mut random = Random::new(seed());
    let mut new_query = |_| vec!["jsonpath".to_owned(), path(&mut random, PARTS)];
    let mut queries: Vec<Vec<String>> = (0..cases(100_000)).map(&mut new_query).collect();
    let number = |digits: usize| vec!["jsonpath".to_owned(), format!(" {}", "9".repeat(digits))];
    queries.extend((300..320).map(number));
    let Some(oracle) = Oracle::shared() else {
        return;
    };
    let mut read = 0;
    oracle.query(&queries, |query, expected| {
        let found = steps(&query[1]);
        assert_eq!(found.is_ok(), expected[0] == "ok", "{query:?}: {found:?}, {expected:?}");
        let Ok(found) = found else {
            return;
        };
        read += 1;
        let found: Vec<String> = found
            .into_iter()
            .map(|step| match step {
                JsonPathStep::Field(name) => format!(".{name}"),
                JsonPathStep::Items => "[]".to_owned(),
                JsonPathStep::Unknown => "?".to_owned(),
            })
            .collect();
        assert_eq!(found, expected[1..], "{query:?}");
    });
    println!("{} paths, {read} of which are read", queries.len());
}

const FIELDS: &[&str] = &[
    ".a",
    ".b",
    ".m",
    ".m.a",
    ".m.k",
    "['a']",
    "['a.b']",
    r"['it\'s']",
    ".a.b",
    ".m['k']",
    "['m']",
    ".c",
    ".l",
    ".l[0]",
    "[0]",
    ".",
    "..",
    "[",
    "]",
    "['",
    "']",
    "'",
    r"\",
    r"['\a\b\f\n\r\t\v\\']",
    r"['\d']",
    r"['\d\e']",
    "a",
    "''",
    "['']",
    " ",
    "\n",
    ".it's",
    ".'a",
    "é",
    ".m['é']",
    "['a'",
    "'a'",
];

/// Compares the errors of paths, with the schema of the oracle.
#[test]
fn random_field_paths() {
    let mut random = Random::new(seed());
    let queries: Vec<Vec<String>> = (0..cases(100_000).div_ceil(5))
        .map(|_| {
            let brackets = !random.once_in(4);
            let path = path(&mut random, FIELDS);
            vec!["field".to_owned(), brackets.to_string(), path]
        })
        .collect();
    let Some(oracle) = Oracle::shared() else {
        return;
    };
    let mut read = 0;
    oracle.query(&queries, |query, expected| {
        let [_, brackets, path] = query else {
            return;
        };
        let found = field_path::steps(path, brackets == "true");
        let response = &expected[1];
        // The server resolves fields while it parses: it does not parse what follows an unknown field.
        if expected[0] == "error" && response == "does not refer to a valid field" {
            return;
        }
        read += 1;
        match found {
            Ok(_) => assert_eq!(expected[0], "ok", "{query:?}: {response}"),
            Err(mistake) => assert_eq!(mistake.to_string(), *response, "{query:?}"),
        }
    });
    println!("{} paths, {read} of which are compared", queries.len());
}
