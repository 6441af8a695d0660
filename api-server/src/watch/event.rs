//! The lines of a watch.

use bytes::{BufMut, Bytes, BytesMut};

/// Returns the line of an event.
pub(crate) fn event(kind: &str, json: &[u8]) -> Bytes {
    let mut line = BytesMut::with_capacity(json.len() + 40);
    line.put_slice(br#"{"type":""#);
    line.put_slice(kind.as_bytes());
    line.put_slice(br#"","object":"#);
    line.put_slice(json);
    line.put_slice(b"}\n");
    line.freeze()
}
