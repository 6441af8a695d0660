//! The word that was probably meant.

/// What to write instead of `word`: the one of `words` that was probably meant, or any of them.
pub(super) fn advice(word: &str, words: &[&str]) -> String {
    match nearest(word, words) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected one of `{}`", words.join("`, `")),
    }
}

/// The one of `words` that is most like `word`, if one is like it at all.
fn nearest<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    let tolerance = if word.len() <= 3 {
        1
    } else {
        (word.len() / 3).max(2)
    };
    words
        .iter()
        .map(|known| (distance(word, known), *known))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The number of characters to change, insert or delete; case and underscores do not count.
fn distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| -> Vec<char> {
        let letters = word.chars().filter(|c| *c != '_');
        letters.flat_map(char::to_lowercase).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn words() {
        let known = &["shortname", "json_path", "column", "age"];
        assert_eq!(nearest("shortnme", known), Some("shortname"));
        assert_eq!(nearest("short_names", known), Some("shortname"));
        assert_eq!(nearest("jsonPath", known), Some("json_path"));
        assert_eq!(nearest("printcolumns", known), None);
        assert_eq!(nearest("xyz", known), None);
    }
}
