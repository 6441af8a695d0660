//! "Did you mean" suggestions for misspelt words.

use alloc::{format, string::String};

/// Returns a suggestion for `word`: the most similar of `words`, or all of them if none is similar.
pub fn suggestion(word: &str, words: &[&str]) -> String {
    match nearest(word, words) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected one of `{}`", words.join("`, `")),
    }
}

/// Returns the word in `words` that is most similar to `word`, if any is similar enough.
pub const fn nearest<'k>(word: &str, words: &[&'k str]) -> Option<&'k str> {
    let mut nearest = Nearest::to(word);
    let mut at = 0;
    while at < words.len() {
        nearest = nearest.or(words[at]);
        at += 1;
    }
    nearest.found()
}

/// Returns the candidate whose text is most similar to `word`, if any is similar enough.
pub fn nearest_by<T>(word: &str, candidates: impl IntoIterator<Item = T>, text: impl Fn(&T) -> &str) -> Option<T> {
    let candidates = candidates.into_iter();
    let distances = candidates.map(|candidate| (distance(text(&candidate), word), candidate));
    let close = distances.filter(|(distance, _)| *distance <= tolerance(word));
    let (_, candidate) = close.min_by_key(|(distance, _)| *distance)?;
    Some(candidate)
}

/// Finds the known word that is most similar to an unknown one.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'w, 'k> {
    word: &'w str,
    best: &'k str,
    distance: usize,
}

impl<'w, 'k> Nearest<'w, 'k> {
    /// Starts without a known word.
    pub const fn to(word: &'w str) -> Self {
        Self { word, best: "", distance: usize::MAX }
    }

    /// Considers another known word. Of two words at the same distance, the earlier one is preferred.
    #[must_use]
    pub const fn or(mut self, known: &'k str) -> Self {
        let distance = distance(known, self.word);
        if distance < self.distance {
            self.best = known;
            self.distance = distance;
        }
        self
    }

    /// Returns the most similar word, if it is similar enough.
    pub const fn found(self) -> Option<&'k str> {
        if self.distance <= tolerance(self.word) { Some(self.best) } else { None }
    }
}

/// Returns the maximum edit distance for a word to count as misspelt.
pub const fn tolerance(word: &str) -> usize {
    match word.len() {
        0..=3 => 1,
        4..=8 => 2,
        length => length / 3,
    }
}

/// The length of the longest word that is compared: const evaluation has no allocator.
const LONGEST: usize = 64;

/// Returns the edit distance: the number of bytes to change, insert or delete, regardless of case and underscores. For words
/// of more than 64 bytes it is `usize::MAX`.
pub const fn distance(a: &str, b: &str) -> usize {
    let (Some((a, lines)), Some((b, columns))) = (letters(a), letters(b)) else {
        return usize::MAX;
    };
    let mut row = [0; LONGEST + 1];
    let mut column = 0;
    while column <= columns {
        row[column] = column;
        column += 1;
    }
    let mut line = 0;
    while line < lines {
        let mut diagonal = row[0];
        row[0] = line + 1;
        let mut column = 0;
        while column < columns {
            let changed = diagonal + (a[line] != b[column]) as usize;
            diagonal = row[column + 1];
            row[column + 1] = least(changed, row[column] + 1, diagonal + 1);
            column += 1;
        }
        line += 1;
    }
    row[columns]
}

const fn least(a: usize, b: usize, c: usize) -> usize {
    let least = if a < b { a } else { b };
    if least < c { least } else { c }
}

/// Returns the bytes of a word that are compared, and their number.
const fn letters(word: &str) -> Option<([u8; LONGEST], usize)> {
    let word = word.as_bytes();
    let mut letters = [0; LONGEST];
    let mut length = 0;
    let mut at = 0;
    while at < word.len() {
        if word[at] != b'_' {
            if length == LONGEST {
                return None;
            }
            letters[length] = word[at].to_ascii_lowercase();
            length += 1;
        }
        at += 1;
    }
    Some((letters, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let known = &["shortname", "json_path", "column", "age"];
        assert_eq!(nearest("shortnme", known), Some("shortname"));
        assert_eq!(nearest("short_names", known), Some("shortname"));
        assert_eq!(nearest("jsonPath", known), Some("json_path"));
        assert_eq!(nearest("printcolumns", known), None);
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("agr", known), Some("age"));
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("any", &[]), None);
    }

    #[test]
    fn candidates() {
        let words = ["pods", "nodes", "deployments"];
        let near = |word| nearest_by(word, words, |candidate| candidate);
        assert_eq!(near("pod"), Some("pods"));
        assert_eq!(near("deploymnets"), Some("deployments"));
        assert_eq!(near("virtualmachines"), None);
    }

    #[test]
    fn distances() {
        const IN_CONST: usize = distance("repliacs", "replicas");
        assert_eq!(IN_CONST, 2);
        let long = "a".repeat(LONGEST + 1);
        for (a, b, expected) in [
            ("replicas", "replicas", 0),
            ("replicas", "Repli_cas", 0),
            ("phase", "phases", 1),
            ("", "abc", 3),
            (&long, &long, usize::MAX),
            (&long[1..], &long[1..], 0),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }
}
