//! Panics of user code.

use std::{any::Any, fmt, sync::Arc};

use super::Problem;

/// The message of a panic, redacted.
///
/// A panic message may quote values of an object, as the one of `unwrap()` does. `Display` and `Debug` therefore omit
/// it, and [`unredacted`](Self::unredacted) returns it. The panic hook of the program still receives the message and
/// writes it to stderr, unless you set [another hook](std::panic::set_hook).
#[derive(Clone, PartialEq, Eq)]
pub struct PanicMessage(Arc<str>);

impl PanicMessage {
    pub(crate) fn from_payload(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self(text.unwrap_or("no message").into())
    }

    /// Returns the message. It may contain values of objects.
    pub fn unredacted(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PanicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message may contain values: call `.unredacted()` to read it")
    }
}

impl fmt::Debug for PanicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PanicMessage({self})")
    }
}

/// A panic of a user closure on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosurePanic {
    /// The closure, such as ``the index `image` ``.
    pub(crate) closure: String,
    pub(crate) message: PanicMessage,
}

impl ClosurePanic {
    pub(crate) fn new(closure: impl Into<String>, panic: &(dyn Any + Send)) -> Self {
        Self { closure: closure.into(), message: PanicMessage::from_payload(panic) }
    }

    pub(super) fn to_problem(&self, namespace: Option<&str>, name: &str) -> Problem {
        Problem::Panicked {
            closure: self.closure.clone(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            message: self.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn panic_messages_are_redacted_unless_requested() {
        let panics: [fn(); 2] = [|| panic!("hunter2"), || panic!("password: {}", "hunter2".repeat(2))];
        for panics in panics {
            let panic = catch_unwind(panics).unwrap_err();
            let message = PanicMessage::from_payload(&*panic);
            assert!(message.unredacted().contains("hunter2"));
            let problem = ClosurePanic::new("the transform", &*panic).to_problem(None, "web");
            let texts = format!("{message} {message:?} {message:#?} {problem:?} {problem:#?}");
            assert!(!texts.contains("hunter2"), "{texts}");
            assert!(texts.contains("the transform"), "{texts}");
        }
        let panic = catch_unwind(|| std::panic::panic_any(7)).unwrap_err();
        assert_eq!(PanicMessage::from_payload(&*panic).unredacted(), "no message");
    }
}
