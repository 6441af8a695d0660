//! Failures of requests for the objects of a resource.

use http::Method;
use serde_json::Value;

use super::Resource;
use crate::{failure::Failure, value::text};

impl Resource {
    fn of_object(&self, code: u16, reason: &'static str, name: &str, problem: &str) -> Failure {
        let message = format!("{} \"{name}\" {problem}", self.qualified());
        Failure::new(code, reason, message).about(&self.group, &self.names.plural, name)
    }

    pub(crate) fn not_found(&self, name: &str) -> Failure {
        self.of_object(404, "NotFound", name, "not found")
    }

    /// There is an object with the name in the metadata, which the server has generated if there is a prefix.
    pub(crate) fn already_exists(&self, metadata: &Value, is_deleting: bool) -> Failure {
        const NOT_UNIQUE: &str = "already exists, the server was not able to generate a unique name for the object";
        let of = |problem| self.of_object(409, "AlreadyExists", text(metadata, "name"), problem);
        let failure = match text(metadata, "generateName") {
            "" => of("already exists"),
            _ => of(NOT_UNIQUE).with_detail("retryAfterSeconds", 1),
        };
        if is_deleting {
            Failure { message: format!("object is being deleted: {}", failure.message), ..failure }
        } else {
            failure
        }
    }

    pub(crate) fn conflict(&self, name: &str, problem: &str) -> Failure {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {problem}", self.qualified());
        Failure::new(409, "Conflict", message).about(&self.group, &self.names.plural, name)
    }

    /// The object was changed since the client read it.
    pub(crate) fn modified(&self, name: &str) -> Failure {
        const PROBLEM: &str =
            "the object has been modified; please apply your changes to the latest version and try again";
        self.conflict(name, PROBLEM)
    }

    pub(crate) fn forbidden(&self, name: &str, problem: &str) -> Failure {
        self.of_object(403, "Forbidden", name, &format!("is forbidden: {problem}"))
    }

    /// The resource has no such method.
    pub(crate) fn method_not_allowed(&self, method: &Method) -> Failure {
        if !self.is_custom {
            return Failure::method_not_allowed().about("", "", "");
        }
        let verb = match *method {
            Method::POST => "create",
            Method::DELETE => "delete",
            _ => "",
        };
        let message = format!("{verb} is not supported on resources of kind \"{}\"", self.qualified());
        Failure::new(405, "MethodNotAllowed", message).about(&self.group, &self.names.plural, "")
    }
}
