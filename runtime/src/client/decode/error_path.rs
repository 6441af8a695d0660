//! The path of the value that does not match a type, from the position that `serde_json` reports.
//!
//! No second decoder is compiled for each type, and objects of any depth are located. A value that is decoded after more has been read, such as
//! the content of an adjacently tagged enum in front of its tag, has the path of what was read last.

use crate::{
    client::error::without_position,
    json::{outside_strings::outside_strings, scan::Scan},
};

/// Decodes a text, and returns the error.
type Decode<'a> = &'a dyn Fn(&str) -> Option<serde_json::Error>;

/// Returns the path of the value at which decoding failed, such as `spec.disks[0].size`; `None` for the whole text, and if the position is
/// that of another text, such as JSON in a string. `decode` decodes a text as the same type.
pub(crate) fn error_path(json: &str, error: &serde_json::Error, decode: Decode<'_>) -> Option<String> {
    let failed = Failed { json, error, decode };
    let end = failed.end()?;
    let mut read = ReadText::new(json, end);
    if error.is_data() {
        match (read.last_byte, read.open.last_mut()) {
            (Some(b'}' | b']'), _) if failed.is_of_last_member(end) => read = ReadText::new(json, end - 1),
            (Some(b'[' | b','), Some(Container::List(_))) if failed.is_of_next_element(end) => {}
            (Some(b'['), Some(Container::List(_))) => drop(read.open.pop()),
            (Some(b','), Some(Container::List(index))) => *index -= 1,
            _ => {}
        }
    }
    read.path()
}

/// A text that was not decoded.
struct Failed<'a> {
    json: &'a str,
    error: &'a serde_json::Error,
    decode: Decode<'a>,
}

impl Failed<'_> {
    /// Returns how many bytes had been read. The position of an error from another text does not move with this one.
    fn end(&self) -> Option<usize> {
        let moved = (self.decode)(&format!("\n{}", self.json))?;
        let is_moved = moved.line().checked_sub(1) == Some(self.error.line()) && moved.column() == self.error.column();
        is_moved.then(|| offset(self.json, self.error))?
    }

    /// Whether an error at the end of an object or a list is that of its last member: values that are decoded twice, such as untagged
    /// enums, have errors without a position, and get that at which the object is left. With another member behind it, it is left earlier.
    fn is_of_last_member(&self, end: usize) -> bool {
        let (before, last) = self.json.as_bytes()[..end].split_at(end - 1);
        match last {
            _ if before.trim_ascii_end().ends_with(b"{") || before.trim_ascii_end().ends_with(b"[") => false,
            b"}" => self.is_left_before(end - 1, ",\"\":null"),
            b"]" => self.is_left_before(end - 1, ",{}"),
            _ => false,
        }
    }

    /// Whether an error before an element of a list is that of the element: an object or a list of which the type is wrong is not read. One
    /// of the other type in front of it has another error.
    fn is_of_next_element(&self, end: usize) -> bool {
        match self.json.as_bytes()[end..].trim_ascii_start().first() {
            Some(b'{') => !self.is_left_before(end, "[],"),
            Some(b'[') => !self.is_left_before(end, "{},"),
            _ => false,
        }
    }

    /// Whether the error is the same, and not behind an insertion.
    fn is_left_before(&self, at: usize, inserted: &str) -> bool {
        let (before, after) = self.json.split_at(at);
        let longer = format!("{before}{inserted}{after}");
        let is_same = |other: &serde_json::Error| without_position(other) == without_position(self.error);
        let end = (self.decode)(&longer).filter(is_same).and_then(|error| offset(&longer, &error));
        end.is_some_and(|end| end <= at + 1)
    }
}

/// Returns the number of bytes in front of a position. `serde_json` counts lines from 1, and columns are bytes.
fn offset(json: &str, error: &serde_json::Error) -> Option<usize> {
    let lines_before = error.line().checked_sub(1)?;
    let start: usize = json.split_inclusive('\n').take(lines_before).map(str::len).sum();
    Some(start.saturating_add(error.column()).min(json.len()))
}

/// An object or a list whose end has not been read.
enum Container {
    /// The offset of the key of the current member.
    Object(usize),
    /// The index of the current element.
    List(usize),
}

/// What has been read of a text.
struct ReadText<'a> {
    json: &'a str,
    end: usize,
    open: Vec<Container>,
    /// The last byte, unless it is a space or in a string.
    last_byte: Option<u8>,
}

impl<'a> ReadText<'a> {
    fn new(json: &'a str, end: usize) -> Self {
        let mut open = Vec::new();
        let mut last = None;
        let read = outside_strings(json).take_while(|(at, _)| *at < end);
        for (at, byte) in read.filter(|(_, byte)| !byte.is_ascii_whitespace()) {
            match (byte, open.last_mut()) {
                (b'{', _) => open.push(Container::Object(at + 1)),
                (b'[', _) => open.push(Container::List(0)),
                (b'}' | b']', _) => drop(open.pop()),
                (b',', Some(Container::Object(key))) => *key = at + 1,
                (b',', Some(Container::List(index))) => *index += 1,
                _ => {}
            }
            last = Some((at, byte));
        }
        let length = json.as_bytes()[..end].trim_ascii_end().len();
        let last_byte = last.filter(|(at, _)| at + 1 == length).map(|(_, byte)| byte);
        Self { json, end, open, last_byte }
    }

    fn path(&self) -> Option<String> {
        let segments: String = self.open.iter().map(|container| self.segment(container)).collect();
        let path = segments.strip_prefix('.').unwrap_or(&segments);
        (!path.is_empty()).then(|| path.to_owned())
    }

    fn segment(&self, container: &Container) -> String {
        match *container {
            Container::Object(at) if self.json.as_bytes()[at..self.end].trim_ascii().is_empty() => String::new(),
            Container::Object(at) => {
                let key = Scan::new(&self.json[at..]).text();
                key.map(|key| format!(".{key}")).unwrap_or_default()
            }
            Container::List(index) => format!("[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests;
