//! The schema of URLs.

use url::Url;

use super::Keyword::{Format, Pattern};
use super::std_types::schemas;
use super::{KubeSchema, Schema};

schemas! {
    // The server's format `uri` accepts paths such as `/a`.
    Url => Schema::string().with(&[Format("uri"), Pattern("^[A-Za-z][A-Za-z0-9+.-]*:")]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<Url>(json!("https://example.com/a?b=c#d"));
        assert_roundtrips::<Url>(json!("git+ssh://a@b/c"));
    }
}
