//! The functions of the server's environment.
//!
//! `functions.txt` has a line for each overload: the minor version of Kubernetes that introduced it, the name of the function, the
//! id of the overload, `m` for methods (whose first argument is the receiver) or `f` for functions with the arguments, and the
//! result. In new definitions, the server accepts the functions of the version before its own.

use alloc::vec::Vec;

use super::types::{Type, split};

const TABLE: &str = include_str!("functions.txt");

/// An overload of a function.
#[derive(Clone, Debug)]
pub(super) struct Overload {
    pub(super) id: &'static str,
    /// The minor version of Kubernetes that introduced it.
    pub(super) since: u32,
    pub(super) is_member: bool,
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

/// Returns all overloads of a function, in the server's order.
pub(super) fn overloads(name: &str) -> Vec<Overload> {
    let lines = TABLE.lines().filter_map(|line| {
        let (since, rest) = line.split_once(' ')?;
        let (function, rest) = rest.split_once(' ')?;
        (function == name).then_some((since, rest))
    });
    lines.filter_map(|(since, rest)| overload(since, rest)).collect()
}

fn overload(since: &str, line: &'static str) -> Option<Overload> {
    let (id, rest) = line.split_once(' ')?;
    let (call, result) = rest.rsplit_once(' ')?;
    let (kind, args) = call.strip_suffix(')')?.split_once('(')?;
    Some(Overload {
        id,
        since: since.parse().ok()?,
        is_member: kind == "m",
        args: split(args).map(Type::parse).collect(),
        result: Type::parse(result),
    })
}

/// Returns the arguments and the result of an overload as the table writes them, and the name of the function.
pub(super) fn signature(function: &str, id: &str) -> Option<(&'static str, &'static str)> {
    TABLE.lines().find_map(|line| {
        let mut words = line.splitn(4, ' ').skip(1);
        let name = words.next().filter(|name| *name == function)?;
        words.next().filter(|it| *it == id)?;
        Some((name, words.next()?))
    })
}

/// Returns the names of all functions, without duplicates.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    TABLE.lines().filter_map(move |line| {
        let name = line.split(' ').nth(1)?;
        (core::mem::replace(&mut last, name) != name).then_some(name)
    })
}

/// Returns the type with a name.
pub(super) fn named_type(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "string" => Type::String,
        "null_type" => Type::Null,
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::Meta(alloc::sync::Arc::new(Type::Dyn)),
        "google.protobuf.Timestamp" | "timestamp" => Type::Timestamp,
        "google.protobuf.Duration" | "duration" => Type::Duration,
        "optional_type" => Type::optional(Type::Dyn),
        "net.IP" => Type::Opaque("net.IP"),
        "net.CIDR" => Type::Opaque("net.CIDR"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let count: usize = names().map(|name| overloads(name).len()).sum();
        assert_eq!(count, TABLE.lines().count());
        let map_index = &overloads("_[_]")[1];
        assert_eq!(map_index.id, "index_map");
        assert_eq!(map_index.args.len(), 2);
        assert_eq!(overloads("includes")[0].since, 37);
        assert!(overloads("nothing").is_empty());
        assert_eq!(signature("_[_]", "index_list"), Some(("_[_]", "f(list(A),int) A")));
    }
}
