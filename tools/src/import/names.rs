//! Rust names for the names of a definition.

/// Words that Rust reserves.
const RESERVED: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types and traits that the code uses by these names.
const USED: &[&str] = &[
    "BTreeMap",
    "Clone",
    "CustomResource",
    "Debug",
    "Deserialize",
    "IntOrString",
    "KubeSchema",
    "Option",
    "PartialEq",
    "Serialize",
    "String",
    "Vec",
];

/// Returns the name of the type of a kind, which is not one that the code uses.
pub(super) fn root_name(kind: &str) -> String {
    let name = type_name(kind);
    if USED.contains(&name.as_str()) { name + "Resource" } else { name }
}

/// Returns a type name, such as `VmSpec` for `vm-spec`.
pub(super) fn type_name(text: &str) -> String {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.map(capitalized).collect();
    if name.starts_with(|it: char| it.is_ascii_alphabetic()) && name != "Self" { name } else { format!("X{name}") }
}

pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Returns the name of a field: `dns_names` for `dnsNames`, `pod_cidr` for `podCIDR`.
pub(super) fn field_name(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            name.push('_');
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts_word = letter.is_ascii_uppercase()
            && before.is_some_and(|it| {
                it.is_ascii_lowercase()
                    || it.is_ascii_digit()
                    || it.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if starts_word {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if !name.starts_with(|it: char| it.is_ascii_alphabetic()) {
        name = format!("x{}{name}", if name.starts_with('_') { "" } else { "_" });
    }
    match name.as_str() {
        "self" | "super" | "crate" => name + "_",
        reserved if RESERVED.contains(&reserved) => format!("r#{reserved}"),
        _ => name,
    }
}

/// Returns the name that serde's `camelCase` gives a field.
pub(super) fn camel_case(field: &str) -> String {
    let mut name = String::new();
    let mut is_upper = false;
    for letter in field.trim_start_matches("r#").chars() {
        match letter {
            '_' => is_upper = true,
            letter if is_upper && !name.is_empty() => {
                name.push(letter.to_ascii_uppercase());
                is_upper = false;
            }
            letter => {
                name.push(letter);
                is_upper = false;
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, field, camel) in [
            ("dnsNames", "dns_names", "dnsNames"),
            ("podCIDR", "pod_cidr", "podCidr"),
            ("type", "r#type", "type"),
            ("$ref", "x_ref", "xRef"),
            ("IPAddresses", "ip_addresses", "ipAddresses"),
            ("x509v3", "x509v3", "x509v3"),
            ("self", "self_", "self"),
        ] {
            assert_eq!((field_name(text).as_str(), camel_case(&field_name(text)).as_str()), (field, camel), "{text}");
        }
        for (text, name) in [("IfNotPresent", "IfNotPresent"), ("read-only", "ReadOnly"), ("1h", "X1h"), ("", "X")] {
            assert_eq!(type_name(text), name);
        }
    }
}
