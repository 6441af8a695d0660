//! Splits a response body into lines.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{Stream, stream};
use memchr::memchr;

use crate::client::{
    body::{self, ResponseBody},
    deadline::Deadline,
};

/// Why there are no more lines.
#[derive(Debug)]
pub(super) enum LinesError {
    Broken(kube::Error),
    /// The deadline has passed.
    Elapsed,
    TooLong(LineTooLong),
}

/// Returns the lines of a body until a deadline. An incomplete last line is dropped.
pub(super) fn split(
    body: ResponseBody,
    limit: usize,
    deadline: Deadline,
) -> impl Stream<Item = Result<Bytes, LinesError>> + Send {
    let start = (body, Lines::new(limit));
    stream::try_unfold(start, move |(mut body, mut lines)| async move {
        loop {
            if let Some(line) = lines.next().map_err(LinesError::TooLong)? {
                return Ok(Some((line, (body, lines))));
            }
            // Chunks that are already buffered are returned even after the deadline, so this could continue forever.
            if deadline.has_passed() {
                return Err(LinesError::Elapsed);
            }
            let chunk = deadline.within(body::next(&mut body)).await.map_err(|_| LinesError::Elapsed)?;
            match chunk.map_err(LinesError::Broken)? {
                Some(chunk) => lines.push(chunk),
                None => return Ok(None),
            }
        }
    })
}

/// A line exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineTooLong;

/// The lines of a body that arrives in chunks. Text after the last line end is never a line.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The received chunks that were not returned. Only the first may have been returned in part, up to `returned`.
    chunks: VecDeque<Bytes>,
    returned: usize,
    /// The start of a line that continues in `chunks`.
    partial: Vec<u8>,
    /// The maximum length of a line.
    limit: usize,
}

impl Lines {
    /// Creates a splitter for lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { chunks: VecDeque::new(), returned: 0, partial: Vec::new(), limit }
    }

    /// Appends a chunk. It is buffered until [`next`](Self::next) has returned its lines.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.chunks.push_back(chunk);
    }

    /// Returns the next line, without its line end; `None` if it is incomplete. A line within one chunk is not copied.
    ///
    /// Fails, on this and all later calls, if the line exceeds the limit.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, LineTooLong> {
        let Some(end) = self.find_end()? else {
            return Ok(None);
        };
        let start = std::mem::replace(&mut self.returned, end + 1);
        let line = self.chunks[0].slice(start..end);
        if self.partial.is_empty() {
            return Ok(Some(line));
        }
        let mut whole = std::mem::take(&mut self.partial);
        whole.extend_from_slice(&line);
        Ok(Some(whole.into()))
    }

    /// Returns the text after the last line end. All lines must have been returned.
    pub(crate) fn into_rest(self) -> Vec<u8> {
        self.partial
    }

    /// Returns the end of the line in the first chunk. Chunks without a line end are moved to the start of the line.
    fn find_end(&mut self) -> Result<Option<usize>, LineTooLong> {
        while let Some(chunk) = self.chunks.front() {
            let rest = &chunk[self.returned..];
            let end = memchr(b'\n', rest);
            if end.unwrap_or(rest.len()) > self.limit.saturating_sub(self.partial.len()) {
                return Err(LineTooLong);
            }
            if let Some(end) = end {
                return Ok(Some(self.returned + end));
            }
            self.partial.extend_from_slice(rest);
            self.chunks.pop_front();
            self.returned = 0;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(usize::MAX);
        let mut returned = Vec::new();
        for chunk in chunks {
            lines.push(Bytes::copy_from_slice(chunk));
            while let Some(line) = lines.next().unwrap() {
                returned.push(line.to_vec());
            }
        }
        returned
    }

    fn complete(text: &[u8]) -> Vec<Vec<u8>> {
        let mut whole: Vec<_> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        whole.pop();
        whole
    }

    #[test]
    fn lines_are_split_at_any_chunk_boundary() {
        let text = b"{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n{\"d\"";
        for first in 0..text.len() {
            for second in first..text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(lines(&chunks), complete(text));
            }
        }
    }

    #[test]
    fn the_rest_is_the_text_after_the_last_line() {
        let mut lines = Lines::new(9);
        for chunk in ["one\ntw", "o\nth", "ree"] {
            lines.push(Bytes::from_static(chunk.as_bytes()));
        }
        while lines.next().unwrap().is_some() {}
        assert_eq!(lines.into_rest(), b"three");
    }

    #[test]
    fn lines_of_one_chunk_are_not_copied() {
        let chunk = Bytes::from_static(b"one\ntwo\n");
        let mut lines = Lines::new(usize::MAX);
        lines.push(chunk.clone());
        let mut next = || lines.next().unwrap();
        assert_eq!(next().unwrap().as_ptr(), chunk.as_ptr());
        assert_eq!(next().unwrap().as_ptr(), chunk[4..].as_ptr());
        assert_eq!(next(), None);
    }

    #[test]
    fn too_long_lines_are_not_buffered() {
        for chunks in [&["one\n", "1234567"][..], &["one\n1234", "567"], &["one\n1234567\n"]] {
            let mut lines = Lines::new(6);
            for chunk in chunks {
                lines.push(Bytes::from_static(chunk.as_bytes()));
            }
            assert_eq!(lines.next().unwrap().unwrap(), "one");
            assert_eq!(lines.next(), Err(LineTooLong));
            assert_eq!(lines.next(), Err(LineTooLong));
        }
        let mut lines = Lines::new(6);
        lines.push(Bytes::from_static(b"1234"));
        assert_eq!(lines.next(), Ok(None));
        lines.push(Bytes::from_static(b"56\n"));
        assert_eq!(lines.next().unwrap().unwrap(), "123456");
    }

    proptest! {
        #[test]
        fn chunk_boundaries_do_not_matter(
            text in "[ab\n]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..6),
            at_once in any::<bool>(),
        ) {
            let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            let returned = if at_once {
                let mut lines = Lines::new(usize::MAX);
                chunks.iter().for_each(|chunk| lines.push(Bytes::copy_from_slice(chunk)));
                std::iter::from_fn(|| lines.next().unwrap().map(Vec::from)).collect()
            } else {
                lines(&chunks)
            };
            prop_assert_eq!(returned, complete(text.as_bytes()));
        }
    }
}
