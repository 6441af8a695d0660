//! Text that is formatted in const evaluation.

use crate::text::floor_char_boundary;

/// The message of a failed check.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    buffer: [u8; Self::CAPACITY],
    length: usize,
}

impl Default for Message {
    fn default() -> Self {
        Self::new()
    }
}

impl Message {
    /// Const evaluation has no allocator: the end of a longer message is left out.
    const CAPACITY: usize = 768;

    /// An empty message.
    #[must_use]
    pub const fn new() -> Self {
        Self { buffer: [0; Self::CAPACITY], length: 0 }
    }

    /// Concatenates several parts.
    pub const fn concat(parts: &[&str]) -> Self {
        let mut message = Self::new();
        let mut at = 0;
        while at < parts.len() {
            message = message.then(parts[at]);
            at += 1;
        }
        message
    }

    /// Appends a text, truncated at a character boundary if it does not fit.
    #[must_use]
    pub const fn then(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let fits = floor_char_boundary(text, Self::CAPACITY - self.length);
        let mut at = 0;
        while at < fits {
            self.buffer[self.length] = bytes[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    /// Appends an integer.
    #[must_use]
    pub const fn then_integer(self, value: i64) -> Self {
        let message = if value < 0 { self.then("-") } else { self };
        message.then_digits(value.unsigned_abs())
    }

    const fn then_digits(self, value: u64) -> Self {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let message = match value / 10 {
            0 => self,
            more => self.then_digits(more),
        };
        message.then(DIGITS[(value % 10) as usize])
    }

    /// Appends a code point, with at least four hexadecimal digits.
    #[must_use]
    pub const fn then_hex(self, value: u32) -> Self {
        const DIGITS: &str = "0123456789ABCDEF";
        let mut message = self;
        let mut shift = 32;
        while shift > 0 {
            shift -= 4;
            if value >> shift != 0 || shift < 16 {
                let digit = ((value >> shift) & 15) as usize;
                message = message.then(DIGITS.split_at(digit).1.split_at(1).0);
            }
        }
        message
    }

    /// Appends a number with at most six decimal places.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // the number is positive here
    pub const fn then_number(self, value: f64) -> Self {
        let message = if value < 0.0 { self.then("-") } else { self };
        let value = value.abs();
        if value >= 18_446_744_073_709_549_568.0 {
            return message.then("a very large number");
        }
        let mut whole = value as u64;
        let mut millionths = ((value - whole as f64) * 1e6 + 0.5) as u64;
        if millionths == 1_000_000 {
            whole += 1;
            millionths = 0;
        }
        if whole == 0 && millionths == 0 && value != 0.0 {
            return message.then("a very small number");
        }
        let message = message.then_digits(whole);
        if millionths == 0 {
            return message;
        }
        let mut width = 6;
        while millionths.is_multiple_of(10) {
            millionths /= 10;
            width -= 1;
        }
        let mut message = message.then(".");
        while width > 1 && millionths < 10_u64.pow(width - 1) {
            message = message.then("0");
            width -= 1;
        }
        message.then_digits(millionths)
    }

    /// Returns the text.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.buffer.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "a message that is not UTF-8",
        }
    }
}

/// Fails compilation with a message on the span of the call.
///
/// # Panics
///
/// If the result is an error.
#[track_caller]
pub const fn require(result: Result<(), Message>) {
    if let Err(message) = result {
        panic!("{}", message.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let message = Message::new()
            .then_number(-2.05)
            .then(" ")
            .then_number(3e9)
            .then(" ")
            .then_integer(-7)
            .then(" ")
            .then_hex(0xa0)
            .then(" ")
            .then_hex(0x10_ffff);
        assert_eq!(message.as_str(), "-2.05 3000000000 -7 00A0 10FFFF");
        for (number, text) in [
            (0.0, "0"),
            (-1e-6, "-0.000001"),
            (1e-9, "a very small number"),
            (1e19, "10000000000000000000"),
            (2e19, "a very large number"),
        ] {
            assert_eq!(Message::new().then_number(number).as_str(), text);
        }
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let message = Message::concat(&[&"é".repeat(500)]);
        assert_eq!(message.as_str(), "é".repeat(384));
        let message = message.then("more");
        assert_eq!(message.as_str().len(), 768);
    }
}
