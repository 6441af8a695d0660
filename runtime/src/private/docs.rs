//! Splits documentation that contains expressions at compile time.

/// Returns the heading at the start of the text, or an empty string.
pub const fn title(docs: &'static str) -> &'static str {
    parts(docs).0
}

/// Returns the text without a heading at its start.
pub const fn description(docs: &'static str) -> &'static str {
    parts(docs).1
}

const fn parts(docs: &'static str) -> (&'static str, &'static str) {
    let docs = docs.trim_ascii();
    let bytes = docs.as_bytes();
    if bytes.is_empty() || bytes[0] != b'#' {
        return ("", docs);
    }
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'\n' {
        end += 1;
    }
    let (heading, rest) = docs.split_at(end);
    (without_hashes(heading).trim_ascii(), rest.trim_ascii())
}

const fn without_hashes(heading: &str) -> &str {
    let mut hashes = 0;
    while hashes < heading.len() && heading.as_bytes()[hashes] == b'#' {
        hashes += 1;
    }
    heading.split_at(hashes).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_the_title() {
        const DOCS: &str = " # A title \n\n Text. ";
        assert_eq!(title(DOCS), "A title");
        assert_eq!(description(DOCS), "Text.");
        assert_eq!(title("Text"), "");
        assert_eq!(description("Text"), "Text");
    }
}
