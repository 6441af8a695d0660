//! Replaces what differs between any two servers.

/// Replaces UIDs, times, ages, versions and addresses, and the spaces that depend on their width.
pub(super) fn normalize(text: &str) -> String {
    text.lines().map(|line| normalize_line(&without_object(line)) + "\n").collect()
}

/// Replaces the object in the message about a patch, which has versions and times.
fn without_object(line: &str) -> String {
    match (line.split_once("Invalid value: \"{"), line.rsplit_once("}\": ")) {
        (Some((start, _)), Some((_, end))) => format!("{start}Invalid value: <object>: {end}"),
        _ => line.to_owned(),
    }
}

fn normalize_line(line: &str) -> String {
    // The files of `kubectl diff` are temporary, and `kubectl describe` writes times in several words.
    if ["diff ", "--- /", "+++ /", "CreationTimestamp:"].iter().any(|start| line.starts_with(start)) {
        return line.split(['/', ':']).next().unwrap_or_default().to_owned();
    }
    let indent = line.len() - line.trim_start().len();
    let words = line.split_whitespace().map(|word| {
        let inner = word.trim_matches(|c: char| "\"'(),:;[]".contains(c));
        match replacement(inner) {
            Some(name) => word.replacen(inner, name, 1),
            None => word.to_owned(),
        }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let is_version = |key: &str| line.trim_start_matches("- ").starts_with(key);
    match ["resourceVersion:", "Resource Version:"].into_iter().find(|key| is_version(key)) {
        Some(key) => format!("{:indent$}{key} <version>", ""),
        None => format!("{:indent$}{line}", ""),
    }
}

fn replacement(word: &str) -> Option<&'static str> {
    let is = |test: fn(char) -> bool| word.chars().all(test);
    let dashes = word.match_indices('-').map(|(at, _)| at).collect::<Vec<_>>();
    match word {
        "" => None,
        _ if word.len() == 36 && dashes == [8, 13, 18, 23] => Some("<uid>"),
        _ if word.len() >= 20
            && word.ends_with('Z')
            && word.get(4..5) == Some("-")
            && word.get(10..11) == Some("T") =>
        {
            Some("<time>")
        }
        _ if word.starts_with("10.") && is(|c| c.is_ascii_digit() || c == '.') => Some("<address>"),
        _ if word.ends_with(['s', 'm'])
            && word.starts_with(|c: char| c.is_ascii_digit())
            && is(|c| c.is_ascii_digit() || c == 's' || c == 'm') =>
        {
            Some("<age>")
        }
        _ => None,
    }
}
