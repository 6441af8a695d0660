//! The schemas of byte types, which serde writes as a list of numbers.

use bytes::{Bytes, BytesMut};

use super::std_types::schemas;
use super::{KubeSchema, Schema};

schemas! {
    Bytes => <[u8]>::SCHEMA;
    BytesMut => <[u8]>::SCHEMA;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<Bytes>(json!([0, 255]));
        assert_roundtrips::<BytesMut>(json!([]));
    }
}
