//! Cases as lines of text: `- rules | place | patch`.
//!
//! The rules are those that the definition breaks, or `ok`. The patch is YAML, of the place of the base definition (see
//! [`base::changed`](crate::base::changed)); it may go on, indented, on the lines below. `<<a*64>>` stands for 64 times `a`.

use std::{fs, path::Path};

use serde_json::Value;

use crate::base;

/// A definition, and the rules that it breaks.
#[derive(Clone)]
pub(crate) struct Case {
    /// The file and the line.
    pub(crate) id: String,
    /// The rules that it breaks.
    pub(crate) breaks: Vec<String>,
    /// The place that it changes.
    pub(crate) place: String,
    /// The line as it is written.
    pub(crate) text: String,
    /// The definition.
    pub(crate) crd: Value,
}

/// All cases of a folder.
pub(crate) fn cases(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules").join(folder);
    let entries = fs::read_dir(folder).expect("the corpus can be read");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the corpus can be read").path()).collect();
    files.sort();
    files.iter().flat_map(|file| cases_of(file)).collect()
}

fn cases_of(file: &Path) -> Vec<Case> {
    let name = file.file_stem().expect("a file has a name");
    let text = fs::read_to_string(file).expect("the corpus can be read");
    let mut written: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        match line.as_bytes().first() {
            Some(b'-') => written.push((at + 1, line.to_owned())),
            Some(b' ') => {
                let (_, case) = written.last_mut().expect("a case begins with `-`");
                case.push('\n');
                case.push_str(line);
            }
            Some(b'#') | None => {}
            Some(_) => panic!("{}:{}: neither a case nor a remark", name.display(), at + 1),
        }
    }
    let cases = written.into_iter();
    cases.map(|(line, text)| case(format!("{}:{line}", name.display()), text)).collect()
}

fn case(id: String, text: String) -> Case {
    let expanded = expanded(&text);
    let mut parts = expanded.trim_start_matches('-').splitn(3, '|');
    let (Some(rules), Some(place), Some(patch)) = (parts.next(), parts.next(), parts.next()) else {
        panic!("{id}: a case has three parts");
    };
    let patch: Value = serde_saphyr::from_str(patch).unwrap_or_else(|error| panic!("{id}: {error}\n{patch}"));
    let rules = rules.split_whitespace().filter(|it| *it != "ok");
    Case {
        breaks: rules.map(str::to_owned).collect(),
        place: place.trim().to_owned(),
        crd: base::changed(place.trim(), patch),
        text,
        id,
    }
}

/// The text with `<<a*3>>` written as `aaa`.
fn expanded(text: &str) -> String {
    let mut rest = text;
    let mut result = String::new();
    while let Some((before, after)) = rest.split_once("<<") {
        let repeated = after.split_once(">>").and_then(|(inner, after)| {
            let (piece, times) = inner.rsplit_once('*')?;
            Some((piece.repeat(times.parse().ok()?), after))
        });
        let (repeated, after) = repeated.unwrap_or_else(|| panic!("what is repeated in {text}?"));
        result.push_str(before);
        result.push_str(&repeated);
        rest = after;
    }
    result.push_str(rest);
    result
}

#[test]
fn repeated_pieces_are_written_out() {
    assert_eq!(expanded("a<<bc*2>>d<<e*3>>"), "abcbcdeee");
    assert_eq!(expanded("a"), "a");
}
