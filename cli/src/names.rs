//! Names that the API server, cargo and Rust accept.

use std::{fmt, str::FromStr};

use crdkit_core::{
    Violation,
    literal::dns,
    rules::{names as rules, versions},
};

/// A name that a command line contains.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $check:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name(String);

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let check: fn(&str) -> Result<(), String> = $check;
                check(text).map(|()| Self(text.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

names! {
    /// An API group.
    Group: check_group;
    /// An API version.
    Version: |text| checked(versions::v1(text));
    /// A kind that is also the name of a Rust type.
    Kind: |text| checked(rules::n7(text)).and_then(|()| check_type_name(text));
    /// The name of a package, a container image, a Lease and a field manager.
    ProjectName: check_project_name;
}

impl Kind {
    /// Returns the name of the module with the type, such as `virtual_machine`.
    pub(crate) fn module(&self) -> String {
        let module = self.snake_case();
        match is_keyword(&module) {
            true => module + "_",
            false => module,
        }
    }

    /// Returns the kind in lower case, with underscores between the words.
    fn snake_case(&self) -> String {
        let letters: Vec<char> = self.0.chars().collect();
        let starts_word = |at: usize| {
            let next_is_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            at > 0 && letters[at].is_ascii_uppercase() && (!letters[at - 1].is_ascii_uppercase() || next_is_lower)
        };
        let word = |(at, letter): (usize, &char)| {
            let separator = if starts_word(at) { "_" } else { "" };
            format!("{separator}{}", letter.to_ascii_lowercase())
        };
        letters.iter().enumerate().map(word).collect()
    }
}

impl ProjectName {
    /// Returns the name of the library crate.
    pub(crate) fn crate_name(&self) -> String {
        self.0.replace('-', "_")
    }
}

fn checked(result: Result<(), Violation<'_>>) -> Result<(), String> {
    result.map_err(|violation| violation.message.to_string())
}

fn check_group(group: &str) -> Result<(), String> {
    checked(rules::n1(group))?;
    checked(rules::n2(group))?;
    checked(rules::n3(group))
}

fn check_type_name(kind: &str) -> Result<(), String> {
    let is_camel_case = kind.starts_with(|c: char| c.is_ascii_uppercase()) && !kind.contains('-');
    match is_camel_case {
        true if kind == "Self" => Err("`Self` is a keyword of Rust: choose another kind".to_owned()),
        true => Ok(()),
        false => Err(format!("the kind is the name of a Rust type too: write `{}`", camel_case(kind))),
    }
}

fn camel_case(text: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    text.split('-').map(word).collect()
}

fn check_project_name(name: &str) -> Result<(), String> {
    if dns::label_1035(name).is_err() {
        return Err(
            "expected a lower-case DNS label, such as `car-operator`, because it also names a Lease and an image"
                .to_owned(),
        );
    }
    match is_keyword(name) || TAKEN.contains(&name) {
        true => Err(format!("a package cannot have the name `{name}`: choose another, such as `{name}-operator`")),
        false => Ok(()),
    }
}

/// Crates that the project uses, and names that cargo refuses.
const TAKEN: &[&str] = &[
    "alloc",
    "build",
    "core",
    "crdkit",
    "deps",
    "k8s-openapi",
    "proc-macro",
    "serde",
    "std",
    "test",
    "tokio",
    "tracing-subscriber",
];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The keywords of Rust's edition 2024, in lower case, reserved ones included.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Kind {
        text.parse().unwrap()
    }

    #[test]
    fn modules_are_in_snake_case() {
        let modules = ["Car", "VirtualMachine", "HTTPRoute", "DNSZone", "At2Go", "A"];
        let modules = modules.map(|text| kind(text).module());
        assert_eq!(modules, ["car", "virtual_machine", "http_route", "dns_zone", "at2_go", "a"]);
    }

    #[test]
    fn modules_are_not_keywords() {
        assert_eq!(kind("Match").module(), "match_");
        assert!("Self".parse::<Kind>().is_err());
    }

    #[test]
    fn kinds_are_type_names() {
        let error = "virtual-machine".parse::<Kind>().unwrap_err();
        assert_eq!(error, "the kind is the name of a Rust type too: write `VirtualMachine`");
        assert!("3D".parse::<Kind>().unwrap_err().contains("not a valid kind"));
    }

    #[test]
    fn projects_have_names_of_packages() {
        for name in ["garage", "car-operator", "a1"] {
            assert!(name.parse::<ProjectName>().is_ok(), "{name}");
        }
        for name in ["", "Garage", "1car", "car_operator", "match", "tokio", "test", "-a", "a-"] {
            assert!(name.parse::<ProjectName>().is_err(), "{name}");
        }
        assert_eq!("car-operator".parse::<ProjectName>().unwrap().crate_name(), "car_operator");
    }
}
