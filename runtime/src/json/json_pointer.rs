/// Escapes a key for a JSON pointer (RFC 6901).
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_divides_and_what_escapes_is_escaped() {
        assert_eq!(escaped("a/~1"), "a~1~01");
    }
}
