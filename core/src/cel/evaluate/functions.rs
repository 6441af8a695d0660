//! The functions of the server's environment.
//!
//! A function finds its overload by the types of its arguments. If there is none, the error is that of cel-go's dispatcher.

use super::{
    Run,
    error::{Evaluated, Stop},
    program::Call,
    value::Value,
};

mod conversions;
mod format;
mod libraries;
mod lists;
pub(super) mod messages;
mod operators;
mod optionals;
mod regexes;
mod sequences;
mod strings;
mod times;

/// A function. A method has its target as the first argument.
pub(super) type Function = for<'v, 'r> fn(&mut Run<'v, 'r>, &mut [Value<'v>], &Call) -> Evaluated<'v>;

/// Returns the function with a name.
pub(super) fn named(name: &str) -> Function {
    operators::named(name)
        .or_else(|| conversions::named(name))
        .or_else(|| strings::named(name))
        .or_else(|| lists::named(name))
        .or_else(|| sequences::named(name))
        .or_else(|| optionals::named(name))
        .or_else(|| regexes::named(name))
        .or_else(|| times::named(name))
        .or_else(|| format::named(name))
        .or_else(|| libraries::named(name))
        .unwrap_or(|_, args, call| no_overload(call, args))
}

/// The error of a function that has no overload for the types of its arguments.
fn no_overload<'v>(call: &Call, args: &[Value<'v>]) -> Evaluated<'v> {
    Err(Stop::no_such_overload(&call.name, args))
}
