//! Schemas that the server accepts, but that no value passes or that lose data.

use crate::{
    json::Json,
    literal::numbers::{Bound, I64_END, Numbers, Range, is_integer},
    path::ElementStep,
    rules::{
        NodeReport,
        junctors::{NodeRole, counterpart},
        report_at_node,
    },
    schema::{AdditionalProperties, AppliesTo, CountBound, Kind, SchemaProps, Side, equivalent_keyword},
    violation::{Arg, Text, Violation},
    walk::Node,
};

rules! {
    X1 Defect [Validate] "Each required name is a field.";
    X2 Defect [Validate] "At least one value of the `enum` has the type of the schema.";
    X3 Defect [Const, Derive, Validate] "A value with an `enum` is not nullable.";
    X4 Defect [Const, Validate] "A bound is in the range of the type and the format.";
    X5 Defect [Const, Validate] "The bounds allow at least one number.";
    X6 Defect [Const, Validate] "The bounds allow at least one length.";
    X7 Defect [Derive, Validate] "`multipleOf` is greater than 0.";
    X8 Defect [Const, Validate] "A bound applies to the type.";
    X9 Defect [Validate] "The values of a map have a schema.";
    X10 Defect [Validate] "`not` does not reject every value.";
    X18 Defect [Const, Validate] "A bound of numbers applies to whole numbers too, which the server compares with its integer part.";
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    match NodeRole::of(node) {
        NodeRole::Structure => {}
        NodeRole::Branch => return branch(node, report),
        NodeRole::Unread => return,
    }
    let schema = node.schema;
    let mut check = |result| report_at_node(node, result, report);
    let is_resource = node.is_root() || schema.embedded_resource;
    for name in &schema.required {
        check(required_name_is_field(schema, is_resource, name));
    }
    check(enum_has_value_of_type(schema));
    check(enum_is_not_nullable(schema.nullable, schema.enum_.as_ref().is_some_and(|it| !it.is_empty())));
    numbers(schema, &mut check);
    for (what, kind) in [("length", Kind::String), ("number of items", Kind::List), ("number of entries", Kind::Object)]
    {
        let count = |side| schema.count(CountBound::at(side, kind)?);
        check(bounds_allow_length(what, count(Side::Min), count(Side::Max)));
    }
    if let Some(type_) = schema.type_name() {
        for (keyword, about) in schema.bounds() {
            let kind = Kind::of_type(Some(type_), false);
            check(bound_applies(keyword, about, kind, None, equivalent_keyword(keyword, kind)));
        }
    }
    if !node.is_root() {
        check(map_values_have_schema(schema.additional_properties.as_ref()));
    }
    check(not_allows_values(schema));
}

/// Checks a branch, whose value may have its type elsewhere.
fn branch(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let mut is_number = false;
    counterpart(node, &mut |_, value| {
        is_number =
            value.is_some_and(|value| value.int_or_string || matches!(value.type_name(), Some("integer" | "number")));
    });
    if is_number && node.schema.type_name() != Some("integer") {
        whole_numbers(node.schema, &mut |result| report_at_node(node, result, report));
    }
}

/// Checks the bounds of numbers that are not all integers.
fn whole_numbers<'s>(schema: &'s SchemaProps<'_>, check: &mut dyn FnMut(Result<(), Violation<'s>>)) {
    let range = schema.range();
    let bounds = [
        ("minimum", Side::Min, range.low),
        ("maximum", Side::Max, range.high),
        ("multipleOf", Side::Neither, schema.multiple_of.map(Bound::inclusive)),
    ];
    for (keyword, side, bound) in bounds {
        check(bound.map_or(Ok(()), |bound| bound_applies_to_whole_numbers(keyword, side, bound)));
    }
}

fn numbers<'s>(schema: &'s SchemaProps<'_>, check: &mut dyn FnMut(Result<(), Violation<'s>>)) {
    check(schema.multiple_of.map_or(Ok(()), multiple_of_is_positive));
    let type_ = schema.type_name().unwrap_or_default();
    if type_ == "number" || schema.int_or_string {
        whole_numbers(schema, check);
    }
    let Some(numbers) = Numbers::of(type_, schema.format.as_deref()) else {
        return;
    };
    let mut is_readable = true;
    for (keyword, bound) in
        [("minimum", schema.minimum), ("maximum", schema.maximum), ("multipleOf", schema.multiple_of)]
    {
        let result = bound.map_or(Ok(()), |bound| bound_is_in_range(type_, numbers, keyword, bound));
        is_readable &= result.is_ok();
        check(result);
    }
    if is_readable {
        check(bounds_allow_number(numbers.are_integers, schema.range()));
    }
}

