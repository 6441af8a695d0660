//! The schema of UUIDs.

use uuid::Uuid;

use super::Keyword::{Format, Pattern};
use super::std_types::schemas;
use super::{KubeSchema, Schema};

schemas! {
    // In the server's format `uuid`, every hyphen is optional.
    Uuid => Schema::string().with(&[
        Format("uuid"),
        Pattern("^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"),
    ]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<Uuid>(json!("67e55044-10b1-426f-9247-bb680e5fe0c8"));
        assert_roundtrips::<Uuid>(json!(Uuid::nil()));
    }
}
