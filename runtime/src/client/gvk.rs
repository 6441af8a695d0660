//! Group, version and kind in words, and which is most like another.

use std::fmt;

use kube_core::{GroupVersionKind, Resource};

use crate::check::nearest::{distance, tolerance};

/// Reads as `VirtualMachine of infra.example.com/v1`.
pub(crate) struct Named<'a>(pub(crate) &'a GroupVersionKind);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.0.kind, self.0.api_version())
    }
}

/// What the type says that it is.
pub(crate) fn of<K: Resource<DynamicType = ()>>() -> GroupVersionKind {
    GroupVersionKind::gvk(&K::group(&()), &K::version(&()), &K::kind(&()))
}

/// The candidate whose text is most like a word, if any is much like it.
pub(crate) fn nearest<T>(
    word: &str,
    candidates: impl IntoIterator<Item = T>,
    text: impl Fn(&T) -> &str,
) -> Option<T> {
    let candidates = candidates.into_iter();
    let distances = candidates.map(|candidate| (distance(text(&candidate), word), candidate));
    let close = distances.filter(|(distance, _)| *distance <= tolerance(word));
    let (_, candidate) = close.min_by_key(|(distance, _)| *distance)?;
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_much_like_a_word_is_near() {
        let words = ["pods", "nodes", "deployments"];
        let near = |word| nearest(word, words, |candidate| candidate);
        assert_eq!(near("pod"), Some("pods"));
        assert_eq!(near("deploymnets"), Some("deployments"));
        assert_eq!(near("virtualmachines"), None);
    }
}
