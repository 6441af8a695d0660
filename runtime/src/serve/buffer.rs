//! The memory of one body.

use std::io;

use memmap2::MmapMut;

/// From this size on, a buffer is a mapping of its own, which the system has back at once. An allocator keeps much of what is freed: a
/// process with 96 MiB for conversions reached 351 and 363 MB when many large ones came at once, and 114 and 116 MB with mappings.
const MAPPED: usize = 256 << 10;

/// A body as it arrives.
pub(crate) struct Buffer {
    memory: Memory,
    most: usize,
}

enum Memory {
    Heap(Vec<u8>),
    /// A mapping of the largest size. A page takes memory once it is written.
    Mapped {
        mapping: MmapMut,
        length: usize,
    },
}

impl Buffer {
    /// Creates a buffer for at most a number of bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { memory: Memory::Heap(Vec::new()), most }
    }

    /// Returns how much more memory it takes with further bytes.
    pub(crate) fn growth(&self, additional: usize) -> usize {
        self.capacity_with(additional).saturating_sub(self.memory())
    }

    /// Returns how much memory it takes.
    pub(crate) fn memory(&self) -> usize {
        match &self.memory {
            Memory::Heap(bytes) => bytes.capacity(),
            Memory::Mapped { length, .. } => *length,
        }
    }

    fn capacity_with(&self, additional: usize) -> usize {
        let needed = self.as_ref().len() + additional;
        if needed >= MAPPED {
            return needed;
        }
        let capacity = self.memory();
        if needed <= capacity {
            return capacity;
        }
        // Doubled, so that small parts are not copied again and again.
        needed.max((2 * capacity).min(self.most).min(MAPPED))
    }

    /// Adds bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system has no memory, and if there are more bytes than it was created for.
    pub(crate) fn extend(&mut self, bytes: &[u8]) -> io::Result<()> {
        let needed = self.as_ref().len() + bytes.len();
        if needed > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let capacity = self.capacity_with(bytes.len());
        if let Memory::Heap(heap) = &mut self.memory {
            if needed < MAPPED {
                heap.reserve_exact(capacity - heap.len());
                heap.extend_from_slice(bytes);
                return Ok(());
            }
            self.memory = map(heap, self.most)?;
        }
        if let Memory::Mapped { mapping, length } = &mut self.memory {
            mapping[*length..needed].copy_from_slice(bytes);
            *length = needed;
        }
        Ok(())
    }
}

/// Returns a mapping of a size that begins with the bytes.
fn map(bytes: &[u8], size: usize) -> io::Result<Memory> {
    let mut mapping = MmapMut::map_anon(size)?;
    mapping[..bytes.len()].copy_from_slice(bytes);
    Ok(Memory::Mapped { mapping, length: bytes.len() })
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        let most = bytes.len();
        let mapped = if most >= MAPPED { map(&bytes, most).ok() } else { None };
        Self { memory: mapped.unwrap_or(Memory::Heap(bytes)), most }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        match &self.memory {
            Memory::Heap(bytes) => bytes,
            Memory::Mapped { mapping, length } => &mapping[..*length],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_buffers_are_mapped() {
        for (size, is_large) in [(MAPPED - 1, false), (MAPPED, true)] {
            for buffer in [Buffer::from(vec![1; size]), filled(size)] {
                assert_eq!(matches!(buffer.memory, Memory::Mapped { .. }), is_large, "{size}");
                assert_eq!((buffer.as_ref(), buffer.memory()), (&*vec![1; size], size));
            }
        }
    }

    fn filled(size: usize) -> Buffer {
        let mut buffer = Buffer::new(size);
        buffer.extend(&vec![1; size]).unwrap();
        buffer
    }

    #[test]
    fn a_full_buffer_takes_nothing_more() {
        for size in [0, 1, MAPPED] {
            let mut buffer = filled(size);
            assert!(buffer.extend(&[0]).is_err());
            assert_eq!(buffer.as_ref().len(), size);
        }
    }

    proptest! {
        #[test]
        fn bytes_are_joined_and_their_memory_is_stated(parts in prop::collection::vec(0..MAPPED / 2, 0..8)) {
            let mut buffer = Buffer::new(4 * MAPPED);
            let mut expected = Vec::new();
            for (at, size) in parts.into_iter().enumerate() {
                let part = vec![u8::try_from(at).unwrap(); size];
                let memory = buffer.memory() + buffer.growth(size);
                buffer.extend(&part).unwrap();
                expected.extend(part);
                prop_assert!(buffer.as_ref() == expected);
                prop_assert_eq!(buffer.memory(), memory);
                prop_assert!(memory >= expected.len() && memory <= (2 * expected.len()).max(MAPPED));
            }
        }
    }
}
