//! Regular expressions.

use alloc::format;

use super::{Function, no_overload, strings::part_of};
use crate::{
    cel::evaluate::{
        Run,
        error::{Evaluated, Stop},
        program::Call,
        value::{Text, Value},
    },
    literal::regex::Matcher,
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "matches" => |run, args, call| match args {
            [Value::Text(text), Value::Text(pattern)] => {
                let is_match = with_matcher(run, call, pattern, "", |matcher| matcher.is_match(text))?;
                Ok(Value::Bool(is_match))
            }
            _ => Err(Stop::NO_OVERLOAD),
        },
        "find" => |run, args, call| match args {
            [Value::Text(text), Value::Text(pattern)] => {
                let found = with_matcher(run, call, pattern, ILLEGAL, |matcher| matcher.find(text))?;
                Ok(found.map_or_else(|| Value::text(""), |found| part_of(text, &text[found])))
            }
            _ if call.matcher.is_some() => Err(Stop::NO_OVERLOAD),
            args => no_overload(call, args),
        },
        "findAll" => |run, args, call| match args {
            [Value::Text(text), Value::Text(pattern)] => find_all(run, call, text, pattern, -1),
            [Value::Text(text), Value::Text(pattern), Value::Int(most)] => find_all(run, call, text, pattern, *most),
            _ if call.matcher.is_some() => Err(Stop::NO_OVERLOAD),
            args => no_overload(call, args),
        },
        _ => return None,
    })
}

const ILLEGAL: &str = "Illegal regex: ";

fn find_all<'v>(run: &mut Run<'v, '_>, call: &Call, text: &Text<'v>, pattern: &str, most: i64) -> Evaluated<'v> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found = with_matcher(run, call, pattern, ILLEGAL, |matcher| matcher.find_all(text, most))?;
    run.allocate_items(found.len())?;
    Ok(Value::list(found.into_iter().map(|found| part_of(text, &text[found])).collect()))
}

/// Calls a function with the compiled regular expression: the constant one of the call, or one that is compiled once per evaluation.
fn with_matcher<T>(
    run: &mut Run<'_, '_>,
    call: &Call,
    pattern: &str,
    context: &str,
    use_it: impl FnOnce(&Matcher) -> T,
) -> Result<T, Stop> {
    if let Some(matcher) = &call.matcher {
        return Ok(use_it(matcher));
    }
    match run.matchers.get_or_insert_default().of(pattern) {
        Ok(matcher) => Ok(use_it(matcher)),
        Err(error) => Err(format!("{context}{error}").into()),
    }
}
