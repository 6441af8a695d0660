//! Paths of fields in an object, as text or as segments.

use std::borrow::Cow;

use super::error::PathError;

/// The path of a field in an object: dotted text, or segments.
///
/// | text | segments |
/// |---|---|
/// | `spec.image` | `["spec", "image"]` |
/// | `spec.disks[0].size` | `["spec", "disks", "0", "size"]` |
/// | `spec.limits["example.com/gpu"]` | `["spec", "limits", "example.com/gpu"]` |
/// | `spec.limits.example\.com/gpu` | `["spec", "limits", "example.com/gpu"]` |
///
/// A leading dot is optional. In a list, a segment is the index of an item, from 0.
pub trait AsFieldPath {
    /// Returns the segments, at least one.
    ///
    /// # Errors
    ///
    /// [`PathError::Malformed`] if the text is not a path.
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError>;
}

impl AsFieldPath for str {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        let parsed = parse(self);
        parsed.map_err(|reason| PathError::Malformed { path: self.to_owned(), reason })
    }
}

impl AsFieldPath for String {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        self.as_str().segments()
    }
}

impl<S: AsRef<str>> AsFieldPath for [S] {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        if self.is_empty() {
            return Err(PathError::Malformed { path: String::new(), reason: "it has no segments" });
        }
        Ok(self.iter().map(|segment| segment.as_ref().into()).collect())
    }
}

impl<S: AsRef<str>, const N: usize> AsFieldPath for [S; N] {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        self.as_slice().segments()
    }
}

impl<S: AsRef<str>> AsFieldPath for Vec<S> {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        self.as_slice().segments()
    }
}

impl<P: AsFieldPath + ?Sized> AsFieldPath for &P {
    fn segments(&self) -> Result<Vec<Cow<'_, str>>, PathError> {
        (**self).segments()
    }
}

fn parse(text: &str) -> Result<Vec<Cow<'_, str>>, &'static str> {
    let mut segments = Vec::new();
    let mut rest = text.strip_prefix('.').unwrap_or(text);
    loop {
        let (segment, after) = match rest.strip_prefix('[') {
            Some(inside) => bracketed(inside)?,
            None => plain(rest)?,
        };
        segments.push(segment);
        rest = match after {
            "" => return Ok(segments),
            after if after.starts_with('[') => after,
            after => after.strip_prefix('.').ok_or("expected `.` after `]`")?,
        };
    }
}

/// Returns the segment up to a dot or a bracket, and the rest.
fn plain(text: &str) -> Result<(Cow<'_, str>, &str), &'static str> {
    let mut segment = String::new();
    let mut escaped = false;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => {
                escaped = true;
                continue;
            }
            '.' | '[' => {
                end = at;
                break;
            }
            _ => {}
        }
        segment.push(c);
    }
    if segment.is_empty() || escaped {
        return Err("a segment is empty");
    }
    Ok((segment.into(), &text[end..]))
}

/// Returns the segment up to the closing bracket, and the rest.
fn bracketed(text: &str) -> Result<(Cow<'_, str>, &str), &'static str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let (segment, after) = text[1..].split_once(quote).ok_or("a quote is not closed")?;
        let after = after.strip_prefix(']').ok_or("expected `]` after a quote")?;
        return Ok((segment.into(), after));
    }
    let (number, after) = text.split_once(']').ok_or("a bracket is not closed")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Ok((number.into(), after)) } else { Err("brackets must contain a number or a quoted name") }
}

/// Joins segments to a text that parses to the same segments.
pub(super) fn join(segments: &[Cow<'_, str>]) -> String {
    let mut path = String::new();
    for segment in segments {
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            path.extend(["[", segment, "]"]);
        } else if segment.contains(['.', '[', '\\']) {
            path.extend(["[\"", segment, "\"]"]);
        } else {
            let dot = if path.is_empty() { "" } else { "." };
            path.extend([dot, segment]);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_segments_are_equivalent() {
        let gpu = ["spec", "limits", "example.com/gpu"];
        for (text, expected) in [
            ("spec", &["spec"][..]),
            (".spec.image", &["spec", "image"]),
            ("spec.disks[0].size", &["spec", "disks", "0", "size"]),
            ("spec.disks.0.size", &["spec", "disks", "0", "size"]),
            (r#"spec.limits["example.com/gpu"]"#, &gpu),
            ("spec.limits['example.com/gpu']", &gpu),
            (r"spec.limits.example\.com/gpu", &gpu),
            ("a[0][1]", &["a", "0", "1"]),
        ] {
            let segments = text.segments().unwrap();
            assert_eq!(segments, expected, "{text}");
            assert_eq!(join(&segments).segments().unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn invalid_path_is_an_error() {
        for text in ["", ".", "a.", "a..b", "a[", "a[x]", "a[]", "a['x", "a['x'", "a[0]b", "a\\"] {
            let error = text.segments().unwrap_err();
            assert!(matches!(error, PathError::Malformed { .. }), "{text}");
        }
        let none: [&str; 0] = [];
        assert!(none.segments().is_err());
    }
}
