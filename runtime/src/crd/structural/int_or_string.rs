//! Variants that are integers or strings, the only types that a structural schema can mix.

use crdkit_core::schema::{AppliesTo, CountBound};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};

use crate::{
    crd::{
        crd_accessors::count_mut,
        structural::{
            bounds::{maximum, minimum, set_maximum, set_minimum},
            branches::{VariantNames, unite},
            closed::branches,
            conditional_rule,
            conjunction::restrict,
            disjunction::rest_of_own,
            types,
        },
    },
    error::RenderError,
};

/// Returns the schema of variants that are integers and strings; `None` if there are other types, or only one of these.
pub(super) fn mixed(
    branches: &[JSONSchemaProps],
    names: VariantNames<'_>,
) -> Result<Option<JSONSchemaProps>, RenderError> {
    let is_either = |branch| INTEGERS.has(branch) || STRINGS.has(branch);
    let some_are = |type_: Type| branches.iter().any(|branch| type_.has(branch));
    if !(branches.iter().all(is_either) && some_are(INTEGERS) && some_are(STRINGS)) {
        return Ok(None);
    }
    let mut mixed = INTEGERS.schema_beside(&STRINGS, branches, names)?;
    restrict(&mut mixed, STRINGS.schema_beside(&INTEGERS, branches, names)?)?;
    mixed.x_kubernetes_int_or_string = Some(true);
    Ok(Some(mixed))
}

/// One of the two types.
struct Type {
    name: &'static str,
    in_rules: &'static str,
    /// Takes the keywords that do not affect values of the other type.
    take: fn(&mut JSONSchemaProps) -> JSONSchemaProps,
    /// A schema that rejects all values of the type, and accepts all of the other one.
    no_value: fn() -> JSONSchemaProps,
}

const INTEGERS: Type = Type {
    name: "integer",
    in_rules: "int",
    take: take_range,
    no_value: || JSONSchemaProps { minimum: Some(1.0), maximum: Some(0.0), ..JSONSchemaProps::default() },
};

const STRINGS: Type = Type {
    name: "string",
    in_rules: "string",
    take: take_text,
    no_value: || JSONSchemaProps { min_length: Some(1), max_length: Some(0), ..JSONSchemaProps::default() },
};

impl Type {
    fn has(&self, branch: &JSONSchemaProps) -> bool {
        types::is_int_or_string(branch) || branch.type_.as_deref() == Some(self.name)
    }

    /// Returns the keywords of the branches for this type, in a form that does not affect the other type.
    fn schema_beside(
        &self,
        other: &Self,
        branches: &[JSONSchemaProps],
        names: VariantNames<'_>,
    ) -> Result<JSONSchemaProps, RenderError> {
        let own = branches.iter().enumerate().filter(|(_, it)| self.has(it));
        let (known, branches): (Vec<_>, Vec<_>) =
            own.map(|(at, branch)| (names.all.get(at).copied(), self.part(other, branch))).unzip();
        let known: Vec<_> = known.into_iter().flatten().collect();
        let names = VariantNames { all: &known, ..names };
        let mut keywords = JSONSchemaProps::default();
        unite(&mut keywords, branches, names, false)?;
        Ok(self.alone(keywords))
    }

    /// Returns a branch restricted to values of this type.
    fn part(&self, other: &Self, branch: &JSONSchemaProps) -> JSONSchemaProps {
        let mut part = branch.clone();
        if types::is_int_or_string(&part) {
            (other.take)(&mut part);
            part.format = part.format.filter(|_| self.name == STRINGS.name);
        }
        part.x_kubernetes_int_or_string = None;
        part.type_ = Some(self.name.to_owned());
        part
    }

