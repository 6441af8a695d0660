//! Implementations for Kubernetes' own types: which have a status and a scale, and which can be applied.

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

/// These types omit unset fields when they are serialized.
macro_rules! apply {
    ($($module:ident)::+ => $($kind:ident;)+) => {
        const _: () = {
            use $($module)::+::{$($kind),+};
            $(
                #[diagnostic::do_not_recommend]
                impl $crate::apply::traits::Apply<Self> for $kind {}
            )+
        };
    };
}

// Must follow the macros that it uses.
mod table;
