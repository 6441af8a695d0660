//! Panics of the program's own code.

use std::{any::Any, fmt, sync::Arc};

use super::Problem;

/// What a panic said.
///
/// It may quote a value of an object, as that of `unwrap()` does, so its texts, those of `Debug` too, leave it out;
/// [`unredacted`](Self::unredacted) has it. So does the panic hook of the program, which writes it to stderr unless
/// [another one](std::panic::set_hook) is set.
#[derive(Clone, PartialEq, Eq)]
pub struct PanicMessage(Arc<str>);

impl PanicMessage {
    pub(crate) fn of(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self(text.unwrap_or("no message").into())
    }

    /// The message. It may hold values of objects.
    pub fn unredacted(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PanicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its message may hold values: `.unredacted()` has it")
    }
}

impl fmt::Debug for PanicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PanicMessage({self})")
    }
}

/// A closure of the program panicked on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosurePanic {
    /// Which closure, such as ``the index `image` ``.
    pub(crate) closure: String,
    pub(crate) message: PanicMessage,
}

impl ClosurePanic {
    pub(crate) fn new(closure: impl Into<String>, panic: &(dyn Any + Send)) -> Self {
        Self {
            closure: closure.into(),
            message: PanicMessage::of(panic),
        }
    }

    pub(super) fn on(&self, namespace: Option<&str>, name: &str) -> Problem {
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
    fn what_a_panic_says_is_only_shown_on_request() {
        let panics: [fn(); 2] = [
            || panic!("hunter2"),
            || panic!("password: {}", "hunter2".repeat(2)),
        ];
        for panics in panics {
            let panic = catch_unwind(panics).unwrap_err();
            let message = PanicMessage::of(&*panic);
            assert!(message.unredacted().contains("hunter2"));
            let problem = ClosurePanic::new("the transform", &*panic).on(None, "web");
            let texts = format!("{message} {message:?} {message:#?} {problem:?} {problem:#?}");
            assert!(!texts.contains("hunter2"), "{texts}");
            assert!(texts.contains("the transform"), "{texts}");
        }
        let panic = catch_unwind(|| std::panic::panic_any(7)).unwrap_err();
        assert_eq!(PanicMessage::of(&*panic).unredacted(), "no message");
    }
}
