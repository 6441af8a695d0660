//! Which of Kubernetes' own types have a status and a scale.

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

// After the macros that it uses.
mod table;
