//! Names that two kinds of one group cannot both have.

use std::collections::HashMap;

use crate::merge::{Source, list_kind, singular};

use super::error::Violation;

/// Names are in conflict within their space: the names of resources, and the kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Resources,
    Kinds,
}

/// A name, and what it is to its owner.
struct Claim {
    space: Space,
    role: &'static str,
    name: String,
}

impl Claim {
    fn resource(role: &'static str, name: String) -> Self {
        let space = Space::Resources;
        Self { space, role, name }
    }

    fn kind(role: &'static str, name: String) -> Self {
        let space = Space::Kinds;
        Self { space, role, name }
    }
}

/// Every name that a kind claims although another of its group has it.
pub(super) fn violations(sources: &[Source]) -> Vec<Violation> {
    let mut accepted = HashMap::new();
    let mut violations = Vec::new();
    for source in sources {
        for Claim { space, role, name } in claims(source) {
            let key = (&source.crd.spec.group, space, name.clone());
            let (holder, held): &mut (&Source, _) = accepted.entry(key).or_insert((source, role));
            if !std::ptr::eq(*holder, source) {
                violations.push(Violation::NameTaken {
                    first: holder.type_name.clone(),
                    first_role: held,
                    second: source.type_name.clone(),
                    second_role: role,
                    name,
                });
            }
        }
    }
    violations
}

fn claims(source: &Source) -> Vec<Claim> {
    let names = &source.crd.spec.names;
    let short_names = names.short_names.iter().flatten().cloned();
    let mut claims = vec![
        Claim::resource("plural", names.plural.clone()),
        Claim::resource("singular", singular(&source.crd)),
        Claim::kind("kind", names.kind.clone()),
        Claim::kind("list kind", list_kind(&source.crd)),
    ];
    claims.extend(short_names.map(|name| Claim::resource("short name", name)));
    claims
}
