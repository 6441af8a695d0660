//! Cuts a body into lines.

use futures_util::{Stream, stream};
use http_body_util::BodyExt;
use kube::client::Body;

/// The lines of a body; one that is not complete when the body ends is left out.
pub(super) fn of(body: Body) -> impl Stream<Item = Result<Vec<u8>, kube::Error>> + Send {
    let start = Lines {
        body,
        buffer: Buffer::default(),
    };
    stream::try_unfold(start, |mut lines| async move {
        let line = lines.next().await?;
        Ok(line.map(|line| (line, lines)))
    })
}

struct Lines {
    body: Body,
    buffer: Buffer,
}

impl Lines {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, kube::Error> {
        loop {
            if let Some(line) = self.buffer.next() {
                return Ok(Some(line));
            }
            let Some(frame) = self.body.frame().await else {
                return Ok(None);
            };
            if let Ok(data) = frame?.into_data() {
                self.buffer.append(&data);
            }
        }
    }
}

/// What has arrived and is no line yet.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// So many bytes have no end of line among them.
    searched: usize,
}

impl Buffer {
    fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let unsearched = &self.bytes[self.searched..];
        let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(self.searched + end + 1);
        let mut line = std::mem::replace(&mut self.bytes, rest);
        self.searched = 0;
        line.pop();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&str]) -> Vec<String> {
        let mut buffer = Buffer::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            buffer.append(chunk.as_bytes());
            while let Some(line) = buffer.next() {
                lines.push(String::from_utf8(line).unwrap());
            }
        }
        lines
    }

    #[test]
    fn lines_are_cut_wherever_the_chunks_are() {
        let text = "{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n";
        let whole: Vec<_> = text.lines().collect();
        for first in 0..text.len() {
            for second in first..text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(lines(&chunks), whole);
            }
        }
    }

    #[test]
    fn a_line_that_is_cut_off_is_left_out() {
        assert_eq!(lines(&["{\"a\":1}\n{\"b", "\":2"]), ["{\"a\":1}"]);
    }
}
