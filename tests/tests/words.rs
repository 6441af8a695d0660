//! Words that documentation, messages and names must not use, with plainer ones to use instead.

use std::{fs, path::Path};

use crdkit_tests::files_below;

/// Words, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("asked", "requested, checked"),
    ("asks", "requests, checks, queries"),
    ("everybody", "every user"),
    ("hears", "receives"),
    ("knows", "has, recognizes, accepts"),
    ("nobody", "no one, nothing"),
    ("said", "reported, declared"),
    ("says", "states, declares, reports, requires"),
    ("strangers", "unrelated"),
    ("tells", "describes, reports, returns"),
    ("told", "notified, reported"),
    ("wants", "requires, expects"),
    ("whoever", "the user, callers"),
    ("wordless", "without a status"),
];

/// Phrases, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("at hand", "available, given"),
    ("is about", "applies to, describes"),
    ("of no use", "invalid, unusable"),
    ("so many", "the number of, at most N"),
    ("what became of", "the result of"),
];

/// Sentences of the API server that have such a word.
const OF_THE_SERVER: &[&str] = &["the server has asked for the client", "the server has received too many requests"];

/// What people read: the crates, their documentation and examples, the compiler's messages, the tests and the
/// benchmarks.
const PLACES: &[&str] = &["benches", "cli", "core", "examples", "macros", "runtime", "tests", "tools", "ui-tests"];

/// This file, which has the words.
const LIST: &str = "tests/tests/words.rs";

#[test]
fn documentation_and_messages_use_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files: Vec<_> = PLACES.iter().flat_map(|place| files_below(&root.join(place))).collect();
    let pages = fs::read_dir(&root).expect("the repository is readable").map(|entry| entry.unwrap().path());
    files.extend(pages.filter(|path| path.is_file()));
    files.retain(|path| has_extension(path, &["rs", "md", "stderr", "txt"]) && *path != root.join(LIST));
    let findings: Vec<_> = files.iter().flat_map(|file| findings(file, &root)).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|it| extensions.iter().any(|extension| it == *extension))
}

fn findings(file: &Path, root: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("the file is text");
    let name = file.strip_prefix(root).expect("the file is in the repository").display().to_string();
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !OF_THE_SERVER.iter().any(|sentence| line.contains(sentence)))
        .flat_map(|(at, line)| {
            let name = &name;
            found(line).map(move |(word, instead)| format!("{name}:{}: `{word}`: write {instead}", at + 1))
        })
        .collect()
}

fn found(line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let line = line.to_lowercase();
    let words: Vec<_> = line.split(|it: char| !it.is_alphabetic()).map(str::to_owned).collect();
    let words = WORDS.iter().filter(move |(word, _)| words.iter().any(|it| it == word));
    let phrases = PHRASES.iter().filter(move |(phrase, _)| line.contains(phrase));
    words.chain(phrases).copied()
}

#[test]
fn words_are_found_in_sentences_and_names() {
    let found = |line| found(line).map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(found("/// The type Says so."), ["says"]);
    assert_eq!(found("fn what_is_told(self)"), ["told"]);
    assert_eq!(found("`minimum` is about numbers"), ["is about"]);
    assert_eq!(found("An unknown essay."), [""; 0]);
}
