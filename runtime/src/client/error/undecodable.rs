use super::{ClientOperation, Excerpt, JsonError};

/// A response that does not match its type.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation}: {}: {source}", self.location())]
#[non_exhaustive]
pub struct Undecodable {
    /// The requested operation.
    pub operation: ClientOperation,
    /// The namespace of the invalid object, if it has one.
    pub namespace: Option<String>,
    /// The name of the invalid object, if it can be decoded.
    pub name: Option<String>,
    /// The path in the invalid object, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// The error of its `Deserialize` implementation.
    pub source: JsonError,
}

impl Undecodable {
    fn location(&self) -> String {
        let namespace = self.namespace.as_deref().map(|namespace| format!("{}/", Excerpt(namespace)));
        let object = match &self.name {
            Some(name) => format!("the object `{}{}`", namespace.unwrap_or_default(), Excerpt(name)),
            None => "the response".to_owned(),
        };
        match &self.path {
            Some(path) => format!("{object} does not match the type at `{}`", Excerpt(path)),
            None => format!("{object} does not match the type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_of_the_response_are_truncated() {
        let long = "\u{1b}".repeat(1 << 20);
        let error = Undecodable {
            operation: ClientOperation::discovery("/apis"),
            namespace: Some(long.clone()),
            name: Some(long.clone()),
            path: Some(long),
            source: JsonError::plain("no"),
        };
        let message = error.to_string();
        assert!(message.len() < 10_000 && !message.contains('\u{1b}'));
    }
}
