//! The struct in a module from which a kind is derived, as text that rustfmt has formatted.

use std::path::Path;

use crate::error::Error;

/// The text of the struct, with its attributes and documentation, and its version.
pub(crate) struct SpecStruct {
    text: String,
    pub(crate) version: String,
}

impl SpecStruct {
    /// Finds the struct of a kind.
    pub(crate) fn find(module: &Path, text: &str, kind: &str) -> Result<Self, Error> {
        let has_kind = |item: &&String| item.contains(&format!("kind = \"{kind}\"")) && item.contains("CustomResource");
        let found = items(text).into_iter().find(|item| has_kind(&item));
        let version = |item: &String| quoted(item, "version = ").map(str::to_owned);
        let found = found.and_then(|text| Some(Self { version: version(&text)?, text }));
        found.ok_or_else(|| Error::NoSpec { kind: kind.to_owned(), module: module.to_owned() })
    }

    /// Whether objects of the kind belong to a namespace.
    pub(crate) fn is_namespaced(&self) -> bool {
        let attributes = self.text.split("pub struct ").next().unwrap_or_default();
        let words = attributes.lines().filter(|line| !line.starts_with("///"));
        words.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric())).any(|word| word == "namespaced")
    }

    /// Returns the struct in another version, which converts to this one.
    pub(crate) fn in_version(&self, version: &str, hub: &str) -> String {
        let old = format!("version = \"{}\"", self.version);
        let renamed = self.text.replacen(&old, &format!("version = \"{version}\""), 1);
        let derived = renamed.replacen("#[derive(", "#[derive(Convert, ", 1);
        derived.replacen("pub struct ", &format!("#[convert(hub = {hub})]\npub struct "), 1)
    }
}

/// Returns the items of a file with braces in lines of their own, with what is directly above them.
fn items(text: &str) -> Vec<String> {
    let (mut items, mut item, mut is_open) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        if line.is_empty() && !is_open {
            item.clear();
            continue;
        }
        item += line;
        item.push('\n');
        is_open |= line.ends_with('{');
        if line.starts_with('}') {
            is_open = false;
            items.push(std::mem::take(&mut item).trim_end().to_owned());
        }
    }
    items
}

/// Returns the string after a key.
fn quoted<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    rest.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "use crdkit::{CustomResource, KubeSchema};\n\nuse a::{\n    b,\n};\n\nfn f() {\n    g();\n\n}\n\n/// A car.\n#[derive(CustomResource, Clone)]\n\
        #[crd(group = \"a.b\", version = \"v1\", kind = \"Car\")]\npub struct CarSpec {\n    pub a: u8,\n\n    pub b: u8,\n}\n";

    #[test]
    fn the_struct_is_found_and_changed() {
        let item = SpecStruct::find(Path::new("src/car.rs"), TEXT, "Car").unwrap();
        assert_eq!(item.version, "v1");
        let expected = "/// A car.\n#[derive(Convert, CustomResource, Clone)]\n\
            #[crd(group = \"a.b\", version = \"v2\", kind = \"Car\")]\n#[convert(hub = super::Car)]\npub struct CarSpec {\n    \
            pub a: u8,\n\n    pub b: u8,\n}";
        assert_eq!(item.in_version("v2", "super::Car"), expected);
        assert!(SpecStruct::find(Path::new("src/car.rs"), TEXT, "Ca").is_err());
        assert!(!item.is_namespaced());
        let namespaced = TEXT.replace("kind = \"Car\"", "kind = \"Car\", namespaced");
        assert!(SpecStruct::find(Path::new("src/car.rs"), &namespaced, "Car").unwrap().is_namespaced());
    }
}
