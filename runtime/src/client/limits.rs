use std::borrow::Cow;

pub(crate) use crate::parse::MAX_DEPTH;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// It takes the longer to leave values out of a text the longer the text is.
const LONGEST_QUOTE: usize = 64 * KIB;

/// How much is read of what the API server sends: bytes after decompression, and how deep objects are nested. Whatever is more
/// is [`Error::TooLarge`](super::Error::TooLarge), and no more bytes are read. Of an error the beginning is read.
///
/// ```
/// use crdkit::client::Limits;
///
/// let limits = Limits::default().object(16 << 20).page(64 << 20).depth(32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Limits {
    object: usize,
    page: usize,
    watch_event: usize,
    error: usize,
    discovery: usize,
    depth: usize,
    quote: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            object: 64 * MIB,
            page: 512 * MIB,
            watch_event: 64 * MIB,
            error: MIB,
            discovery: 64 * MIB,
            depth: MAX_DEPTH,
            quote: 4 * KIB,
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
    /// has what was read. How much of it is in messages is [`quote`](Self::quote).
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

    /// How many objects and lists within each other an object of Kubernetes may be, itself included: 127 unless set, which is
    /// also the most. `{"metadata":{"labels":{}}}` is three. Of an event of a watch or an item of a list only that object is
    /// not read.
    ///
    /// Each level takes stack: in debug builds up to 16 KiB for the largest types of Kubernetes, so that 127 levels fit into
    /// the 2 MiB of a thread. Types of your own that take more, or threads that have less, need a lower limit. At 127 only what
    /// the type reads counts, and all of an object below that, `managedFields` among it. Discovery has no such limit.
    pub fn depth(self, levels: usize) -> Self {
        Self {
            depth: levels.min(MAX_DEPTH),
            ..self
        }
    }

    /// How much of what the API server says is in the message of an error: 4 KiB unless set, 64 KiB at most.
    pub fn quote(self, bytes: usize) -> Self {
        Self {
            quote: bytes.min(LONGEST_QUOTE),
            ..self
        }
    }

    pub(crate) fn error_bytes(&self) -> usize {
        self.error
    }

    pub(crate) fn of(&self, limit: Limit) -> usize {
        match limit {
            Limit::Object => self.object,
            Limit::Page => self.page,
            Limit::WatchEvent => self.watch_event,
            Limit::Discovery => self.discovery,
            Limit::Depth => self.depth,
        }
    }

    /// The limit of what messages quote.
    pub(crate) fn quotes(&self) -> Quotes {
        Quotes(self.quote)
    }
}

/// One of the [`Limits`], which was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// Of an object: [`Limits::object`].
    Object,
    /// Of a page of a list: [`Limits::page`].
    Page,
    /// Of an event of a watch: [`Limits::watch_event`].
    WatchEvent,
    /// Of a document of discovery: [`Limits::discovery`].
    Discovery,
    /// Of the objects and lists within each other in an object: [`Limits::depth`].
    Depth,
}

impl Limit {
    /// What exceeds the limit, and how to allow more.
    pub(super) fn explain(self, allowed: usize) -> String {
        let (what, option) = match self {
            Self::Object => ("the object", "object"),
            Self::Page => ("the page", "page"),
            Self::WatchEvent => ("the watch event", "watch_event"),
            Self::Discovery => ("the document", "discovery"),
            Self::Depth => return too_deep(allowed),
        };
        let otherwise = match self {
            Self::Page => "read fewer objects at once, with `.page_size(...)` or a selector, or ",
            _ => "",
        };
        format!(
            "{what} is larger than {allowed} bytes; {otherwise}raise the limit with \
             `.limits(Limits::default().{option}(...))`"
        )
    }
}

/// An object is nested deeper than allowed.
pub(crate) fn too_deep(allowed: usize) -> String {
    let advice = match allowed {
        MAX_DEPTH.. => "no more can be read",
        _ => "raise the limit with `.limits(Limits::default().depth(...))`",
    };
    format!("an object is nested more than {allowed} deep; {advice}")
}

/// How many bytes of what the API server says go into a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotes(usize);

impl Default for Quotes {
    fn default() -> Self {
        Limits::default().quotes()
    }
}

impl Quotes {
    /// The beginning of a text, short enough for a message.
    pub(crate) fn cut(self, text: &str) -> Cow<'_, str> {
        if text.len() <= self.0 {
            return text.into();
        }
        let end = text.floor_char_boundary(self.0);
        format!("{} ... ({} bytes in all)", &text[..end], text.len()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        for bytes in [4, 4096, LONGEST_QUOTE, usize::MAX] {
            let quotes = Limits::default().quote(bytes).quotes();
            let bytes = bytes.min(LONGEST_QUOTE);
            assert_eq!(quotes.cut("abcd"), "abcd");
            let long = "ä".repeat(bytes);
            let cut = quotes.cut(&long);
            assert!(cut.len() < bytes + 40, "{}", cut.len());
            let end = format!("ä ... ({} bytes in all)", 2 * bytes);
            assert!(cut.ends_with(&end), "{cut}");
            let odd = format!("a{long}");
            assert!(quotes.cut(&odd).contains("ä ... ("));
        }
        assert_eq!(Quotes::default().cut(&"a".repeat(4096)).len(), 4096);
        assert!(Quotes::default().cut(&"a".repeat(4097)).contains(" ... ("));
    }

    #[test]
    fn errors_say_which_limit_and_how_to_raise_it() {
        for (limit, option) in [
            (Limit::Object, "object"),
            (Limit::Page, "page"),
            (Limit::WatchEvent, "watch_event"),
            (Limit::Discovery, "discovery"),
            (Limit::Depth, "depth"),
        ] {
            let message = limit.explain(77);
            let advice = format!("`.limits(Limits::default().{option}(...))`");
            assert!(
                message.contains(" 77 ") && message.ends_with(&advice),
                "{message}"
            );
        }
        let most = Limits::default().depth(1000).of(Limit::Depth);
        let message = "an object is nested more than 127 deep; no more can be read";
        assert_eq!(Limit::Depth.explain(most), message);
    }
}
