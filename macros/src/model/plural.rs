//! English plurals, formed as by kube-derive.

/// The plural of a lower-case word.
pub(crate) fn pluralize(word: &str) -> String {
    if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) {
        return format!("{word}es");
    }
    match word.strip_suffix('y') {
        Some(stem) if stem.ends_with(|c| !is_vowel(c)) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    #[test]
    fn plurals() {
        for (word, plural) in [
            ("at", "ats"),
            ("virtualmachine", "virtualmachines"),
            ("fox", "foxes"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("mesh", "meshes"),
            ("y", "ys"),
        ] {
            assert_eq!(super::pluralize(word), plural);
        }
    }
}