/// [`X1`]: the server drops any other field, and then reports it as missing.
pub fn required_name_is_field<'a>(
    schema: &SchemaProps<'_>,
    is_resource: bool,
    name: &'a str,
) -> Result<(), Violation<'a>> {
    let is_kept = match &schema.additional_properties {
        Some(AdditionalProperties::Bool(any)) => *any,
        Some(AdditionalProperties::Schema(_)) => true,
        None => schema.preserves_unknown_fields(),
    };
    let is_meta = is_resource && matches!(name, "metadata" | "kind" | "apiVersion");
    if is_kept || is_meta || schema.property(name).is_some() || schema.type_name() != Some("object")
    // X8, or any value
    {
        return Ok(());
    }
    let message = Text::new(
        "`{}` is required but is not a field, so no object is accepted: add it to `properties`, or remove it from \
         `required`",
        &[Arg::Text(name)],
    );
    Err(Violation::new(&X1, message))
}

/// [`X2`].
pub fn enum_has_value_of_type<'s>(schema: &'s SchemaProps<'_>) -> Result<(), Violation<'s>> {
    let (Some(type_), Some(values)) = (schema.type_name(), &schema.enum_) else {
        return Ok(());
    };
    let Some(first) = values.first() else {
        return Ok(());
    };
    if values.iter().any(|value| value.has_type(type_)) {
        return Ok(());
    }
    let message = Text::new(
        "no value passes: {} of the `enum` is not of the type `{}`",
        &[Arg::Display(first), Arg::Text(type_)],
    );
    Err(Violation::new(&X2, message))
}

/// [`X3`]: null never passes, even if it is listed in the `enum`.
pub const fn enum_is_not_nullable<'a>(nullable: bool, has_enum: bool) -> Result<(), Violation<'a>> {
    if !nullable || !has_enum {
        return Ok(());
    }
    let message = Text::literal("null never matches an `enum`: remove `nullable`, and the server drops nulls");
    Err(Violation::new(&X3, message))
}

/// [`X4`]: otherwise the server rejects every value.
pub const fn bound_is_in_range<'a>(
    type_: &'a str,
    numbers: Numbers,
    keyword: &'a str,
    bound: f64,
) -> Result<(), Violation<'a>> {
    if numbers.contains(bound) {
        return Ok(());
    }
    let template = if numbers.are_integers && bound % 1.0 != 0.0 {
        "no value passes: `{}` is {}, but the bounds of integers must be whole numbers"
    } else {
        "no value passes: `{}` is {}, which is out of the range of the type `{}` and its format"
    };
    let args = &[Arg::Text(keyword), Arg::Number(bound), Arg::Text(type_)];
    Err(Violation::new(&X4, Text::new(template, args)))
}

/// [`X5`].
pub const fn bounds_allow_number<'a>(are_integers: bool, range: Range) -> Result<(), Violation<'a>> {
    let Some((low, high)) = range.conflict(are_integers) else {
        return Ok(());
    };
    let args = &[
        Arg::Text(if low.exclusive { "above" } else { "at least" }),
        Arg::Number(low.value),
        Arg::Text(if high.exclusive { "below" } else { "at most" }),
        Arg::Number(high.value),
    ];
    let template = "no number is both {} {} and {} {}";
    Err(Violation::new(&X5, Text::new(template, args)))
}

/// [`X6`]. `what` names the length: of a string, or the number of items or entries.
pub const fn bounds_allow_length(what: &str, least: Option<i64>, most: Option<i64>) -> Result<(), Violation<'_>> {
    let Some(most) = most else { return Ok(()) };
    let least = match least {
        Some(least) if least > 0 => least,
        _ => 0,
    };
    if least <= most {
        return Ok(());
    }
    let args = &[Arg::Text(what), Arg::Integer(least), Arg::Integer(most)];
    let template = "no {} is both at least {} and at most {}";
    Err(Violation::new(&X6, Text::new(template, args)))
}

/// [`X7`]: otherwise the server rejects every value.
pub const fn multiple_of_is_positive<'a>(factor: f64) -> Result<(), Violation<'a>> {
    if factor > 0.0 {
        return Ok(());
    }
    let template = "no value passes: `multipleOf` is {}, but must be greater than 0";
    Err(Violation::new(&X7, Text::new(template, &[Arg::Number(factor)])))
}

/// [`X8`]: otherwise the server ignores it. `step` is the step to the value from its list or map, if the bound is written there,
/// and `instead` what to write for values of this kind.
pub const fn bound_applies<'a>(
    keyword: &'a str,
    about: AppliesTo,
    kind: Kind,
    step: Option<ElementStep>,
    instead: Option<&'a str>,
) -> Result<(), Violation<'a>> {
    if about.includes(kind) {
        return Ok(());
    }
    let [subject, noun] = ElementStep::describe(step, kind);
    let args = [Arg::Text(keyword), Arg::Text(about.noun()), Arg::Text(subject), Arg::Text(noun)];
    let message = match instead {
        Some(instead) => Text::new(
            "`{}` applies to {}, but {} {}; use `{}`",
            &[args[0], args[1], args[2], args[3], Arg::Text(instead)],
        ),
        None => Text::new("`{}` applies to {}, but {} {}", &args),
    };
    Err(Violation::new(&X8, message))
}

