use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use crate::Answer;

/// The API server's verdict on an object.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether it would be stored.
    pub accepted: bool,
    /// The error message; empty if the object is accepted.
    pub message: String,
    /// The causes of the error.
    pub causes: Vec<Cause>,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The object with its defaults, if accepted.
    pub object: Option<Value>,
}

/// One cause of a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The field, such as `spec.group`.
    pub field: String,
    /// The reason, such as `FieldValueInvalid`.
    pub reason: String,
    /// The message.
    pub message: String,
}

impl Verdict {
    /// The verdict, if the object was accepted.
    ///
    /// # Panics
    ///
    /// If it was rejected.
    pub fn expect_accepted(self) -> Self {
        assert!(self.accepted, "{self}");
        self
    }

    /// The causes that name `field`.
    pub fn causes_at(&self, field: &str) -> Vec<&Cause> {
        self.causes.iter().filter(|cause| cause.field == field).collect()
    }
}

impl From<Answer> for Verdict {
    fn from(answer: Answer) -> Self {
        let accepted = answer.is_success();
        let causes = answer.body["details"]["causes"].as_array();
        Self {
            accepted,
            message: if accepted { String::new() } else { text(&answer.body["message"]) },
            causes: causes.into_iter().flatten().map(Cause::from_json).collect(),
            warnings: answer.warnings,
            object: accepted.then_some(answer.body),
        }
    }
}

impl Cause {
    fn from_json(cause: &Value) -> Self {
        Self { field: text(&cause["field"]), reason: text(&cause["reason"]), message: text(&cause["message"]) }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.accepted {
            write!(f, "accepted")?;
        } else {
            write!(f, "rejected: {}", self.message)?;
        }
        self.warnings.iter().try_for_each(|warning| write!(f, "\nwarning: {warning}"))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
