//! The versions of a resource while a request merges objects.

use serde_json::Value;

use crate::{
    managed_fields::{FieldPaths, Topology, Versions},
    resource::Resource,
    webhook_calls::WebhookCalls,
};

/// The versions of a resource, whose objects a webhook may convert.
pub(crate) struct Converted<'c> {
    pub(crate) resource: &'c Resource,
    pub(crate) external: &'c WebhookCalls,
}

impl Versions for Converted<'_> {
    fn kind(&self) -> &str {
        &self.resource.names.kind
    }

    fn topology(&self, api_version: &str) -> Option<&Topology> {
        self.resource.by_api_version(api_version).map(|(_, version)| &*version.topology)
    }

    fn has_status(&self, api_version: &str) -> bool {
        self.resource.by_api_version(api_version).is_some_and(|(_, version)| version.has_status())
    }

    fn fields_beside_object(&self) -> FieldPaths {
        self.resource.fields_beside_object()
    }

    fn fields_beside_status(&self) -> FieldPaths {
        self.resource.fields_beside_status()
    }

    fn convert(&self, object: &Value, api_version: &str) -> Value {
        let converted = self.resource.conversion.convert(self.external, object.clone(), api_version);
        // What merges objects cannot stop: the request does after it.
        converted.unwrap_or_else(|_| {
            let mut object = object.clone();
            object["apiVersion"] = api_version.into();
            object
        })
    }
}
