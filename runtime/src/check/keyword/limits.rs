//! Checks that the bounds of a type and of a field allow some value.

use crdkit_core::{
    Violation,
    literal::numbers::{Bound, Numbers, Range, is_within, stricter_maximum, stricter_minimum},
    rules::value_constraints,
    schema::{NumberBound, Side},
    text::equal,
};

use super::Subject;
use crate::{
    check::{Message, of_rule},
    schema::{Keyword, walk::Kind},
};

/// The combined bounds of a value's type and field.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) range: Range,
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
    pub(super) format: Option<&'static str>,
    other_format: Option<&'static str>,
    /// A bound with a fraction.
    fraction: Option<(NumberBound, f64)>,
    /// A bound by which the server judges whole numbers differently.
    uneven: Option<(NumberBound, f64)>,
    /// A bound that is no number in JSON.
    infinite: Option<(NumberBound, f64)>,
}

/// Checks that some value is within the bounds.
pub const fn satisfiable(subject: Subject) -> Result<(), Message> {
    let mut limits = Limits::of(&subject);
    if let Some((bound, value)) = limits.infinite {
        let value = if value.is_nan() { "not a number" } else { "infinite" };
        return Err(Message::concat(&["`", bound.key(), "` is ", value, ": JSON has only finite numbers"]));
    }
    match subject.kind() {
        Kind::Integer => {
            if let Some((bound, value)) = limits.fraction {
                let integers = Numbers::integers(limits.format);
                return of_rule(value_constraints::bound_is_in_range("integer", integers, bound.key(), value));
            }
            limits.add_integer_range();
        }
        Kind::Number | Kind::IntOrString => {
            if let Some((bound, value)) = limits.uneven {
                return of_rule(applies_to_whole_numbers(bound, value));
            }
        }
        _ => {}
    }
    if let Err(violation) = value_constraints::bounds_allow_number(false, limits.range) {
        return Err(of_type_and_field(&violation));
    }
    if let Err(violation) = value_constraints::bounds_allow_length("length", limits.min, limits.max) {
        return Err(of_type_and_field(&violation));
    }
    if let (Some(one), Some(other)) = (limits.format, limits.other_format)
        && group(one) == group(other)
    {
        return Err(Message::concat(&[
            "a value has one format, and the type already has the format `",
            one,
            "`: remove `",
            other,
            "`",
        ]));
    }
    Ok(())
}

const fn of_type_and_field(violation: &Violation<'_>) -> Message {
    let message = violation.message.message();
    message.then(", combining the type and the attributes")
}

impl Limits {
    const NONE: Self = Self {
        range: Range::ALL,
        min: None,
        max: None,
        format: None,
        other_format: None,
        fraction: None,
        uneven: None,
        infinite: None,
    };

    /// Returns the bounds of the type and of the field.
    pub(super) const fn of(subject: &Subject) -> Self {
        let mut limits = Self::NONE;
        let mut at = 0;
        while let Some(keyword) = subject.keyword(at)
            && !subject.is_shared
        {
            limits = limits.and(*keyword);
            at += 1;
        }
        limits
    }

    /// Adds the bounds of the server's integers.
    const fn add_integer_range(&mut self) {
        self.range = self.range.and(Numbers::integers(self.format).range);
    }

    const fn number(&mut self, bound: NumberBound, number: f64) {
        if !number.is_finite() {
            self.infinite = Some((bound, number));
        }
        if number % 1.0 != 0.0 {
            self.fraction = Some((bound, number));
        }
        if applies_to_whole_numbers(bound, number).is_err() {
            self.uneven = Some((bound, number));
        }
        let end = Some(Bound { value: number, exclusive: bound.is_exclusive() });
        match bound.side() {
            Side::Min => self.range.low = stricter_minimum(self.range.low, end),
            Side::Max => self.range.high = stricter_maximum(self.range.high, end),
            Side::Neither => {}
        }
    }

    const fn count(&mut self, side: Side, count: i64) {
        match (side, self.min, self.max) {
            (Side::Min, Some(min), _) if min >= count => {}
            (Side::Min, ..) => self.min = Some(count),
            (Side::Max, _, Some(max)) if max <= count => {}
            (Side::Max, ..) => self.max = Some(count),
            (Side::Neither, ..) => {}
        }
    }

    const fn and(mut self, keyword: Keyword) -> Self {
        match keyword {
            Keyword::Number(bound, number) => self.number(bound, number),
            Keyword::Count(bound, count) => self.count(bound.side(), count),
            Keyword::MinSize(count) => self.count(Side::Min, count),
            Keyword::MaxSize(count) => self.count(Side::Max, count),
            Keyword::Format(format) => match self.format {
                Some(other) if equal(other, format) || is_within(other, format) => {}
                Some(other) if !is_within(format, other) => self.other_format = Some(format),
                _ => self.format = Some(format),
            },
            Keyword::NoFormat => self.format = None,
            _ => {}
        }
        self
    }
}

