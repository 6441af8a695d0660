//! The schemas of bytes, which serde writes as a list of numbers.

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

    use super::super::accepts::kept;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        kept::<Bytes>(json!([0, 255]));
        kept::<BytesMut>(json!([]));
    }
}
