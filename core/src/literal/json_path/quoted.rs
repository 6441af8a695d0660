//! Quoted strings.

/// Whether Go's `strconv` can unquote a string in double or single quotes.
pub(super) fn is_quoted(text: &str) -> bool {
    let (Some(quote), Some(inside)) = (text.chars().next(), text.get(1..text.len() - 1)) else {
        return false;
    };
    let mut rest = inside;
    while !rest.is_empty() {
        match character(rest, quote) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

/// Returns the rest after a character, if it is valid between such quotes.
fn character(text: &str, quote: char) -> Option<&str> {
    let Some(escaped) = text.strip_prefix('\\') else {
        return text.strip_prefix(|c| c != quote);
    };
    let mut chars = escaped.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    match first {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\' => Some(rest),
        'x' => code(rest, 2, 16).map(|(_, rest)| rest),
        'u' => valid(code(rest, 4, 16)?),
        'U' => valid(code(rest, 8, 16)?),
        '0'..='7' => code(escaped, 3, 8).filter(|(code, _)| *code <= 0xFF).map(|(_, rest)| rest),
        other => (other == quote).then_some(rest),
    }
}

fn valid((code, rest): (u32, &str)) -> Option<&str> {
    char::from_u32(code).map(|_| rest)
}

fn code(text: &str, length: usize, radix: u32) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(length)?;
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().map(|code| (code, rest))
}
