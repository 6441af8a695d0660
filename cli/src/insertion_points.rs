//! Lists in the code of a project that this program may extend: the lines between two comments.

use std::path::Path;

use crate::error::UnexpectedCode;

const END: &str = "// crdkit: end";

/// Returns the text with a line in the list, in alphabetical order as rustfmt sorts modules, indented as the comments around it. A
/// line that is there, also without a list, is not added again.
pub(crate) fn add_line(file: &Path, text: &str, list: &'static str, line: &str) -> Result<String, UnexpectedCode> {
    let mut lines: Vec<&str> = text.lines().collect();
    if has_line(&lines, line) {
        return Ok(text.to_owned());
    }
    let missing = || UnexpectedCode::NoMarkedList { file: file.to_owned(), list, line: line.to_owned() };
    let (start, end) = find(&lines, list).ok_or_else(missing)?;
    let indentation = lines[start].len() - lines[start].trim_start().len();
    let line = " ".repeat(indentation) + line;
    let at = (start + 1..end).find(|&at| sort_key(lines[at]) > sort_key(&line)).unwrap_or(end);
    lines.insert(at, &line);
    Ok(lines.join("\n") + "\n")
}

/// Replaces a line of the list, unless the new one is there; an error has the new line.
pub(crate) fn replace_line(
    file: &Path,
    text: &str,
    list: &str,
    old: &str,
    new: &str,
) -> Result<String, UnexpectedCode> {
    let mut lines: Vec<&str> = text.lines().collect();
    if has_line(&lines, new) {
        return Ok(text.to_owned());
    }
    let found = find(&lines, list).and_then(|(start, end)| (start..end).find(|&at| lines[at].trim() == old));
    let missing = || UnexpectedCode::NoLine { file: file.to_owned(), old: old.to_owned(), new: new.to_owned() };
    let at = found.ok_or_else(missing)?;
    let line = lines[at].replace(old, new);
    lines[at] = &line;
    Ok(lines.join("\n") + "\n")
}

fn has_line(lines: &[&str], wanted: &str) -> bool {
    lines.iter().any(|line| line.trim() == wanted)
}

/// rustfmt sorts modules by their names, whether or not they are public.
fn sort_key(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("pub ").unwrap_or(line)
}

/// Returns the lines of the comments before and after the list.
fn find(lines: &[&str], list: &str) -> Option<(usize, usize)> {
    let start = format!("// crdkit: {list}");
    let start = lines.iter().position(|line| line.trim() == start)?;
    let end = lines[start..].iter().position(|line| line.trim() == END)?;
    Some((start, start + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn f() {\n    g()\n        // crdkit: kinds\n        .a()\n        // crdkit: end\n}\n";

    #[test]
    fn lines_are_added_in_alphabetical_order() {
        let text = add_line(Path::new("lib.rs"), TEXT, "kinds", ".c()").unwrap();
        let text = add_line(Path::new("lib.rs"), &text, "kinds", ".b()").unwrap();
        assert_eq!(text, TEXT.replace(".a()\n", ".a()\n        .b()\n        .c()\n"));
    }

    #[test]
    fn existing_lines_are_not_repeated() {
        for list in ["kinds", "modules"] {
            assert_eq!(add_line(Path::new("lib.rs"), TEXT, list, ".a()").unwrap(), TEXT);
        }
        assert_eq!(replace_line(Path::new("lib.rs"), TEXT, "kinds", ".b()", ".a()").unwrap(), TEXT);
    }

    #[test]
    fn a_missing_list_is_an_error_with_the_line() {
        let error = add_line(Path::new("src/lib.rs"), TEXT, "modules", "mod b;").unwrap_err().to_string();
        assert!(error.contains("`// crdkit: modules`") && error.ends_with("\n\nmod b;"), "{error}");
    }
}
