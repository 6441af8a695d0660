//! Cuts what comes from the network into lines.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{Stream, stream};
use http_body_util::BodyExt;
use kube::client::Body;
use memchr::memchr;

/// The lines of a body; one that is not complete when the body ends is left out.
pub(super) fn of(body: Body) -> impl Stream<Item = Result<Bytes, kube::Error>> + Send {
    let start = (body, Lines::default());
    stream::try_unfold(start, |(mut body, mut lines)| async move {
        loop {
            if let Some(line) = lines.next() {
                return Ok(Some((line, (body, lines))));
            }
            let Some(frame) = body.frame().await else {
                return Ok(None);
            };
            if let Ok(chunk) = frame?.into_data() {
                lines.push(chunk);
            }
        }
    })
}

/// The lines of a body that comes in chunks. What follows the last end of line is never one.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// What came and was not told. Only the first may have been told in part, up to `told`.
    chunks: VecDeque<Bytes>,
    told: usize,
    /// The beginning of a line that goes on in `chunks`.
    partial: Vec<u8>,
}

impl Lines {
    /// Appends what came.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.chunks.push_back(chunk);
    }

    /// The next line, without its end; `None` until more comes. One that lies within a chunk is not copied.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        let end = self.find_end()?;
        let start = std::mem::replace(&mut self.told, end + 1);
        let line = self.chunks.front()?.slice(start..end);
        if self.partial.is_empty() {
            return Some(line);
        }
        let mut whole = std::mem::take(&mut self.partial);
        whole.extend_from_slice(&line);
        Some(whole.into())
    }

    /// Where the line ends in the first chunk, after the chunks in which it does not are set aside.
    fn find_end(&mut self) -> Option<usize> {
        loop {
            let rest = &self.chunks.front()?[self.told..];
            if let Some(end) = memchr(b'\n', rest) {
                return Some(self.told + end);
            }
            self.partial.extend_from_slice(rest);
            self.chunks.pop_front();
            self.told = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::default();
        let mut told = Vec::new();
        for chunk in chunks {
            lines.push(Bytes::copy_from_slice(chunk));
            while let Some(line) = lines.next() {
                told.push(line.to_vec());
            }
        }
        told
    }

    fn complete(text: &[u8]) -> Vec<Vec<u8>> {
        let mut whole: Vec<_> = text
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        whole.pop();
        whole
    }

    #[test]
    fn lines_are_cut_wherever_the_chunks_are() {
        let text = b"{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n{\"d\"";
        for first in 0..text.len() {
            for second in first..text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(lines(&chunks), complete(text));
            }
        }
    }

    #[test]
    fn lines_of_one_chunk_are_not_copied() {
        let chunk = Bytes::from_static(b"one\ntwo\n");
        let mut lines = Lines::default();
        lines.push(chunk.clone());
        assert_eq!(lines.next().unwrap().as_ptr(), chunk.as_ptr());
        assert_eq!(lines.next().unwrap().as_ptr(), chunk[4..].as_ptr());
        assert_eq!(lines.next(), None);
    }

    proptest! {
        #[test]
        fn chunks_mean_nothing(
            text in "[ab\n]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..6),
            at_once in any::<bool>(),
        ) {
            let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            let told = if at_once {
                let mut lines = Lines::default();
                chunks.iter().for_each(|chunk| lines.push(Bytes::copy_from_slice(chunk)));
                std::iter::from_fn(|| lines.next().map(Vec::from)).collect()
            } else {
                lines(&chunks)
            };
            prop_assert_eq!(told, complete(text.as_bytes()));
        }
    }
}
