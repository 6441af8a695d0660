//! The `fieldPath` of a rule.

use super::{from_root, missing_at_root, of_spec};
use crate::{
    check::{Message, keyword::Subject, suggest::missing},
    resource::definition::{Definition, RootSchema},
    schema::walk::{Kind, Location, Member, PathStep, equal, step_from},
};

/// Checks the `fieldPath` of a rule, relative to the value that the rule is specified on.
///
/// See the API server's rule on `fieldPath`.
pub const fn field_path(subject: Subject, steps: &[&'static str]) -> Result<(), Message> {
    if subject.is_known { below(Location::At(Member::of(subject)), steps) } else { Ok(()) }
}

/// Checks the `fieldPath` of a rule on the resource.
pub const fn field_path_of_resource(definition: &Definition, steps: &[&'static str]) -> Result<(), Message> {
    let [first, rest @ ..] = steps else {
        return Ok(());
    };
    if equal(first, "apiVersion") || equal(first, "kind") || equal(first, "metadata") {
        return Err(Message::concat(&[
            "the schema of a resource does not declare `",
            first,
            "`: use a field of the spec or the status",
        ]));
    }
    match from_root(definition, first) {
        Location::MissingAtRoot if is_in_spec(definition, first) => Err(Message::concat(&[
            "the rule applies to `",
            definition.kind,
            "`, not to its spec: write `.spec.",
            first,
            "`",
        ])),
        Location::MissingAtRoot => Err(missing_at_root(definition, first)),
        place => below(place, rest),
    }
}

const fn is_in_spec(definition: &Definition, name: &str) -> bool {
    match definition.schema {
        RootSchema::Derived(root) => matches!(of_spec(&root, name), Location::At(_)),
        _ => false,
    }
}

const fn below(mut place: Location, steps: &[&'static str]) -> Result<(), Message> {
    let mut at = 0;
    while at < steps.len() {
        place = match step_from(&place, PathStep::Field(steps[at])) {
            Some(place) => place,
            None => return Ok(()),
        };
        match place {
            Location::Missing(object) => return Err(missing(object, steps[at])),
            Location::Wrong(kind) => {
                return Err(match kind {
                    Kind::List => Message::concat(&[
                        "a field path cannot lead into a list: end it before `",
                        steps[at],
                        "`, or write the rule on the items",
                    ]),
                    kind => Message::concat(&[kind.noun(), " has no field `", steps[at], "`"]),
                });
            }
            Location::Any => {
                return Err(Message::concat(&[
                    "the schema declares no field `",
                    steps[at],
                    "`, because its parent can be any value: end the path before it",
                ]));
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}
