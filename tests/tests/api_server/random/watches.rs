//! Watches, whose events are compared at the end of a sequence.

use serde_json::Value;

use super::Generator;
use crate::both::Step;

impl Generator {
    pub(super) fn watch(&mut self) -> Step {
        let version = self.below(1000);
        let from = self.pick(&[
            String::new(),
            "&resourceVersion=0".to_owned(),
            "&resourceVersion=$resourceVersion".to_owned(),
            format!("&resourceVersion=$version{version}"),
            format!("&resourceVersion=$version{version}"),
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true".to_owned(),
            "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true".to_owned(),
        ]);
        let selector = if self.one_in(2) { format!("&{}", self.pick(self.selectors())) } else { String::new() };
        let bookmarks = self.pick(&["", "&allowWatchBookmarks=true"]);
        let path = format!("{}?watch=true{from}{selector}{bookmarks}&timeoutSeconds=300", self.path());
        let accept = self.pick(&[
            "application/json",
            "application/json",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        ]);
        Step::new("GET", path, Value::Null).accepting(accept)
    }
}
