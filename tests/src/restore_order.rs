/// In which order the storage is put back to an earlier state, objects are written, and an informer reconnects.
#[derive(Clone, Copy, Debug)]
pub struct RestoreOrder {
    /// The informer's connection is cut, or else kept, and nothing comes on it any more.
    pub cut: bool,
    /// Everything is written before the informer reconnects, or else after it.
    pub writes_first: bool,
    /// The writes reach beyond the version that the informer has seen, or else stop before it.
    pub past: bool,
}

impl RestoreOrder {
    /// All eight.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self { cut: bits & 1 == 0, writes_first: bits & 2 == 0, past: bits & 4 != 0 })
    }
}
