//! The functions that are compiled in a crate, by the modules that they are because of.

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::Result;
use crdkit_benches::Table;

use crate::project::Project;

/// How many modules are listed.
const LISTED: usize = 20;

/// What functions of the crate itself are listed under.
const OWN: &str = "(the operator's own)";

/// Functions, with their type arguments.
#[derive(Debug)]
pub(crate) struct Functions(Vec<String>);

impl Functions {
    pub(crate) fn new(mut functions: Vec<String>) -> Self {
        functions.sort_unstable();
        Self(functions)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The file with the functions of a project.
    pub(crate) fn path(project: &Project) -> PathBuf {
        project.workspace.path("functions.txt")
    }

    /// Writes them to that file, and puts those that it had into `functions-before.txt`. Returns how many these were.
    pub(crate) fn keep(&self, project: &Project) -> Result<Option<usize>> {
        let path = Self::path(project);
        let earlier = fs::read_to_string(&path).ok();
        if let Some(earlier) = &earlier {
            fs::write(project.workspace.path("functions-before.txt"), earlier)?;
        }
        fs::write(&path, self.0.join("\n") + "\n")?;
        Ok(earlier.map(|text| text.lines().count()))
    }

    /// The modules with most functions.
    pub(crate) fn modules(&self) -> Table {
        let mut table = Table::new(["functions", "module"]);
        for (module, count) in self.by_module().into_iter().take(LISTED) {
            table.row([count.to_string(), module]);
        }
        table
    }

    /// All modules, those with most functions first.
    fn by_module(&self) -> Vec<(String, usize)> {
        let mut counts = BTreeMap::<_, usize>::new();
        for function in &self.0 {
            *counts.entry(module(function)).or_default() += 1;
        }
        let mut modules: Vec<_> = counts.into_iter().collect();
        modules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        modules
    }
}

/// The module because of which a function is there: the first of crdkit that it names, such as `crdkit::client` for
/// `std::vec::Vec::<crdkit::client::Page>::len`, or else its own.
fn module(function: &str) -> String {
    // So that the path before an `impl` ends with a type, as others do.
    let text = function.replace("::<impl ", "::Impl ");
    let is_of_crdkit = |path: &&str| path.starts_with("crdkit::") && !path.starts_with("crdkit::kube::");
    let path = paths(&text).find(is_of_crdkit).or_else(|| paths(&text).next());
    let modules = path.map(modules).unwrap_or_default();
    if modules.is_empty() { OWN.to_owned() } else { modules.join("::") }
}

/// The paths in the name of a function.
fn paths(function: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |character: char| character.is_alphanumeric() || matches!(character, '_' | ':');
    let words = function.split(move |character| !is_of_path(character));
    words.filter(|word| word.contains("::") && word.starts_with(char::is_alphabetic))
}

/// The modules that a path begins with: all before a type, or before the function if there is no type.
fn modules(path: &str) -> Vec<&str> {
    let segments: Vec<_> = path.trim_end_matches("::").split("::").collect();
    // What derives write is in `_`.
    let is_no_module = |segment: &&str| *segment == "_" || segment.starts_with(char::is_uppercase);
    let end = segments.iter().position(is_no_module).unwrap_or(segments.len() - 1);
    segments[..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_crdkit_come_first() {
        assert_eq!(
            module("std::vec::Vec::<crdkit::client::page::Page<greeting::Greeting>>::len"),
            "crdkit::client::page"
        );
        assert_eq!(module("<&crdkit::client::Error as std::fmt::Debug>::fmt"), "crdkit::client");
        assert_eq!(
            module("std::sync::Arc::<{closure@crdkit::informer::subscribe::{closure#0}}>::new"),
            "crdkit::informer"
        );
        assert_eq!(module("crdkit::informer::<impl crdkit::informer::store::Store>::register"), "crdkit::informer");
        assert_eq!(module("std::vec::Vec::<crdkit::kube::core::ObjectMeta>::len"), "std::vec");
    }

    #[test]
    fn other_functions_have_their_own_module() {
        assert_eq!(module("std::ptr::drop_in_place::<std::string::String> - shim(None)"), "std::ptr");
        assert_eq!(module("<std::vec::IntoIter<u8> as std::iter::Iterator>::next"), "std::vec");
        assert_eq!(module("tokio::trace::trace_leaf"), "tokio::trace");
        assert_eq!(
            module("greeting::_::<impl greeting::_::_serde::Serialize for greeting::Greeting>::serialize"),
            "greeting"
        );
        assert_eq!(module("reconcile::{closure#0}"), OWN);
        assert_eq!(module("main"), OWN);
    }

    #[test]
    fn modules_with_most_functions_come_first() {
        let functions = ["b::X::f", "a::f", "b::f", "c::f"].map(str::to_owned).to_vec();
        let modules = [("b".to_owned(), 2), ("a".to_owned(), 1), ("c".to_owned(), 1)];
        assert_eq!(Functions::new(functions).by_module(), modules);
    }
}
