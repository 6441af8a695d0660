use kube_core::Resource;

use super::{DuplicateKind, Scheme};
use crate::client::{resources::Object, sealed::Sealed};

/// Types that are registered together: a tuple of up to 16.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of up to 16 types of resources",
    note = "register one type with `register::<Database>()`, several with `register_all::<(Database, Backup)>()`"
)]
pub trait Kinds: Sealed {
    #[doc(hidden)]
    fn register(scheme: Scheme) -> Result<Scheme, DuplicateKind>;
}

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first, $($rest),*> Sealed for ($first, $($rest,)*) {}

        #[diagnostic::do_not_recommend]
        impl<$first, $($rest),*> Kinds for ($first, $($rest,)*)
        where
            $first: Object + Resource<DynamicType = ()>,
            $($rest: Object + Resource<DynamicType = ()>,)*
        {
            fn register(scheme: Scheme) -> Result<Scheme, DuplicateKind> {
                let scheme = scheme.register::<$first>()?;
                $(let scheme = scheme.register::<$rest>()?;)*
                Ok(scheme)
            }
        }
        tuples!($($rest)*);
    };
    () => {};
}

tuples!(A B C D E F G H I J K L M N O P);
