//! Text that is put together in const evaluation.

/// A message of a failed check.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    buffer: [u8; Self::CAPACITY],
    length: usize,
}

impl Message {
    const CAPACITY: usize = 768;

    /// An empty message.
    pub(super) const fn new() -> Self {
        Self {
            buffer: [0; Self::CAPACITY],
            length: 0,
        }
    }

    /// A message of several parts.
    pub(super) const fn of(parts: &[&str]) -> Self {
        let mut message = Self::new();
        let mut at = 0;
        while at < parts.len() {
            message = message.then(parts[at]);
            at += 1;
        }
        message
    }

    /// The message with a text behind it, cut off at a character where it does not fit.
    pub(super) const fn then(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut fits = bytes.len();
        if fits > Self::CAPACITY - self.length {
            fits = Self::CAPACITY - self.length;
            while fits > 0 && !text.is_char_boundary(fits) {
                fits -= 1;
            }
        }
        let mut at = 0;
        while at < fits {
            self.buffer[self.length] = bytes[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.buffer.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "a message that is not UTF-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_a_character() {
        let message = Message::of(&[&"é".repeat(500)]);
        assert_eq!(message.as_str(), "é".repeat(384));
        let message = message.then("more");
        assert_eq!(message.as_str().len(), 768);
    }
}
