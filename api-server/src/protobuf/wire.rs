//! The encoding of fields: a key with a number and a wire type, and a value.

/// Go's `io.ErrUnexpectedEOF`.
const UNEXPECTED_END: &str = "unexpected EOF";
/// What Go's generated code returns for a number of more than 64 bits.
const OVERFLOW: &str = "proto: integer overflow";
/// The most bytes of a number: seven bits in each.
const MAX_VARINT: usize = 10;

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Payload<'b> {
    Varint(u64),
    Fixed64(u64),
    /// No field of Kubernetes has one.
    Fixed32,
    Bytes(&'b [u8]),
}

/// Reads the fields of a message.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    /// Returns the number and the value of the next field; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Payload<'b>)>, String> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).map_err(|_| illegal(key))?;
        let payload = match key & 7 {
            _ if number == 0 => return Err(illegal(key)),
            VARINT => Payload::Varint(self.varint()?),
            FIXED64 => Payload::Fixed64(u64::from_le_bytes(self.array()?)),
            BYTES => {
                let length = usize::try_from(self.varint()?).map_err(|_| UNEXPECTED_END)?;
                Payload::Bytes(self.take(length)?)
            }
            FIXED32 => {
                self.take(4)?;
                Payload::Fixed32
            }
            _ => return Err(illegal(key)),
        };
        Ok(Some((number, payload)))
    }

    pub(super) fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for (index, byte) in self.0.iter().enumerate().take(MAX_VARINT) {
            value |= u64::from(byte & 0x7F) << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = &self.0[index + 1..];
                return Ok(value);
            }
        }
        Err(if self.0.len() < MAX_VARINT { UNEXPECTED_END } else { OVERFLOW }.to_owned())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let bytes = self.take(N)?;
        Ok(bytes.try_into().expect("these are N bytes"))
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(UNEXPECTED_END)?;
        self.0 = rest;
        Ok(taken)
    }
}

fn illegal(key: u64) -> String {
    format!("proto: illegal tag {} (wire type {})", key >> 3, key & 7)
}

/// Writes the fields of a message.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn put_varint_field(&mut self, number: u32, value: u64) {
        self.put_key(number, VARINT);
        self.put_varint(value);
    }

    pub(crate) fn put_double_field(&mut self, number: u32, value: f64) {
        self.put_key(number, FIXED64);
        self.0.extend(value.to_bits().to_le_bytes());
    }

    pub(crate) fn put_bytes_field(&mut self, number: u32, bytes: &[u8]) {
        self.put_key(number, BYTES);
        self.put_varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn put_key(&mut self, number: u32, wire_type: u64) {
        self.put_varint(u64::from(number) << 3 | wire_type);
    }

    fn put_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_back() {
        let mut writer = Writer::default();
        writer.put_varint_field(1, 0);
        writer.put_varint_field(2, u64::MAX);
        writer.put_double_field(15, -1.5);
        writer.put_bytes_field(16, b"abc");
        let mut reader = Reader(&writer.0);
        for expected in [
            (1, Payload::Varint(0)),
            (2, Payload::Varint(u64::MAX)),
            (15, Payload::Fixed64((-1.5_f64).to_bits())),
            (16, Payload::Bytes(b"abc")),
        ] {
            assert_eq!(reader.next().unwrap(), Some(expected));
        }
        assert_eq!(reader.next().unwrap(), None);
    }

    #[test]
    fn malformed_fields_are_errors() {
        for (bytes, problem) in [
            (&b"\x0a"[..], UNEXPECTED_END),
            (b"\x0a\x03ab", UNEXPECTED_END),
            (b"\x80", UNEXPECTED_END),
            (b"\x09\0", UNEXPECTED_END),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", OVERFLOW),
            (b"\x0b", "proto: illegal tag 1 (wire type 3)"),
            (b"\x02\0", "proto: illegal tag 0 (wire type 2)"),
        ] {
            assert_eq!(Reader(bytes).next().unwrap_err(), problem, "{bytes:?}");
        }
    }
}
