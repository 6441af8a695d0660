//! What follows from a write: definitions are served, namespaces are emptied.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

use super::{
    decode::text,
    failure::Failure,
    request::{Call, Request},
    resource::Resource,
    route::Target,
    state::State,
    user::User,
};

impl State {
    /// Returns a call of the server itself for an object.
    pub(super) fn internal_call(&self, group: &str, plural: &str, object: &Value) -> Result<Call, Failure> {
        let resource = self.resource(group, plural).ok_or_else(Failure::no_such_path)?.clone();
        let version = resource.storage();
        let namespace = text(&object["metadata"], "namespace");
        let target = Target {
            group: group.to_owned(),
            version: resource.versions[version].spec.name.clone(),
            namespace: Some(namespace.to_owned()).filter(|it| !it.is_empty()),
            plural: plural.to_owned(),
            name: Some(text(&object["metadata"], "name").to_owned()),
            subresource: None,
        };
        let request = Request {
            method: Method::POST,
            uri: http::Uri::from_static("/"),
            headers: http::HeaderMap::new(),
            body: bytes::Bytes::new(),
        };
        let call = Call::new(resource, version, target, request, Arc::new(User::admin()));
        Ok(Call { is_internal: true, ..call })
    }

    pub(super) fn after_write(&mut self, resource: &Arc<Resource>, object: &Value) -> Result<(), Failure> {
        if resource.is_definition() {
            self.define(object)?;
            let spec = &object["spec"];
            self.clean_up_definition(text(spec, "group"), text(&spec["names"], "plural"));
        }
        self.invalidate_policy(resource);
        self.invalidate_webhooks(resource);
        Ok(())
    }

    pub(super) fn after_removal(&mut self, resource: &Arc<Resource>, object: &Value) {
        if resource.is_definition() {
            let spec = &object["spec"];
            self.undefine(text(spec, "group"), text(&spec["names"], "plural"));
        }
        if resource.is_custom {
            self.clean_up_definition(&resource.group, &resource.names.plural);
        }
        self.invalidate_policy(resource);
        self.invalidate_webhooks(resource);
    }
}
