//! Calls of `format` with literal arguments.

use alloc::{format, string::String};

use super::{
    ast::{Element, Expr, ExprKind, Literal},
    checker::Checked,
    error::Error,
    types::Type,
};

/// Returns the error of a call of `format`, if the expression is one.
pub(super) fn check(checked: &Checked, expr: &Expr) -> Option<Error> {
    let ExprKind::Call { function, target: Some(target), args } = &expr.kind else {
        return None;
    };
    let (ExprKind::Literal(Literal::String(text)), [arg]) = (&target.kind, args.as_slice()) else {
        return None;
    };
    let ExprKind::List(items) = &arg.kind else {
        return None;
    };
    if function != "format" {
        return None;
    }
    match clauses(checked, text, items) {
        Err(FormatError { at, message }) => Some(Error::new(at.unwrap_or(expr.at), message)),
        Ok(used) if used < items.len() => {
            let given = items.len();
            let message = format!("too many arguments supplied to string.format (expected {used}, got {given})");
            Some(Error::new(expr.at, message))
        }
        Ok(_) => None,
    }
}

/// Whether the expression is a call that allows lists and maps of mixed types.
pub(super) fn is_exempt(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call { function, .. } if function == "format")
}

struct FormatError {
    /// The offset of the invalid argument, if there is one.
    at: Option<usize>,
    message: String,
}

impl FormatError {
    fn new(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into() }
    }
}

/// Returns the number of arguments that the clauses of a format string use.
fn clauses(checked: &Checked, text: &str, items: &[Element]) -> Result<usize, FormatError> {
    let mut rest = text;
    let mut used = 0;
    while let Some((_, clause)) = rest.split_once('%') {
        if let Some(after) = clause.strip_prefix('%') {
            rest = after;
            continue;
        }
        if clause.is_empty() {
            return Err(FormatError::new("unexpected end of string"));
        }
        let Some(item) = items.get(used) else {
            return Err(FormatError::new(format!("index {used} out of range")));
        };
        used += 1;
        rest = one(checked, clause, &item.value)?;
    }
    Ok(used)
}

/// Parses one clause after its `%`. Returns the rest.
fn one<'a>(checked: &Checked, clause: &'a str, item: &Expr) -> Result<&'a str, FormatError> {
    let unparsed = |why: String| FormatError::new(format!("could not parse formatting clause: {why}"));
    let clause = precision(clause).map_err(|why| unparsed(format!("error while parsing precision: {why}")))?;
    let letter = clause.chars().next().unwrap_or_default();
    let fits = match letter {
        's' => text_fits(checked, item),
        'd' => fits(checked, item, "iu", "decimal clause can only be used on integers"),
        'f' => fits(checked, item, "ds", "fixed-point clause can only be used on doubles"),
        'e' => fits(checked, item, "ds", "scientific clause can only be used on doubles"),
        'b' => fits(checked, item, "iub", "only integers and bools can be formatted as binary"),
        'x' | 'X' => fits(checked, item, "iusy", "only integers, byte buffers, and strings can be formatted as hex"),
        'o' => fits(checked, item, "iu", "octal clause can only be used on integers"),
        other => {
            return Err(unparsed(format!("unrecognized formatting clause \"{other}\"")));
        }
    };
    fits.map_err(|wrong| FormatError { message: format!("error during formatting: {}", wrong.message), ..wrong })?;
    Ok(&clause[letter.len_utf8()..])
}

/// Returns the rest after a precision such as `.3`.
fn precision(clause: &str) -> Result<&str, String> {
    let Some(digits) = clause.strip_prefix('.') else {
        return Ok(clause);
    };
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() {
        return Err("could not find end of precision specifier".into());
    }
    let number = &digits[..digits.len() - rest.len()];
    match number.parse::<i64>() {
        Ok(_) => Ok(rest),
        Err(_) => {
            let why = if number.is_empty() { "invalid syntax" } else { "value out of range" };
            Err(format!("error while converting precision to integer: strconv.Atoi: parsing {number:?}: {why}"))
        }
    }
}

/// Checks that the type is one of those with these letters.
fn fits(checked: &Checked, item: &Expr, letters: &str, what: &str) -> Result<(), FormatError> {
    let type_ = checked.types[item.id].unwrapped();
    let letter = match type_ {
        Type::Dyn | Type::Unknown => return Ok(()),
        Type::Int => 'i',
        Type::Uint => 'u',
        Type::Double => 'd',
        Type::String => 's',
        Type::Bool => 'b',
        Type::Bytes => 'y',
        _ => '-',
    };
    if letters.contains(letter) { Ok(()) } else { Err(given(item, type_, what)) }
}

fn given(item: &Expr, type_: &Type, what: &str) -> FormatError {
    let name = match type_ {
        Type::List(_) => "list".into(),
        Type::Map(..) => "map".into(),
        Type::Optional(_) => "optional_type".into(),
        Type::Meta(_) => "type".into(),
        Type::Null => "null_type".into(),
        Type::Any => "google.protobuf.Any".into(),
        Type::Timestamp => "google.protobuf.Timestamp".into(),
        Type::Duration => "google.protobuf.Duration".into(),
        other => format!("{other}"),
    };
    FormatError { at: Some(item.at), message: format!("{what}, was given {name}") }
}

fn text_fits(checked: &Checked, item: &Expr) -> Result<(), FormatError> {
    let type_ = &checked.types[item.id];
    if let Type::Any | Type::Optional(_) | Type::Opaque(_) | Type::Struct(_) | Type::Object(_) = type_ {
        let what = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
                    lists, types, durations, and timestamps";
        return Err(given(item, type_, what));
    }
    match &item.kind {
        ExprKind::List(items) => items.iter().try_for_each(|it| text_fits(checked, &it.value)),
        ExprKind::Map(entries) => entries.iter().try_for_each(|it| {
            text_fits(checked, &it.key)?;
            text_fits(checked, &it.value)
        }),
        _ => Ok(()),
    }
}
