//! Validation of literals at compile time.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    ast::{Expr, ExprKind, Literal},
    checker::Checked,
    error::Error,
    format,
    types::{Type, is_equivalent},
};
use crate::literal::{
    formats::is_go_duration,
    regex::{self, ErrorKind},
    times::{is_in_range, unix_time},
};

/// Validates literals of durations, timestamps and regular expressions, and rejects lists and maps of mixed types.
pub(super) fn validate(checked: &Checked) -> Vec<Error> {
    let mut errors = Vec::new();
    for (function, is_right) in
        [("duration", is_duration as fn(&Literal) -> bool), ("timestamp", is_timestamp), ("matches", is_regex)]
    {
        checked.expr.walk(&mut |expr| {
            if let Some((arg, literal)) = first_literal(expr, function)
                && !is_right(literal)
            {
                let mut error = Error::new(arg.at, format!("invalid {function} argument"));
                error.hint = form(function, literal);
                errors.push(error);
            }
        });
    }
    mixed_literals(checked, &checked.expr, &mut errors);
    checked.expr.walk(&mut |expr| errors.extend(format::check(checked, expr)));
    errors
}

/// Returns the error about an optional item or entry that makes the server's compiler panic.
pub(super) fn server_panic(checked: &Checked, expr: &Expr) -> Option<Error> {
    if format::is_exempt(expr) {
        return None;
    }
    let is_unknown = |value: &Expr| !matches!(checked.types[value.id], Type::Optional(_) | Type::Unknown);
    let found = match &expr.kind {
        ExprKind::List(items) => items.iter().find(|it| it.is_optional && is_unknown(&it.value)).map(|it| &it.value),
        ExprKind::Map(entries) => entries.iter().find(|it| it.is_optional && is_unknown(&it.value)).map(|it| &it.value),
        _ => None,
    };
    if let Some(value) = found {
        let message = "the server panics on an optional value of the type `dyn`";
        let mut error = Error::new(value.at, message);
        error.hint = Some("write `optional.of(...)` around it".into());
        return Some(error);
    }
    expr.children().into_iter().find_map(|child| server_panic(checked, child))
}

/// Reports lists and maps of mixed types, except in calls of `format`.
fn mixed_literals(checked: &Checked, expr: &Expr, errors: &mut Vec<Error>) {
    match &expr.kind {
        _ if format::is_exempt(expr) => return,
        ExprKind::List(elements) => {
            let items = elements.iter().map(|it| (&it.value, it.is_optional));
            errors.extend(mixed(checked, items).into_iter().take(1));
        }
        ExprKind::Map(entries) => {
            let keys = entries.iter().map(|it| (&it.key, false));
            errors.extend(mixed(checked, keys));
            let values = entries.iter().map(|it| (&it.value, it.is_optional));
            errors.extend(mixed(checked, values));
        }
        _ => {}
    }
    for child in expr.children() {
        mixed_literals(checked, child, errors);
    }
}

fn form(function: &str, literal: &Literal) -> Option<String> {
    match (function, literal) {
        ("duration", _) => Some("write numbers with units, as in `duration('1h30m')`".into()),
        ("timestamp", _) => Some("write a date and a time, as in `timestamp('2006-01-02T15:04:05Z')`".into()),
        (_, Literal::String(pattern)) => regex_error(pattern).map(|(_, hint)| hint),
        _ => None,
    }
}

fn first_literal<'e>(expr: &'e Expr, name: &str) -> Option<(&'e Expr, &'e Literal)> {
    let ExprKind::Call { function, args, .. } = &expr.kind else {
        return None;
    };
    let arg = args.first().filter(|_| function == name)?;
    match &arg.kind {
        ExprKind::Literal(literal) => Some((arg, literal)),
        _ => None,
    }
}

/// Returns the errors about elements whose type differs from that of the first.
fn mixed<'e>(checked: &Checked, items: impl Iterator<Item = (&'e Expr, bool)>) -> Vec<Error> {
    let mut first: Option<Type> = None;
    let mut errors = Vec::new();
    for (item, is_optional) in items {
        let type_ = match &checked.types[item.id] {
            Type::Optional(value) if is_optional => (**value).clone(),
            type_ => type_.clone(),
        };
        match &first {
            None => first = Some(type_),
            Some(first) if !is_equivalent(first, &type_) => {
                errors.push(Error::new(item.at, format!("expected type '{first}' but found '{type_}'")));
            }
            Some(_) => {}
        }
    }
    errors
}

fn is_duration(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => is_go_duration(text),
        _ => false,
    }
}

fn is_timestamp(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => unix_time(text).is_some_and(is_in_range),
        Literal::Int(seconds) => is_in_range(*seconds),
        _ => false,
    }
}

fn is_regex(literal: &Literal) -> bool {
    match literal {
        Literal::String(pattern) => regex_error(pattern).is_none(),
        _ => true,
    }
}

/// Returns Go's error about an invalid regular expression, and the advice.
pub(super) fn regex_error(pattern: &str) -> Option<(String, String)> {
    let error = regex::parse(pattern).err()?;
    let (kind, fragment) = (error.kind().as_str(), error.fragment());
    let go = match error.kind() {
        ErrorKind::NestingDepth | ErrorKind::Large => pattern,
        _ => fragment,
    };
    Some((format!("error parsing regexp: {kind}: `{go}`"), error.to_string()))
}
