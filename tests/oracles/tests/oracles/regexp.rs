use crdkit_core::literal::regex::{Assertion, Ast, parse};
use crdkit_oracles::{Oracle, Random, cases, seed};

mod patterns;

/// The tree in the format of the oracle.
fn tree(ast: &Ast, out: &mut String) {
    let hexadecimal =
        |codes: &mut dyn Iterator<Item = u32>| -> String { codes.map(|code| format!(" {code:x}")).collect() };
    match ast {
        Ast::NoMatch => out.push_str("none"),
        Ast::Empty => out.push_str("empty"),
        Ast::Text { codes, any_case } => {
            out.push_str(if *any_case { "text~" } else { "text" });
            out.push_str(&hexadecimal(&mut codes.iter().copied()));
        }
        Ast::Class(ranges) => {
            out.push_str("class");
            let mut ends = ranges.iter().flat_map(|(lo, hi)| [*lo, *hi]);
            out.push_str(&hexadecimal(&mut ends));
        }
        Ast::NotNewline => out.push_str("line"),
        Ast::Any => out.push_str("any"),
        Ast::Assertion(place) => out.push_str(match place {
            Assertion::LineStart => "^",
            Assertion::LineEnd => "$",
            Assertion::Start => "A",
            Assertion::End => "z",
            Assertion::WordBoundary => "b",
            Assertion::NoWordBoundary => "B",
        }),
        Ast::Group(inner) => below("group", std::slice::from_ref(inner), out),
        Ast::Repeat(inner, min, max, _) => {
            let max = max.map_or(-1, i64::from);
            let name = format!("repeat {min} {max}");
            below(&name, std::slice::from_ref(inner), out);
        }
        Ast::Concat(nodes) => below("all", nodes, out),
        Ast::Alternate(nodes) => below("either", nodes, out),
    }
}

fn below(name: &str, nodes: &[Ast], out: &mut String) {
    out.push_str(name);
    for (at, node) in nodes.iter().enumerate() {
        out.push(if at == 0 { '(' } else { ',' });
        tree(node, out);
    }
    out.push(')');
}

/// Returns crdkit-core's response to a query.
fn response(query: &[String]) -> Vec<String> {
    let ast = match parse(&query[1]) {
        Ok(ast) => ast,
        Err(error) => return vec!["error".to_owned(), error.go().to_string()],
    };
    let mut response = vec!["ok".to_owned(), String::new()];
    tree(&ast, &mut response[1]);
    if let [_, _, texts @ ..] = query
        && !texts.is_empty()
    {
        let matcher = ast.matcher();
        response.extend(texts.iter().map(|text| matcher.is_match(text).to_string()));
    }
    response
}

fn agree(queries: &[Vec<String>]) {
    let Some(oracle) = Oracle::shared() else {
        return;
    };
    let (mut read, mut matching) = (0, 0);
    oracle.query(queries, |query, expected| {
        assert_eq!(response(query), expected, "{query:?}");
        read += usize::from(expected[0] == "ok");
        matching += expected.iter().filter(|response| *response == "true").count();
    });
    println!("{} patterns, {read} of which are read; {matching} texts match", queries.len());
}

#[test]
fn random_patterns_and_texts() {
    let mut random = Random::new(seed());
    let queries: Vec<Vec<String>> = (0..cases(100_000))
        .map(|_| {
            let pattern = patterns::pattern(&mut random);
            let mut query = vec!["regexp".to_owned(), pattern];
            for _ in 0..3 {
                query.push(patterns::text(&mut random, &query[1]));
            }
            query
        })
        .collect();
    agree(&queries);
}

#[test]
fn limits() {
    let mut random = Random::new(seed());
    let queries: Vec<Vec<String>> =
        (0..cases(100_000).div_ceil(500)).map(|_| vec!["regexp".to_owned(), patterns::large(&mut random)]).collect();
    agree(&queries);
}

#[test]
fn every_class() {
    let Some(oracle) = Oracle::shared() else {
        return;
    };
    let mut queries = Vec::new();
    oracle.query(&[vec!["names".to_owned()]], |_, names| {
        for name in names {
            for pattern in [
                format!(r"\p{{{name}}}"),
                format!(r"\P{{{name}}}"),
                format!(r"(?i)\p{{{name}}}"),
                format!(r"(?i)[^\p{{^{name}}}]"),
                format!(r"\p{{{}}}", name.replace('_', " ").to_uppercase()),
            ] {
                queries.push(vec!["regexp".to_owned(), pattern]);
            }
        }
    });
    assert!(queries.len() > 1000);
    agree(&queries);
}

#[test]
fn every_circle_of_letters() {
    let queries: Vec<Vec<String>> = ('\0'..='\u{1FFFF}')
        .filter(|character| character.is_alphabetic())
        .map(|character| vec!["regexp".to_owned(), format!("(?i)[{character}]")])
        .collect();
    agree(&queries);
}