/// [`X9`]: otherwise the server drops the content of objects.
pub const fn map_values_have_schema<'a>(additional: Option<&AdditionalProperties<'_>>) -> Result<(), Violation<'a>> {
    let Some(AdditionalProperties::Bool(true)) = additional else {
        return Ok(());
    };
    let message = Text::literal(
        "the server drops the content of objects in the map: write `additionalProperties: \
         {x-kubernetes-preserve-unknown-fields: true}`",
    );
    Err(Violation::new(&X9, message))
}

/// [`X10`].
pub fn not_allows_values<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    let forbids_all = |branch: &SchemaProps<'_>| *branch == SchemaProps::default();
    if !schema.not.as_deref().is_some_and(forbids_all) {
        return Ok(());
    }
    let message = Text::literal("no value passes: the schema of `not` is empty, so that it accepts every value");
    Err(Violation::new(&X10, message))
}

/// [`X18`]: `MinimumNativeType` and its neighbours in kube-openapi's `validate/values.go` convert the bound to the integer type of
/// a value that is written without a fraction, as in `1`.
pub const fn bound_applies_to_whole_numbers(keyword: &str, side: Side, bound: Bound) -> Result<(), Violation<'_>> {
    let whole = bound.value - bound.value % 1.0;
    let has_fraction = whole != bound.value;
    if let (Side::Neither, true) = (side, has_fraction && bound.value > 0.0) {
        return Err(Violation::new(&X18, fraction_of_a_factor(keyword, bound.value, whole)));
    }
    // Go converts a float beyond the integers to the smallest one.
    let is_beyond = bound.value >= I64_END;
    let is_inside = bound.value > 0.0;
    let (verb, operator) = match (side, bound.exclusive) {
        (Side::Min, exclusive) if is_beyond => ("accepts", if exclusive { ">" } else { ">=" }),
        (Side::Max, exclusive) if is_beyond => ("refuses", if exclusive { "<" } else { "<=" }),
        _ if !has_fraction => return Ok(()),
        (Side::Min, false) if is_inside => ("accepts", ">="),
        (Side::Min, true) if !is_inside => ("refuses", ">"),
        (Side::Max, true) if is_inside => ("refuses", "<"),
        (Side::Max, false) if !is_inside => ("accepts", "<="),
        _ => return Ok(()),
    };
    let [keyword, value] = [Arg::Text(keyword), Arg::Number(bound.value)];
    let [verb, operator] = [Arg::Text(verb), Arg::Text(operator)];
    let text = if is_beyond {
        let template = "`{}` is {}, which is beyond the server's integers, so that it {} every whole number: write the rule \
                        `self {} double('{}')` instead";
        Text::new(template, &[keyword, value, verb, operator, value])
    } else {
        let template = "`{}` is {}, of which the server compares only the integer part with whole numbers, so that it {} {}: \
                        write the rule `self {} {}` instead";
        Text::new(template, &[keyword, value, verb, Arg::Number(whole), operator, value])
    };
    Err(Violation::new(&X18, text))
}

const fn fraction_of_a_factor(keyword: &str, factor: f64, whole: f64) -> Text<'_> {
    let (verb, number) = if whole == 0.0 { ("refuses", 1.0) } else { ("accepts", whole) };
    let template = "`{}` is {}, of which the server compares only the integer part with whole numbers, so that it {} {}: use \
                    integers of a smaller unit";
    Text::new(template, &[Arg::Text(keyword), Arg::Number(factor), Arg::Text(verb), Arg::Number(number)])
}

impl SchemaProps<'_> {
    /// Returns the range between `minimum` and `maximum`.
    pub fn range(&self) -> Range {
        let bound = |value: Option<f64>, exclusive| value.map(|value| Bound { value, exclusive });
        Range { low: bound(self.minimum, self.exclusive_minimum), high: bound(self.maximum, self.exclusive_maximum) }
    }
}

