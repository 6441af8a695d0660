//! The field whose name is most like one that does not exist.

use super::{
    alternatives::{Member, member},
    message::Message,
    walk::peel,
};
use crate::schema::Schema;

/// An object has no field of this name.
pub(super) const fn missing(object: &Schema, name: &str) -> Message {
    let owner = if object.name.is_empty() {
        "the object"
    } else {
        object.name
    };
    let message = Message::of(&["`", owner, "` has no field `", name, "`"]);
    suggest(message, object, name)
}

/// What is said after "has no field": the nearest field, or all of them.
const fn suggest(message: Message, schema: &Schema, name: &str) -> Message {
    if let Some(meant) = nearest(schema, Nearest::to(name)).found() {
        return message.then(": did you mean `").then(meant).then("`?");
    }
    let listed = list(schema, message.then("; it has "), 0);
    if listed.1 == 0 {
        return message.then("; it has none");
    }
    listed.0
}

/// The known name that is most like one that does not exist.
#[derive(Clone, Copy)]
pub(super) struct Nearest<'a> {
    name: &'a str,
    best: &'static str,
    distance: usize,
}

impl<'a> Nearest<'a> {
    pub(super) const fn to(name: &'a str) -> Self {
        Self {
            name,
            best: "",
            distance: usize::MAX,
        }
    }

    /// The nearer one of what was found and this.
    pub(super) const fn or(mut self, known: &'static str) -> Self {
        let distance = distance(known, self.name);
        if distance < self.distance {
            self.best = known;
            self.distance = distance;
        }
        self
    }

    /// What was meant, if anything is near enough.
    pub(super) const fn found(self) -> Option<&'static str> {
        if self.distance <= tolerance(self.name) {
            Some(self.best)
        } else {
            None
        }
    }
}

/// From how many changes on a word is another one.
pub(crate) const fn tolerance(name: &str) -> usize {
    let third = name.len() / 3;
    if third < 2 { 2 } else { third }
}

const fn nearest<'a>(schema: &Schema, mut best: Nearest<'a>) -> Nearest<'a> {
    let schema = peel(schema);
    let mut at = 0;
    while let Some(member) = member(schema, at) {
        match member {
            Member::Named(known) => best = best.or(known),
            Member::In(schema) => best = nearest(schema, best),
            Member::Nothing => {}
        }
        at += 1;
    }
    best
}

/// The names of the fields, and how many they are.
const fn list(schema: &Schema, mut message: Message, mut count: usize) -> (Message, usize) {
    let schema = peel(schema);
    let mut at = 0;
    while let Some(member) = member(schema, at) {
        match member {
            Member::Named(name) => {
                let separator = if count == 0 { "`" } else { ", `" };
                message = message.then(separator).then(name).then("`");
                count += 1;
            }
            Member::In(schema) => (message, count) = list(schema, message, count),
            Member::Nothing => {}
        }
        at += 1;
    }
    (message, count)
}

const LONGEST: usize = 64;

/// The number of characters to change, insert or delete, whatever their case.
pub(crate) const fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut row = [0; LONGEST + 1];
    let mut column = 0;
    while column <= b.len() {
        row[column] = column;
        column += 1;
    }
    let mut line = 0;
    while line < a.len() {
        row = next_row(row, line, a[line], b);
        line += 1;
    }
    row[b.len()]
}

const fn next_row(
    mut row: [usize; LONGEST + 1],
    line: usize,
    letter: u8,
    word: &[u8],
) -> [usize; LONGEST + 1] {
    let mut diagonal = row[0];
    row[0] = line + 1;
    let mut column = 0;
    while column < word.len() {
        let same = letter.eq_ignore_ascii_case(&word[column]);
        let changed = if same { diagonal } else { diagonal + 1 };
        diagonal = row[column + 1];
        let inserted = row[column] + 1;
        let deleted = row[column + 1] + 1;
        let mut least = changed;
        if inserted < least {
            least = inserted;
        }
        if deleted < least {
            least = deleted;
        }
        row[column + 1] = least;
        column += 1;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("replicas", "replicas", 0),
            ("replicas", "Replicas", 0),
            ("repliacs", "replicas", 2),
            ("phase", "phases", 1),
            ("", "abc", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }
}
