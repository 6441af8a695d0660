//! Compressed bodies.

use std::io::Write;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};

/// Returns a text as a member of gzip.
pub(super) fn compress(text: &[u8]) -> Bytes {
    // `gzipContentEncodingLevel` of `responsewriters/compression.go`.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.expect("a Vec takes everything").into()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn compressed_text_reads_back() {
        let text = "abc".repeat(100_000);
        let compressed = compress(text.as_bytes());
        assert!(compressed.len() < text.len() / 10);
        let mut read = String::new();
        GzDecoder::new(&compressed[..]).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
    }
}
