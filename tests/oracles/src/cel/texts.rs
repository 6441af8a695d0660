//! Texts at the limits of what functions read.

use std::{collections::HashMap, sync::LazyLock};

use crate::Random;

/// What texts are: those that a function reads, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of what functions read")]
pub enum Flavor {
    Any,
    Number,
    Truth,
    Timestamp,
    Duration,
    Zone,
    Quantity,
    Ip,
    Cidr,
    Url,
    Semver,
    Regex,
    /// Texts that have one of the formats of names, or nearly.
    Name,
    /// Names of formats.
    Format,
}

const ALL: &[Flavor] = &[
    Flavor::Number,
    Flavor::Truth,
    Flavor::Timestamp,
    Flavor::Duration,
    Flavor::Zone,
    Flavor::Quantity,
    Flavor::Ip,
    Flavor::Cidr,
    Flavor::Url,
    Flavor::Semver,
    Flavor::Regex,
    Flavor::Name,
    Flavor::Format,
];

/// The texts of a flavor in each line, as JSON.
static TEXTS: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (flavor, texts) = line.split_once(' ').expect("a line has a flavor and texts");
        (flavor, serde_json::from_str(texts).expect("the texts are JSON"))
    };
    include_str!("texts.txt").lines().map(line).collect()
});

impl Flavor {
    pub(crate) fn any(random: &mut Random) -> Self {
        if random.once_in(2) { Self::Any } else { *random.choose(ALL) }
    }

    /// A text of this flavor, and now and then another one.
    pub(crate) fn text(self, random: &mut Random) -> String {
        if self != Self::Any && random.once_in(12) {
            let text = self.text(random);
            return random.mutated(&text, &["0", "-", ".", "a", " ", "é", ":", "/", "%"]);
        }
        let flavor = if random.once_in(24) { *random.choose(ALL) } else { self };
        random.choose(&TEXTS[format!("{flavor:?}").as_str()]).clone()
    }
}
