//! Names that the API server, cargo and Rust accept.

use std::{fmt, str::FromStr};

use crdkit_core::{
    Violation,
    literal::dns,
    rules::{definition_lints, names as rules, versions},
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
    Version: |text| checked(versions::version_is_label(text));
    /// A kind that is also the name of a Rust type.
    Kind: check_kind;
    /// The name of a package, a container image, a Lease and a field manager.
    ProjectName: check_project_name;
}

impl Kind {
    /// Returns the name of the module with the type, such as `virtual_machine`.
    pub(crate) fn module(&self) -> String {
        module_name(self.snake_case())
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

impl Version {
    /// Returns the name of the module of a version, such as `v1beta1`.
    pub(crate) fn module(&self) -> String {
        module_name(self.0.replace('-', "_"))
    }
}

impl ProjectName {
    /// Returns the name of the library crate.
    pub(crate) fn crate_name(&self) -> String {
        self.0.replace('-', "_")
    }
}

fn module_name(name: String) -> String {
    if is_keyword(&name) { name + "_" } else { name }
}

fn checked(result: Result<(), Violation<'_>>) -> Result<(), String> {
    result.map_err(|violation| violation.message.to_string())
}

fn check_group(group: &str) -> Result<(), String> {
    checked(rules::group_is_given(group))?;
    checked(rules::group_is_subdomain(group))?;
    checked(rules::group_has_dot(group))
}

fn check_kind(kind: &str) -> Result<(), String> {
    checked(rules::kind_is_label(kind))?;
    if definition_lints::kind_is_camel_case(kind).is_err() {
        return Err(format!("the kind is the name of a Rust type too: write `{}`", camel_case(kind)));
    }
    if kind == "Self" {
        return Err("`Self` is a keyword of Rust: choose another kind".to_owned());
    }
    if TAKEN_KINDS.contains(&kind) {
        return Err(format!("the code of a project has another `{kind}`: choose a different kind, such as `My{kind}`"));
    }
    check_length("kind", kind, "its list", "List")
}

/// Returns an error if another name, which has a suffix, becomes too long for a DNS label.
fn check_length(what: &str, name: &str, other: &str, suffix: &str) -> Result<(), String> {
    let max = dns::MAX_LABEL - suffix.len();
    if name.len() > max {
        return Err(format!(
            "the {what} has {} characters: at most {max} are possible, because {other} is `{name}{suffix}`, of at most {}",
            name.len(),
            dns::MAX_LABEL
        ));
    }
    Ok(())
}

/// Types that the code of a project uses beside those of its kinds, and kinds whose modules it has.
const TAKEN_KINDS: &[&str] = &[
    "Action",
    "AdmissionContext",
    "ApiServer",
    "Arc",
    "Bin",
    "Box",
    "Condition",
    "Context",
    "ControlPlane",
    "Controller",
    "Convert",
    "Crdkit",
    "CustomResource",
    "CustomResourceExt",
    "Deserialize",
    "Duration",
    "Error",
    "FieldErrors",
    "Hub",
    "KubeSchema",
    "Lib",
    "Logging",
    "Main",
    "Manager",
    "Namespace",
    "NewCondition",
    "Option",
    "Result",
    "Serialize",
    "Stored",
    "String",
    "Vec",
    "Webhook",
    "Webhooks",
    "Write",
];

/// Returns an error if a file of a custom resource cannot have its name. The one of a sample is the longest.
pub(crate) fn check_file_names(group: &Group, version: &Version, kind: &Kind) -> Result<(), String> {
    // The longest plural is that of a kind that ends with `y` or `s`.
    let longest = kind.0.len() + "es".len() + format!(".{group}-{version}-minimal.yaml").len();
    let excess = longest.saturating_sub(MAX_FILE_NAME);
    if excess == 0 {
        return Ok(());
    }
    Err(format!(
        "the names of files in `manifests/samples` contain the kind, the group and the version, which have {excess} characters too \
         many: choose a shorter group"
    ))
}

/// The longest name of a file on common file systems.
const MAX_FILE_NAME: usize = 255;

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
    check_length("name", name, "the namespace", "-system")?;
    if is_keyword(name) || TAKEN.contains(&name) {
        return Err(format!("a package cannot have the name `{name}`: choose another, such as `{name}-operator`"));
    }
    Ok(())
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
    "serde-json",
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
    use crate::templates::{CONTROLLER, KIND, PROJECT_FILES, VERSION, VERSIONS, WEBHOOK};

    fn kind(text: &str) -> Kind {
        text.parse().unwrap()
    }

    #[test]
    fn modules_are_in_snake_case() {
        let kinds = ["Car", "VirtualMachine", "HTTPRoute", "DNSZone", "At2Go", "A"];
        let modules = kinds.map(|text| kind(text).module());
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
    fn kinds_have_room_for_their_list() {
        let of_length = |length: usize| format!("K{}", "a".repeat(length - 1));
        assert!(of_length(59).parse::<Kind>().is_ok());
        for length in [60, 63] {
            let error = of_length(length).parse::<Kind>().unwrap_err();
            assert!(error.starts_with(&format!("the kind has {length} characters: at most 59")), "{error}");
        }
        assert!(of_length(64).parse::<Kind>().is_err());
    }

    #[test]
    fn kinds_are_not_types_of_the_templates() {
        let end_to_end = PROJECT_FILES.iter().find(|(path, _)| *path == "tests/end_to_end.rs").unwrap().1;
        for template in [KIND, CONTROLLER, WEBHOOK, VERSIONS, VERSION, end_to_end] {
            let imports =
                template.split("use ").skip(1).filter_map(|rest| rest.split_once(';')).map(|(names, _)| names);
            let names = imports.flat_map(|names| names.split(|c: char| !c.is_ascii_alphanumeric()));
            let is_type = |name: &&str| {
                let has_lower_case = name.chars().any(|c| c.is_ascii_lowercase());
                name.starts_with(|c: char| c.is_ascii_uppercase()) && has_lower_case && *name != "Spec"
            };
            for name in names.filter(is_type) {
                assert!(name.parse::<Kind>().is_err(), "{name}");
            }
        }
        for (path, _) in PROJECT_FILES.iter().filter(|(path, _)| path.starts_with("src/")) {
            let module = path.trim_start_matches("src/").split(['.', '/']).next().unwrap();
            assert!(camel_case(module).parse::<Kind>().is_err(), "{path}");
        }
    }

    #[test]
    fn files_have_possible_names() {
        let group = |length: usize| format!("{}.io", ["a".repeat(58).as_str(); 4].join(".").split_at(length - 3).0);
        let check =
            |length: usize| check_file_names(&group(length).parse().unwrap(), &"v1".parse().unwrap(), &kind("Car"));
        assert!(check(233).is_ok());
        assert!(check(234).unwrap_err().contains("have 1 characters too many"));
    }

    #[test]
    fn modules_of_versions_are_identifiers() {
        let modules = ["v1beta1", "v1-beta", "type"].map(|text| text.parse::<Version>().unwrap().module());
        assert_eq!(modules, ["v1beta1", "v1_beta", "type_"]);
    }

    #[test]
    fn projects_have_room_for_their_namespace() {
        assert!("a".repeat(56).parse::<ProjectName>().is_ok());
        let error = "a".repeat(57).parse::<ProjectName>().unwrap_err();
        assert!(error.starts_with("the name has 57 characters: at most 56"), "{error}");
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
