//! CEL rules, run in process: the code that `#[kube(cel)]` and `#[x_kube(cel)]` generate.

pub(crate) mod evaluate;

/// Methods of a root type that run its rules.
#[doc(hidden)]
#[macro_export]
macro_rules! cel_of_resource {
    ($root:ty) => {
        impl $root {
            /// Runs the rules of the type on an object that is to be created.
            pub fn validate_cel(&self) -> $crate::__private::Result<(), $crate::cel::ValidationErrors> {
                $crate::__private::cel::validate_resource(self, $crate::__private::None)
            }

            /// Runs the rules of the type on an object that replaces `old`.
            pub fn validate_cel_update(
                &self,
                old: &Self,
            ) -> $crate::__private::Result<(), $crate::cel::ValidationErrors> {
                $crate::__private::cel::validate_resource(self, $crate::__private::Some(old))
            }
        }
    };
}

/// A function of a type that runs its rules on a value.
#[doc(hidden)]
#[macro_export]
macro_rules! cel_of_type {
    ($type:ty, $value:ty) => {
        impl $type {
            /// Runs the rules of the type on a value, with the old value that it replaces.
            pub fn validate_cel(
                value: &$value,
                old: $crate::__private::Option<&$value>,
            ) -> $crate::__private::Result<(), $crate::cel::ValidationErrors> {
                $crate::__private::cel::validate_value::<Self>(value, old)
            }
        }
    };
}
