//! Suggestions for errors.

use alloc::{format, string::String, vec::Vec};

use crate::suggest;

use super::{
    functions::{self, Overload},
    scalar::ABSENT,
    types::{Type, signature},
};

/// Suggests a similar name.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let meant = suggest::nearest_by(name, known, |known| *known)?;
    Some(format!("did you mean `{meant}`?"))
}

/// Suggests a similar field, or lists all fields.
pub(super) fn field<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    let unescaped = crate::literal::cel::escaped(name);
    if let Some(escaped) = unescaped.filter(|escaped| known.contains(&escaped.as_str())) {
        return Some(format!("did you mean `{escaped}`?"));
    }
    nearest(name, known.iter().copied()).or_else(|| match known.len() {
        0 => Some("the object has no fields in CEL".into()),
        1..=16 => Some(format!("the object has `{}`", known.join("`, `"))),
        _ => None,
    })
}

/// Lists the fields of the metadata of a resource.
pub(super) fn field_of_metadata<'n>(object: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let is_metadata = object.ends_with(".metadata") && known.eq(["name", "generateName"]);
    is_metadata.then(|| "of the metadata of a resource, rules see `name` and `generateName`".into())
}

/// Suggests a similar function, or names the version that introduces it.
pub(super) fn function(name: &str, known: &[Overload], minor: u32, is_member: bool) -> Option<String> {
    if let Some(since) = known.iter().map(|it| it.since).min() {
        return Some(format!(
            "it was added in Kubernetes 1.{since}, and servers accept it in new definitions from 1.{} on, which is \
             later than 1.{}",
            since + 1,
            minor + 1
        ));
    }
    let called = functions::names().filter(|name| {
        let is_hidden = name.contains(['@', '_']);
        !is_hidden && functions::overloads(name).iter().any(|it| it.is_member == is_member)
    });
    nearest(name, called)
}

/// Describes how to call a function.
pub(super) fn overload(name: &str, known: &[Overload], types: &[Type], is_member: bool) -> Option<String> {
    if name.starts_with(['_', '!', '-', '@']) {
        return operator(name, types);
    }
    let forms: Vec<String> = known
        .iter()
        .map(|it| {
            if it.is_member {
                let args = signature(&it.args[1..], false);
                format!("`{}.{name}{args}`", it.args[0])
            } else {
                format!("`{name}{}`", signature(&it.args, false))
            }
        })
        .collect();
    let called_otherwise = known.iter().all(|it| it.is_member != is_member);
    match forms.len() {
        1..=4 => Some(format!("it is called as {}", forms.join(" or "))),
        _ if called_otherwise => Some(format!("it is called as {}", forms[0])),
        _ => None,
    }
}

fn operator(name: &str, types: &[Type]) -> Option<String> {
    let [left, right] = types else { return None };
    let nullable = |one: &Type, other: &Type| *one == Type::Null && *other != Type::Null;
    if matches!(name, "_==_" | "_!=_") && (nullable(left, right) || nullable(right, left)) {
        return Some(ABSENT.into());
    }
    left.scalar()?.advice(right.scalar()?).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let known = || ["replicas", "a__dash__b"].into_iter();
        assert_eq!(field("replica", known()).unwrap(), "did you mean `replicas`?");
        assert_eq!(field("a-b", known()).unwrap(), "did you mean `a__dash__b`?");
        assert_eq!(field("x", known()).unwrap(), "the object has `a__dash__b`, `replicas`");
        assert_eq!(function("startWith", &[], 36, true).unwrap(), "did you mean `startsWith`?");
        let metadata = || ["name", "generateName"].into_iter();
        assert!(field_of_metadata("self.metadata", metadata()).unwrap().contains("rules see `name`"));
        assert_eq!(field_of_metadata("self.part", metadata()), None);
        assert_eq!(field_of_metadata("self.metadata", known()), None);
    }
}
