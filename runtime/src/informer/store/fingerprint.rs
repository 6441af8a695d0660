use std::num::NonZeroU32;

/// A hash of the content of an object; empty if the text is unknown.
///
/// Two states with the same resourceVersion can differ after an older backup of the cluster was restored, because
/// resourceVersions are then reused.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fingerprint(Option<NonZeroU32>);

impl Fingerprint {
    pub(super) fn new(hash: u32) -> Self {
        Self(NonZeroU32::new(hash).or(Some(NonZeroU32::MIN)))
    }

    /// Whether both are known, and the content is the same.
    pub(crate) fn matches(self, other: Self) -> bool {
        self.0.is_some() && self.0 == other.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_content_matches_nothing() {
        let [zero, one, two] = [0, 1, 2].map(Fingerprint::new);
        assert!(zero.matches(zero) && two.matches(two));
        assert!(!one.matches(two));
        let unknown = Fingerprint::default();
        assert!(!unknown.matches(unknown) && !unknown.matches(zero));
    }
}
