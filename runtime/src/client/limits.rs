use std::borrow::Cow;

use crdkit_core::text::floor_char_boundary;

pub(crate) use crate::json::scan::MAX_DEPTH;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Redacting values from a text takes longer the longer the text is.
const MAX_QUOTE: usize = 64 * KIB;

/// Size limits for responses: bytes after decompression, and the nesting depth of objects.
///
/// A larger response is [`Error::TooLarge`](super::Error::TooLarge), and reading stops at the limit. An error response
/// is truncated instead.
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
    /// Sets the maximum size of an object: 64 MiB by default. Kubernetes stores objects of at most 1.5 MiB by default.
    pub fn object(self, bytes: usize) -> Self {
        Self { object: bytes, ..self }
    }

    /// Sets the maximum size of a page of a list, and of the response to deleting several objects: 512 MiB by default.
    pub fn page(self, bytes: usize) -> Self {
        Self { page: bytes, ..self }
    }

    /// Sets the maximum size of a watch event: 64 MiB by default.
    pub fn watch_event(self, bytes: usize) -> Self {
        Self { watch_event: bytes, ..self }
    }

    /// Sets how many bytes of an error response are read: 1 MiB by default.
    ///
    /// A longer response results in the same error, with a truncated Status. [`quote`](Self::quote) limits how much of
    /// it appears in messages.
    pub fn error(self, bytes: usize) -> Self {
        Self { error: bytes, ..self }
    }

    /// Sets the maximum size of a discovery document: 64 MiB by default.
    pub fn discovery(self, bytes: usize) -> Self {
        Self { discovery: bytes, ..self }
    }

    /// Sets the maximum nesting depth of objects and lists in a Kubernetes object, including itself: 127 by default and
    /// at most.
    ///
    /// `{"metadata":{"labels":{}}}` has a depth of three. In a watch or a list, only the event or item that exceeds the
    /// limit is rejected.
    ///
    /// Each level takes stack: in debug builds up to 16 KiB for the largest types of Kubernetes, so that 127 levels fit
    /// into the 2 MiB of a thread. Use a lower limit for types of your own that take more, or for threads with a
    /// smaller stack. At 127, only the parts that the type decodes count; below 127, the whole object counts, including
    /// `managedFields`. Discovery has no such limit.
    pub fn depth(self, levels: usize) -> Self {
        Self { depth: levels.min(MAX_DEPTH), ..self }
    }

    /// Sets how much of the API server's text an error message quotes: 4 KiB by default, at most 64 KiB.
    pub fn quote(self, bytes: usize) -> Self {
        Self { quote: bytes.min(MAX_QUOTE), ..self }
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

    /// Returns the limit for quotations in messages.
    pub(crate) fn quote_limit(&self) -> QuoteLimit {
        QuoteLimit(self.quote)
    }
}

/// The one of the [`Limits`] that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// The size of an object: [`Limits::object`].
    Object,
    /// The size of a page of a list: [`Limits::page`].
    Page,
    /// The size of a watch event: [`Limits::watch_event`].
    WatchEvent,
    /// The size of a discovery document: [`Limits::discovery`].
    Discovery,
    /// The nesting depth of an object: [`Limits::depth`].
    Depth,
}

impl Limit {
    /// Describes what exceeds the limit, and how to raise it.
    pub(super) fn explain(self, allowed: usize) -> String {
        let (what, option) = match self {
            Self::Object => ("the object", "object"),
            Self::Page => ("the page", "page"),
            Self::WatchEvent => ("the watch event", "watch_event"),
            Self::Discovery => ("the document", "discovery"),
            Self::Depth => return too_deep(allowed),
        };
        let otherwise = match self {
            Self::Page => "request fewer objects per page with `.page_size(...)` or a selector, or ",
            _ => "",
        };
        format!(
            "{what} is larger than {allowed} bytes; {otherwise}raise the limit with \
             `.limits(Limits::default().{option}(...))`"
        )
    }
}

/// Describes an object that exceeds the depth limit.
pub(crate) fn too_deep(allowed: usize) -> String {
    let advice = match allowed {
        MAX_DEPTH.. => "this is the maximum",
        _ => "raise the limit with `.limits(Limits::default().depth(...))`",
    };
    format!("an object is nested more than {allowed} deep; {advice}")
}

/// How many bytes of the API server's text a message quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuoteLimit(usize);

impl Default for QuoteLimit {
    fn default() -> Self {
        Limits::default().quote_limit()
    }
}

impl QuoteLimit {
    /// Truncates a text to a length that fits into a message.
    pub(crate) fn truncate(self, text: &str) -> Cow<'_, str> {
        if text.len() <= self.0 {
            return text.into();
        }
        let end = floor_char_boundary(text, self.0);
        format!("{} ... ({} bytes in total)", &text[..end], text.len()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_truncated_between_characters() {
        for bytes in [4, 4096, MAX_QUOTE, usize::MAX] {
            let quote_limit = Limits::default().quote(bytes).quote_limit();
            let bytes = bytes.min(MAX_QUOTE);
            assert_eq!(quote_limit.truncate("abcd"), "abcd");
            let long = "ä".repeat(bytes);
            let truncated = quote_limit.truncate(&long);
            assert!(truncated.len() < bytes + 40, "{}", truncated.len());
            let end = format!("ä ... ({} bytes in total)", 2 * bytes);
            assert!(truncated.ends_with(&end), "{truncated}");
            let odd = format!("a{long}");
            assert!(quote_limit.truncate(&odd).contains("ä ... ("));
        }
        assert_eq!(QuoteLimit::default().truncate(&"a".repeat(4096)).len(), 4096);
        assert!(QuoteLimit::default().truncate(&"a".repeat(4097)).contains(" ... ("));
    }

    #[test]
    fn errors_contain_the_limit_and_how_to_raise_it() {
        for (limit, option) in [
            (Limit::Object, "object"),
            (Limit::Page, "page"),
            (Limit::WatchEvent, "watch_event"),
            (Limit::Discovery, "discovery"),
            (Limit::Depth, "depth"),
        ] {
            let message = limit.explain(77);
            let advice = format!("`.limits(Limits::default().{option}(...))`");
            assert!(message.contains(" 77 ") && message.ends_with(&advice), "{message}");
        }
        let most = Limits::default().depth(1000).of(Limit::Depth);
        let message = "an object is nested more than 127 deep; this is the maximum";
        assert_eq!(Limit::Depth.explain(most), message);
    }
}
