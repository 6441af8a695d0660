//! The library of strings. Positions are counted in characters.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{Function, no_overload, sequences};
use crate::cel::evaluate::{
    Run,
    error::{Evaluated, Stop},
    program::Call,
    value::{Text, Value, characters},
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "contains" => |_, args, _| test(args, |text, part| text.contains(part)),
        "startsWith" => |_, args, _| test(args, |text, part| text.starts_with(part)),
        "endsWith" => |_, args, _| test(args, |text, part| text.ends_with(part)),
        "charAt" => char_at,
        "indexOf" => |_, args, call| match args {
            [Value::Text(text), Value::Text(part)] => position(index_of(text, part, 0)),
            [Value::Text(text), Value::Text(part), Value::Int(from)] => position(index_of(text, part, *from)),
            args => sequences::index_of(args, call),
        },
        "lastIndexOf" => |_, args, call| match args {
            [Value::Text(text), Value::Text(part)] => position(last_index_of(text, part, None)),
            [Value::Text(text), Value::Text(part), Value::Int(from)] => {
                position(last_index_of(text, part, Some(*from)))
            }
            args => sequences::last_index_of(args, call),
        },
        "join" => join,
        "lowerAscii" => |run, args, call| changed(run, args, call, |text| text.to_ascii_lowercase()),
        "upperAscii" => |run, args, call| changed(run, args, call, |text| text.to_ascii_uppercase()),
        "trim" => |run, args, call| changed(run, args, call, |text| text.trim().to_string()),
        "strings.quote" => |run, args, call| changed(run, args, call, quoted),
        "jsonpatch.escapeKey" => {
            |run, args, call| changed(run, args, call, |text| text.replace('~', "~0").replace('/', "~1"))
        }
        "replace" => replace,
        "split" => split,
        "substring" => substring,
        _ => return None,
    })
}

fn test<'v>(args: &[Value<'v>], is: fn(&str, &str) -> bool) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(is(text, part))),
        _ => Err(Stop::NO_OVERLOAD),
    }
}

fn changed<'v>(run: &mut Run<'v, '_>, args: &[Value<'v>], call: &Call, change: fn(&str) -> String) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => {
            run.allocate(text.len().saturating_mul(2))?;
            Ok(Value::text(change(text)))
        }
        args => no_overload(call, args),
    }
}

fn out_of_range(index: i64) -> Stop {
    format!("index out of range: {index}").into()
}

/// Returns the byte offset of a character; the length of the text is allowed.
fn offset(text: &str, index: i64) -> Result<usize, Stop> {
    let at = usize::try_from(index).map_err(|_| out_of_range(index))?;
    let mut offsets = text.char_indices().map(|(offset, _)| offset).chain([text.len()]);
    offsets.nth(at).ok_or_else(|| out_of_range(index))
}

fn char_at<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Int(index)] => {
            let rest = &text[offset(text, *index)?..];
            Ok(Value::text(rest.chars().take(1).collect::<String>()))
        }
        args => no_overload(call, args),
    }
}

/// Returns a position that is found, or -1.
fn position<'v>(found: Result<Option<usize>, Stop>) -> Evaluated<'v> {
    Ok(found?.map_or(Value::Int(-1), Value::count_of))
}

fn index_of(text: &str, part: &str, from: i64) -> Result<Option<usize>, Stop> {
    let start = usize::try_from(from).map_err(|_| out_of_range(from))?;
    let length = characters(text);
    if part.is_empty() {
        return Ok(Some(start.min(length)));
    }
    if start >= length {
        return Ok(None);
    }
    let begin = offset(text, from)?;
    let found = text[begin..].find(part);
    Ok(found.map(|at| start + characters(&text[begin..begin + at])))
}

fn last_index_of(text: &str, part: &str, from: Option<i64>) -> Result<Option<usize>, Stop> {
    let length = characters(text);
    let start = match from {
        Some(from) => usize::try_from(from).map_err(|_| out_of_range(from))?,
        None if part.is_empty() => length,
        None => length.saturating_sub(1),
    };
    if part.is_empty() {
        return Ok(Some(start.min(length)));
    }
    if start >= length {
        return Ok(None);
    }
    // A match may start at the position, but not after it.
    let starts = text.char_indices().map(|(at, _)| at).take(start + 1).enumerate();
    Ok(starts.filter(|(_, at)| text[*at..].starts_with(part)).last().map(|(position, _)| position))
}

fn join<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let (list, separator) = match args {
        [list] if list.is_list() => (&*list, ""),
        [list, Value::Text(separator)] if list.is_list() => (&*list, &**separator),
        args => return no_overload(call, args),
    };
    let items = list.items()?;
    if items.first().is_some_and(|first| !matches!(first, Value::Text(_))) {
        return no_overload(call, args);
    }
    let mut joined = String::new();
    for (at, item) in items.iter().enumerate() {
        let Value::Text(item) = item else {
            return Err(format!("join: invalid input: {item}").into());
        };
        if at > 0 {
            joined.push_str(separator);
        }
        run.allocate(item.len() + separator.len())?;
        joined.push_str(item);
    }
    Ok(Value::text(joined))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{C}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{B}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn replace<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let (text, from, to, most) = match args {
        [Value::Text(text), Value::Text(from), Value::Text(to)] => (text, from, to, usize::MAX),
        [Value::Text(text), Value::Text(from), Value::Text(to), Value::Int(most)] => {
            (text, from, to, usize::try_from(*most).unwrap_or(usize::MAX))
        }
        args => return no_overload(call, args),
    };
    let count = text.matches(&**from).take(most).count();
    run.allocate(count.saturating_mul(to.len()).saturating_add(text.len()))?;
    Ok(Value::text(text.replacen(&**from, to, most)))
}

fn split<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let (text, separator, most) = match args {
        [Value::Text(text), Value::Text(separator)] => (text, separator, usize::MAX),
        [Value::Text(text), Value::Text(separator), Value::Int(most)] => {
            (text, separator, usize::try_from(*most).unwrap_or(usize::MAX))
        }
        args => return no_overload(call, args),
    };
    let parts: Vec<&str> = if separator.is_empty() {
        characters_of(text, most)
    } else if most == 0 {
        Vec::new()
    } else {
        text.splitn(most, &**separator).collect()
    };
    run.allocate_items(parts.len())?;
    run.allocate(text.len())?;
    Ok(Value::list(parts.into_iter().map(|part| part_of(text, part)).collect()))
}

/// Returns a part of a text, which is not copied if the text is a part of the validated value.
pub(super) fn part_of<'v>(text: &Text<'v>, part: &str) -> Value<'v> {
    match text {
        Text::Borrowed(whole) => {
            let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
            Value::Text(Text::Borrowed(whole.get(start..start + part.len()).unwrap_or_default()))
        }
        Text::Shared(_) => Value::text(part.to_string()),
    }
}

/// Returns the characters of a text, the last of which is the rest if there are more than `most`.
fn characters_of(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next().filter(|_| parts.len() < most) {
        let end = if parts.len() + 1 == most { rest.len() } else { letter.len_utf8() };
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
}

fn substring<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let (text, start, end) = match args {
        [Value::Text(text), Value::Int(start)] => (text, *start, None),
        [Value::Text(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        args => return no_overload(call, args),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(format!("invalid substring range. start: {start}, end: {end}").into());
    }
    let begin = offset(text, start)?;
    let end = end.map_or(Ok(text.len()), |end| offset(text, end))?;
    run.allocate(end - begin)?;
    Ok(part_of(text, &text[begin..end]))
}
