//! Names that conflict between definitions of a group.

use alloc::{borrow::Cow, vec::Vec};

use crate::{
    definition::Definition,
    rules::{
        Location,
        names::{list_kind, singular},
    },
    violation::{Arg, Text, Violation},
};

rules! {
    U1 Defect [Validate] "No plural, singular or short name is used by another definition of the group.";
    U2 Defect [Validate] "No kind or list kind is used by another definition of the group.";
}

/// The role of a name in a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `plural`.
    Plural,
    /// `singular`.
    Singular,
    /// An entry of `shortNames`.
    ShortName,
    /// `kind`.
    Kind,
    /// `listKind`.
    ListKind,
}

impl Role {
    /// Returns the role in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plural => "plural",
            Self::Singular => "singular",
            Self::ShortName => "short name",
            Self::Kind => "kind",
            Self::ListKind => "list kind",
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Plural => "spec.names.plural",
            Self::Singular => "spec.names.singular",
            Self::ShortName => "spec.names.shortNames",
            Self::Kind => "spec.names.kind",
            Self::ListKind => "spec.names.listKind",
        }
    }

    const fn is_of_kinds(self) -> bool {
        matches!(self, Self::Kind | Self::ListKind)
    }
}

/// A name that two definitions of a group use. The server accepts the names of the first one and never serves the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict<'d> {
    /// The name.
    pub name: Cow<'d, str>,
    /// The index of the first definition with the name.
    pub first: usize,
    /// The role of the name in that definition.
    pub first_role: Role,
    /// The index of the second definition.
    pub second: usize,
    /// The role of the name in that definition.
    pub second_role: Role,
}

/// Returns the conflicts between definitions that are created in this order.
pub fn conflicts<'d>(definitions: &'d [Definition<'_>]) -> Vec<Conflict<'d>> {
    let mut accepted: Vec<(usize, Role, Cow<'d, str>)> = Vec::new();
    let mut found = Vec::new();
    for (second, definition) in definitions.iter().enumerate() {
        for (second_role, name) in names(definition) {
            let holder = accepted.iter().find(|(holder, role, held)| {
                role.is_of_kinds() == second_role.is_of_kinds()
                    && definitions[*holder].group == definition.group
                    && *held == name
            });
            match holder {
                None => accepted.push((second, second_role, name)),
                Some((holder, _, _)) if *holder == second => {}
                Some((holder, role, _)) => {
                    found.push(Conflict { name, first: *holder, first_role: *role, second, second_role });
                }
            }
        }
    }
    found
}

fn names<'d>(definition: &'d Definition<'_>) -> Vec<(Role, Cow<'d, str>)> {
    let names = &definition.names;
    let mut all = Vec::from([
        (Role::Plural, Cow::Borrowed(&*names.plural)),
        (Role::Singular, singular(names)),
        (Role::Kind, Cow::Borrowed(&*names.kind)),
        (Role::ListKind, list_kind(names)),
    ]);
    let short_names = names.short_names.iter();
    all.extend(short_names.map(|name| (Role::ShortName, Cow::Borrowed(&**name))));
    all
}

/// Reports each conflict at the second definition.
pub fn check(definitions: &[Definition<'_>], report: &mut dyn FnMut(usize, Location, &Violation<'_>)) {
    for conflict in conflicts(definitions) {
        let holder = definitions[conflict.first].names.kind.as_ref();
        let field = conflict.second_role.field();
        let place = Location { path: field.into(), field: field.into() };
        report(conflict.second, place, &conflict.violation(holder));
    }
}

impl Conflict<'_> {
    fn violation<'a>(&'a self, holder: &'a str) -> Violation<'a> {
        let rule = if self.second_role.is_of_kinds() { &U2 } else { &U1 };
        let message = Text::new(
            "`{}` is the {} of `{}` in the same group, and the server would accept only one of the two: give one of \
             them another {}",
            &[
                Arg::Text(&self.name),
                Arg::Text(self.first_role.as_str()),
                Arg::Text(holder),
                Arg::Text(self.second_role.as_str()),
            ],
        );
        Violation::new(rule, message)
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;
    use crate::definition::Names;

    fn definition(group: &'static str, kind: &'static str, short_name: &'static str) -> Definition<'static> {
        Definition {
            group: group.into(),
            names: Names {
                plural: (crate::literal::dns::to_lower(kind) + "s").into(),
                kind: kind.into(),
                short_names: vec![short_name.into(), short_name.into()],
                ..Names::default()
            },
            ..Definition::default()
        }
    }

    #[test]
    fn names_of_a_group() {
        let mut all = [
            definition("a.io", "Foo", "f"),
            definition("a.io", "Bar", "foo"),
            definition("b.io", "Foo", "f"),
            definition("a.io", "Baz", "z"),
        ];
        all[3].names.list_kind = Some("Foo".into());
        let mut found = Vec::new();
        check(&all, &mut |at, place, violation| {
            found.push((at, place.field, violation.rule.id, violation.message.to_string()));
        });
        let found: Vec<_> = found.iter().map(|(at, field, rule, text)| (*at, &field[..], *rule, &text[..42])).collect();
        assert_eq!(
            found,
            [
                (1, "spec.names.shortNames", "U1", "`foo` is the singular of `Foo` in the same"),
                (1, "spec.names.shortNames", "U1", "`foo` is the singular of `Foo` in the same"),
                (3, "spec.names.listKind", "U2", "`Foo` is the kind of `Foo` in the same gro"),
            ]
        );
    }
}