impl Json<'_> {
    /// Whether the value has a type of OpenAPI.
    pub fn has_type(&self, type_: &str) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(_) => type_ == "boolean",
            Self::Integer(_) => matches!(type_, "integer" | "number"),
            Self::Unsigned(_) => type_ == "number", // beyond the server's integers
            Self::Float(value) => type_ == "number" || type_ == "integer" && is_integer(*value),
            Self::String(_) => type_ == "string",
            Self::Array(_) => type_ == "array",
            Self::Object(_) => type_ == "object",
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{
        boxed::Box,
        format,
        string::{String, ToString},
        vec,
    };

    use super::*;
    use crate::rules::tests::{broken, object, typed};

    fn is_broken(type_: &'static str, change: fn(&mut SchemaProps<'static>), rule: &str) {
        let mut schema = typed(type_);
        if type_ == "object" {
            schema = object("b", typed("string"));
        }
        change(&mut schema);
        let found = broken(&object("a", schema));
        let expected = match rule {
            "" => vec![],
            rule => vec![format!("{rule} .a")],
        };
        assert_eq!(found, expected, "{type_}");
    }

    #[test]
    fn numbers() {
        is_broken("integer", |it| it.minimum = Some(0.5), "X4");
        is_broken("number", |it| it.minimum = Some(0.5), "X18");
        is_broken("integer", |it| it.maximum = Some(9.3e18), "X4");
        is_broken("integer", |it| it.multiple_of = Some(0.5), "X4");
        is_broken("integer", |it| it.multiple_of = Some(0.0), "X7");
        is_broken("string", |it| it.minimum = Some(1.0), "X8");
        let between = |it: &mut SchemaProps<'static>| {
            it.minimum = Some(1.0);
            it.maximum = Some(2.0);
            it.exclusive_minimum = true;
            it.exclusive_maximum = true;
        };
        is_broken("integer", between, "X5");
        is_broken("number", between, "");
    }

    /// Each bound, with whole numbers that the server judges differently.
    #[test]
    fn bounds_of_whole_numbers() {
        for (side, value, exclusive, verdict) in [
            (Side::Min, 0.5, false, "accepts 0"),
            (Side::Min, 0.5, true, ""),
            (Side::Min, -0.5, false, ""),
            (Side::Min, -2.5, true, "refuses -2"),
            (Side::Max, 2.5, false, ""),
            (Side::Max, 2.5, true, "refuses 2"),
            (Side::Max, -0.5, false, "accepts 0"),
            (Side::Max, -2.5, true, ""),
            (Side::Max, 2.0, true, ""),
            (Side::Max, I64_END, false, "refuses every whole number"),
            (Side::Min, 1e300, false, "accepts every whole number"),
            (Side::Max, I64_END.next_down(), false, ""),
            (Side::Neither, 0.5, false, "refuses 1"),
            (Side::Neither, 2.5, false, "accepts 2"),
            (Side::Neither, 2.0, false, ""),
        ] {
            let found = match bound_applies_to_whole_numbers("bound", side, Bound { value, exclusive }) {
                Ok(()) => String::new(),
                Err(violation) => violation.message.to_string(),
            };
            assert!(found.contains(verdict), "{side:?} {value}: {found}");
            assert_eq!(found.is_empty(), verdict.is_empty(), "{side:?} {value}: {found}");
        }
        let in_branch = SchemaProps {
            any_of: vec![SchemaProps { minimum: Some(0.5), ..SchemaProps::default() }],
            ..typed("number")
        };
        assert_eq!(broken(&object("a", in_branch.clone())), ["X18 .a.anyOf[0]"]);
        assert_eq!(broken(&object("a", SchemaProps { type_: Some("string".into()), ..in_branch })), [""; 0]);
    }

    #[test]
    fn lengths() {
        is_broken("string", |it| it.max_length = Some(-1), "X6");
        is_broken("string", |it| it.min_length = Some(-1), "");
        let crossed = |it: &mut SchemaProps<'static>| {
            it.min_properties = Some(2);
            it.max_properties = Some(1);
        };
        is_broken("object", crossed, "X6");
    }

    #[test]
    fn enums() {
        let with_null = |it: &mut SchemaProps<'static>| {
            it.enum_ = Some(vec![Json::String("a".into())]);
            it.nullable = true;
        };
        is_broken("string", with_null, "X3");
        is_broken("string", |it| it.enum_ = Some(vec![Json::Integer(1)]), "X2");
        is_broken("integer", |it| it.enum_ = Some(vec![Json::Float(1.0)]), "");
        is_broken("integer", |it| it.enum_ = Some(vec![]), "");
    }

    #[test]
    fn objects() {
        is_broken("object", |it| it.required = vec!["c".into()], "X1");
        is_broken("object", |it| it.required = vec!["b".into()], "");
        let open = |it: &mut SchemaProps<'static>| {
            it.required = vec!["c".into()];
            it.preserve_unknown_fields = Some(true);
        };
        is_broken("object", open, "");
        is_broken("object", |it| it.not = Some(Box::default()), "X10");
        let any = |it: &mut SchemaProps<'static>| {
            it.additional_properties = Some(AdditionalProperties::Bool(true));
        };
        is_broken("object", any, "X9");
        let root = SchemaProps { required: vec!["metadata".into(), "spec".into()], ..object("a", typed("string")) };
        assert_eq!(broken(&root), ["X1 "]);
    }
}
