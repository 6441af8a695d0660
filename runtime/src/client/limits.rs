use std::fmt;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// How many bytes are read of what the API server sends, after decompression. Whatever is larger is
/// [`Error::TooLarge`](super::Error::TooLarge), and reading it stops at once; of errors the beginning is read.
///
/// ```
/// use crdkit::client::Limits;
///
/// let limits = Limits::default().object(16 << 20).page(64 << 20);
/// ```
///
/// Objects nested more than 127 deep cannot be decoded, whatever their size: that is the limit of serde_json.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Limits {
    object: usize,
    page: usize,
    watch_event: usize,
    error: usize,
    discovery: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            object: 64 * MIB,
            page: 512 * MIB,
            watch_event: 64 * MIB,
            error: MIB,
            discovery: 64 * MIB,
        }
    }
}

impl Limits {
    /// The largest object: 64 MiB unless set. Kubernetes stores objects of at most 1.5 MiB by default.
    pub fn object(self, bytes: usize) -> Self {
        Self {
            object: bytes,
            ..self
        }
    }

    /// The largest page of a list, and the largest answer to deleting several objects: 512 MiB unless set.
    pub fn page(self, bytes: usize) -> Self {
        Self {
            page: bytes,
            ..self
        }
    }

    /// The largest event of a watch: 64 MiB unless set.
    pub fn watch_event(self, bytes: usize) -> Self {
        Self {
            watch_event: bytes,
            ..self
        }
    }

    /// How much is read of an answer that is an error: 1 MiB unless set. The error is the same if there is more, and its Status
    /// has what was read. Messages quote at most 4 KiB of it.
    pub fn error(self, bytes: usize) -> Self {
        Self {
            error: bytes,
            ..self
        }
    }

    /// The largest document of discovery: 64 MiB unless set.
    pub fn discovery(self, bytes: usize) -> Self {
        Self {
            discovery: bytes,
            ..self
        }
    }

    pub(crate) fn error_bytes(&self) -> usize {
        self.error
    }

    pub(crate) fn of(&self, part: Part) -> usize {
        match part {
            Part::Object => self.object,
            Part::Page => self.page,
            Part::WatchEvent => self.watch_event,
            Part::Discovery => self.discovery,
        }
    }
}

/// What of an answer has a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// An object: [`Limits::object`].
    Object,
    /// A page of a list: [`Limits::page`].
    Page,
    /// An event of a watch: [`Limits::watch_event`].
    WatchEvent,
    /// A document of discovery: [`Limits::discovery`].
    Discovery,
}

impl Part {
    /// How to allow more.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Object => "raise the limit with `.limits(Limits::default().object(...))`",
            Self::Page => {
                "read fewer objects at once, with `.page_size(...)` or a selector, or raise the limit with \
                 `.limits(Limits::default().page(...))`"
            }
            Self::WatchEvent => {
                "raise the limit with `.limits(Limits::default().watch_event(...))`"
            }
            Self::Discovery => "raise the limit with `.limits(Limits::default().discovery(...))`",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "the object",
            Self::Page => "the page",
            Self::WatchEvent => "the watch event",
            Self::Discovery => "the document",
        })
    }
}

/// So much of what the API server says goes into a message.
const QUOTED: usize = 4 * KIB;

/// The beginning of a text, short enough for a message.
pub(crate) fn quoted(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= QUOTED {
        return text.into();
    }
    let end = text.floor_char_boundary(QUOTED);
    format!("{} ... ({} bytes in all)", &text[..end], text.len()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(quoted("short"), "short");
        let long = "ä".repeat(QUOTED);
        let cut = quoted(&long);
        assert!(cut.len() < QUOTED + 40, "{}", cut.len());
        assert!(cut.ends_with("ä ... (8192 bytes in all)"), "{cut}");
        let odd = format!("a{long}");
        assert!(quoted(&odd).contains("ä ... ("));
    }
}
