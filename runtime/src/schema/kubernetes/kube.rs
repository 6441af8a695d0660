//! Schemas of the types of kube.

use kube_core::{Duration, DynamicObject, TypeMeta};

use crate::schema::{Keyword, KubeSchema, Schema};

/// The valid texts of a [`Duration`]. The server's format `duration` would accept texts that cannot be decoded, such as
/// `PT1H`.
pub const DURATION: &str = r"^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";

impl KubeSchema for Duration {
    const SCHEMA: Schema = Schema::string().named("Duration").of_kubernetes().with(&[Keyword::Pattern(DURATION)]);
}

impl KubeSchema for DynamicObject {
    const SCHEMA: Schema = Schema::object(&[])
        .named("DynamicObject")
        .of_kubernetes()
        .with(&[Keyword::EmbeddedResource, Keyword::PreserveUnknownFields]);
}

objects! {
    /// The type of an object.
    TypeMeta {
        /// The group and version of the object's type.
        "apiVersion": String;
        /// The kind of the object.
        "kind": String;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<Duration>(json!("1.5s"));
        assert_roundtrips::<TypeMeta>(json!({ "apiVersion": "v1", "kind": "Pod" }));
        assert_roundtrips::<DynamicObject>(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": { "any": 1 },
        }));
    }
}