const fn applies_to_whole_numbers<'a>(bound: NumberBound, value: f64) -> Result<(), Violation<'a>> {
    let end = Bound { value, exclusive: bound.is_exclusive() };
    value_constraints::bound_applies_to_whole_numbers(bound.key(), bound.side(), end)
}

/// Groups formats by the kind of value. A format of another kind is reported separately.
const fn group(format: &str) -> u8 {
    if equal(format, "int32") || equal(format, "int64") {
        1
    } else if equal(format, "float") || equal(format, "double") {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::{super::ElementStep, *};
    use crate::schema::Schema;

    const BYTE: Schema =
        Schema::integer().with(&[Keyword::minimum(0.0), Keyword::maximum(255.0), Keyword::Format("int32")]);
    const BYTES: Schema = Schema::list(&BYTE).with(&[Keyword::min_items(2)]);

    fn refusal(schema: &'static Schema, inside: &'static [ElementStep]) -> String {
        match satisfiable(Subject::of_type(schema, inside)) {
            Ok(()) => String::new(),
            Err(message) => message.as_str().to_owned(),
        }
    }

    #[test]
    fn types_and_what_is_added() {
        const ABOVE: Schema = Schema::newtype(&BYTE).with(&[Keyword::exclusive_minimum(255.0)]);
        const TOP: Schema = Schema::newtype(&BYTE).with(&[Keyword::minimum(255.0)]);
        const LONG: Schema = Schema::newtype(&BYTE).with(&[Keyword::Format("int64")]);
        const TIME: Schema = Schema::string().with(&[Keyword::Format("date-time")]);
        const DATE: Schema = Schema::newtype(&TIME).with(&[Keyword::Format("date")]);
        const ONE: Schema = Schema::newtype(&BYTES).with(&[Keyword::max_items(1)]);
        assert!(refusal(&ABOVE, &[]).contains("no number is both above 255 and at most 255"));
        assert_eq!(refusal(&TOP, &[]), "");
        assert_eq!(refusal(&LONG, &[]), "");
        assert!(refusal(&DATE, &[]).contains("already has the format `date-time`: remove `date`"));
        assert!(refusal(&ONE, &[]).contains("no length is both at least 2 and at most 1"));
    }

    #[test]
    fn integers_of_the_server() {
        const LONG: Schema = Schema::integer().with(&[Keyword::Format("int64")]);
        const SHORT: Schema = Schema::integer().with(&[Keyword::Format("int32")]);
        const IDLE: Schema = Schema::newtype(&LONG).with(&[Keyword::maximum(1e19)]);
        const BEYOND: Schema = Schema::newtype(&LONG).with(&[Keyword::minimum(1e19)]);
        const LONGER: Schema = Schema::newtype(&SHORT).with(&[Keyword::minimum(3e9)]);
        const HALF: Schema = Schema::newtype(&LONG).with(&[Keyword::multiple_of(0.5)]);
        const NUMBER: Schema = Schema::number().with(&[Keyword::multiple_of(0.5)]);
        assert_eq!(refusal(&IDLE, &[]), "");
        assert!(refusal(&NUMBER, &[]).contains("so that it refuses 1"));
        assert!(refusal(&BEYOND, &[]).starts_with("no number is both at least 10000000000000000000 and at most 9"));
        assert!(refusal(&LONGER, &[]).contains("at least 3000000000 and at most 2147483647"));
        assert!(refusal(&HALF, &[]).contains("`multiple_of` is 0.5, but the bounds of integers must be whole numbers"));
    }

    #[test]
    fn numbers_that_json_does_not_have() {
        const NAN: Schema = Schema::number().with(&[Keyword::maximum(f64::NAN)]);
        const NO_END: Schema = Schema::newtype(&BYTE).with(&[Keyword::minimum(f64::NEG_INFINITY)]);
        assert_eq!(refusal(&NAN, &[]), "`maximum` is not a number: JSON has only finite numbers");
        assert_eq!(refusal(&NO_END, &[]), "`minimum` is infinite: JSON has only finite numbers");
    }

    #[test]
    fn items_of_lists() {
        const NEGATIVE: Schema = Schema::newtype(&BYTES).with(&[Keyword::Items(&[Keyword::maximum(-10.0)])]);
        assert!(refusal(&NEGATIVE, &[ElementStep::Items]).contains("at least 0 and at most -10"));
        assert_eq!(refusal(&NEGATIVE, &[]), "");
    }
}
