/// The order of a restore of the storage, writes, and the reconnection of an informer.
#[derive(Clone, Copy, Debug)]
pub struct RestoreOrder {
    /// Whether the informer's connection is cut; otherwise it stays open and stalls.
    pub cut: bool,
    /// Whether objects are written before the informer reconnects; otherwise after it.
    pub writes_first: bool,
    /// Whether the writes go beyond the version that the informer has seen; otherwise they stop below it.
    pub past: bool,
}

impl RestoreOrder {
    /// All eight orders.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self { cut: bits & 1 == 0, writes_first: bits & 2 == 0, past: bits & 4 != 0 })
    }
}
