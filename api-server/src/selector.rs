//! Selectors of lists, watches and deletions of collections.

pub(super) mod fields;
pub(super) mod labels;
#[cfg(feature = "sharded-lists")]
pub(super) mod shards;

/// Without the feature, the parameter `shardSelector` has no effect, as without the feature gate.
#[cfg(not(feature = "sharded-lists"))]
pub(super) mod shards {
    use serde_json::Value;

    #[derive(Debug)]
    pub(crate) enum ShardSelector {}

    impl ShardSelector {
        pub(crate) fn matches(&self, _: &Value) -> bool {
            match *self {}
        }

        pub(crate) fn text(&self) -> String {
            match *self {}
        }
    }

    pub(crate) fn parse(_: &str) -> Result<Option<ShardSelector>, String> {
        Ok(None)
    }
}
