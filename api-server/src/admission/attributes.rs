//! What a request does, as admission sees it.

use serde_json::{Map, Value, json};

use crate::{
    authorization::Authorizer, decode, failure::Failure, request::ResourceRequest, value::text, webhook_calls::Stop,
};

/// What a request does to an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    /// Returns the operation in rules, such as `CREATE`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// A write, with the objects in the version of the request.
pub(crate) struct Attributes<'a> {
    pub(super) call: &'a ResourceRequest,
    pub(super) operation: Operation,
    pub(super) object: Option<Value>,
    pub(super) old: Option<Value>,
    pub(super) options: Value,
    /// Who answers the checks of expressions.
    pub(super) authorizer: Authorizer,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(
        call: &'a ResourceRequest,
        operation: Operation,
        object: Option<Value>,
        old: Option<Value>,
        authorizer: Authorizer,
    ) -> Self {
        Self { call, operation, object, old, options: options(call, operation), authorizer }
    }

    pub(super) fn subresource(&self) -> &str {
        self.call.target.subresource.as_deref().unwrap_or_default()
    }

    pub(super) fn name(&self) -> &str {
        match (self.call.name(), &self.object) {
            ("", Some(object)) if self.operation == Operation::Create => text(&object["metadata"], "name"),
            (name, _) => name,
        }
    }

    /// Returns a failure with the status 403.
    pub(super) fn forbidden(&self, problem: &str) -> Failure {
        let metadata = self.object.as_ref().map_or(&Value::Null, |object| &object["metadata"]);
        let names = [self.name(), text(metadata, "name"), text(metadata, "generateName"), "Unknown"];
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        self.call.resource.forbidden(name, problem)
    }

    /// Returns the namespace; that of a namespace is itself.
    pub(super) fn namespace(&self) -> &str {
        if self.call.resource.is_namespace() { self.name() } else { self.call.namespace() }
    }

    /// Returns whether the objects are those of the resource, and not scales and the like.
    fn is_of_resource(&self) -> bool {
        self.call.own_kind().is_none()
    }

    /// Returns an object in another version.
    pub(super) fn in_version(&self, object: Option<&Value>, version: usize) -> Result<Option<Value>, Stop> {
        match object {
            Some(object) if self.is_of_resource() && version != self.call.version => {
                self.call.resource.convert(&self.call.external, object.clone(), version).map(Some)
            }
            object => Ok(object.cloned()),
        }
    }

    /// Returns the `AdmissionRequest` about the objects in a version, without its UID.
    pub(super) fn request(&self, version: usize) -> Result<Value, Stop> {
        let call = self.call;
        let resource = &call.resource;
        let kind = |version: usize| match call.own_kind() {
            None => {
                json!({ "group": resource.group, "version": resource.versions[version].spec.name, "kind": call.kind() })
            }
            Some(own) => json!({ "group": own.group, "version": own.version, "kind": own.kind }),
        };
        let names = |version: usize| {
            let version = &resource.versions[version].spec.name;
            json!({ "group": resource.group, "version": version, "resource": resource.names.plural })
        };
        let mut request = json!({
            "kind": kind(version),
            "resource": names(version),
            "requestKind": kind(call.version),
            "requestResource": names(call.version),
            "operation": self.operation.name(),
            "userInfo": call.user.to_json(),
            "object": self.in_version(self.object.as_ref(), version)?,
            "oldObject": self.in_version(self.old.as_ref(), version)?,
            "dryRun": call.is_dry_run(),
            "options": self.options,
        });
        let subresource = self.subresource();
        let optional = [
            ("subResource", subresource),
            ("requestSubResource", subresource),
            ("name", self.name()),
            ("namespace", self.namespace()),
        ];
        for (member, value) in optional.into_iter().filter(|(_, value)| !value.is_empty()) {
            request[member] = value.into();
        }
        Ok(request)
    }
}

/// Returns the options of the request, such as `CreateOptions`.
fn options(call: &ResourceRequest, operation: Operation) -> Value {
    let mut options = Map::new();
    let kind = match operation {
        Operation::Create => "CreateOptions",
        Operation::Update => "UpdateOptions",
        Operation::Delete => "DeleteOptions",
    };
    options.insert("kind".into(), kind.into());
    options.insert("apiVersion".into(), "meta.k8s.io/v1".into());
    let dry_run: Vec<_> = call.query.all("dryRun").filter(|it| !it.is_empty()).collect();
    if !dry_run.is_empty() {
        options.insert("dryRun".into(), dry_run.into());
    }
    if operation != Operation::Delete {
        for name in ["fieldManager", "fieldValidation"] {
            let value = call.query.get(name);
            if !value.is_empty() {
                options.insert(name.into(), value.into());
            }
        }
        return options.into();
    }
    let body = decode::parse(&call.request.body, call.request.content_type()).ok();
    match body.map(|body| body.object) {
        Some(Value::Object(members)) => {
            let named = members.into_iter().filter(|(name, _)| !matches!(name.as_str(), "kind" | "apiVersion"));
            options.extend(named);
        }
        _ => {
            let policy = call.query.get("propagationPolicy");
            if !policy.is_empty() {
                options.insert("propagationPolicy".into(), policy.into());
            }
            if let Ok(Some(seconds)) = call.query.number::<i64>("gracePeriodSeconds") {
                options.insert("gracePeriodSeconds".into(), seconds.into());
            }
        }
    }
    options.into()
}
