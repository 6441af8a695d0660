//! Kubernetes' own types: all kinds, those with a status and with a scale, and those that can be applied.

macro_rules! status {
    ($($module:ident)::+ => $($kind:ident: $status:ident;)+) => {
        const _: () = {
            use $($module)::+::{$($kind, $status),+};
            $(
                impl $crate::subresource::StatusSubresource for $kind {
                    type Status = $status;

                    fn status(&self) -> Option<&$status> {
                        self.status.as_ref()
                    }

                    fn status_mut(&mut self) -> &mut Option<$status> {
                        &mut self.status
                    }
                }
            )+
        };
    };
}

macro_rules! scale {
    ($($module:ident)::+ => $($kind:ident;)+) => {
        const _: () = {
            use $($module)::+::{$($kind),+};
            $(impl $crate::subresource::ScaleSubresource for $kind {})+
        };
    };
}

/// The types that can be patched, which omit unset fields when they are serialized.
macro_rules! apply {
    ([] $($module:ident)::+ => $($words:ident)+; $($rest:tt)*) => {
        const _: () = {
            #[allow(unused_imports, reason = "no kind of the version can be patched")]
            use $($module)::+ as types;
            apply!(@ $($words)+; $($rest)*);
        };
    };
    (@ $kind:ident; $($rest:tt)*) => {
        #[diagnostic::do_not_recommend]
        impl $crate::apply::traits::Apply<Self> for types::$kind {}
        apply!(@ $($rest)*);
    };
    (@ unapplied $kind:ident; $($rest:tt)*) => {
        apply!(@ $($rest)*);
    };
    (@) => {};
}

pub(super) mod kinds;

kinds::for_each_kind!(apply);

// Must follow the macros that they use.
mod scale;
mod status;