    /// Returns the keywords for this type in a form that does not affect the other type.
    fn alone(&self, all: JSONSchemaProps) -> JSONSchemaProps {
        let mut keywords = scalar(&all);
        let mut alone = (self.take)(&mut keywords);
        alone.format = keywords.format.take();
        alone.nullable = all.nullable;
        let is_other = |of: &str| format!("type({of}) != {}", self.in_rules);
        let guarded = |rules: Vec<_>| rules.into_iter().map(|it| conditional_rule(it, is_other)).collect();
        alone.x_kubernetes_validations = all.x_kubernetes_validations.map(guarded);
        if self.concerns_others(&keywords) {
            alone.any_of = Some(self.or_others(keywords));
        } else {
            alone.any_of = keywords.any_of;
            alone.all_of = keywords.all_of;
        }
        alone
    }

    /// Whether the keywords may affect values of the other type.
    fn concerns_others(&self, keywords: &JSONSchemaProps) -> bool {
        let mut rest = keywords.clone();
        (self.take)(&mut rest);
        let [any_of, all_of] = [rest.any_of.take(), rest.all_of.take()];
        let mut inner = any_of.iter().chain(&all_of).flatten();
        rest != JSONSchemaProps::default() || inner.any(|it| self.concerns_others(it))
    }

    /// Returns the branches of a schema that also accepts values of the other type.
    fn or_others(&self, mut keywords: JSONSchemaProps) -> Vec<JSONSchemaProps> {
        let mut either = keywords.any_of.take().unwrap_or_default();
        if keywords != JSONSchemaProps::default() {
            keywords.any_of = Some(either).filter(|all| !all.is_empty());
            either = vec![keywords];
        }
        let others = (self.no_value)();
        if !either.contains(&others) {
            either.push(others);
        }
        either
    }
}

/// Returns the value validation of integers or strings. Formats of integers become bounds.
fn scalar(keywords: &JSONSchemaProps) -> JSONSchemaProps {
    let mut scalar = rest_of_own(keywords, &JSONSchemaProps::default());
    remove_parts(&mut scalar);
    names_as_pattern(&mut scalar);
    scalar
}

/// Removes what only applies to objects and lists, so that no branch has a field that the node lacks.
fn remove_parts(props: &mut JSONSchemaProps) {
    (props.properties, props.required, props.items) = (None, None, None);
    branches(props).for_each(remove_parts);
}

fn take_range(props: &mut JSONSchemaProps) -> JSONSchemaProps {
    let mut range = JSONSchemaProps { multiple_of: props.multiple_of.take(), ..JSONSchemaProps::default() };
    set_minimum(&mut range, minimum(props));
    set_maximum(&mut range, maximum(props));
    set_minimum(props, None);
    set_maximum(props, None);
    range
}

fn take_text(props: &mut JSONSchemaProps) -> JSONSchemaProps {
    let mut text = JSONSchemaProps { pattern: props.pattern.take(), ..JSONSchemaProps::default() };
    for bound in CountBound::applying_to(AppliesTo::Text) {
        *count_mut(&mut text, bound) = count_mut(props, bound).take();
    }
    text
}

/// Turns an `enum` of strings into a pattern, because `enum` would also affect integers.
fn names_as_pattern(props: &mut JSONSchemaProps) {
    let Some(values) = &props.enum_ else { return };
    let Some(names) = values.iter().map(name).collect::<Option<Vec<_>>>() else {
        return;
    };
    let pattern = format!("^({})$", names.join("|"));
    props.enum_ = None;
    match &props.pattern {
        None => props.pattern = Some(pattern),
        Some(_) => props
            .all_of
            .get_or_insert_default()
            .push(JSONSchemaProps { pattern: Some(pattern), ..JSONSchemaProps::default() }),
    }
}

fn name(JSON(value): &JSON) -> Option<String> {
    value.as_str().map(escape)
}

fn escape(text: &str) -> String {
    let escape = |character: char| {
        let backslash = character.is_ascii_punctuation().then_some('\\');
        backslash.into_iter().chain([character])
    };
    text.chars().flat_map(escape).collect()
}
