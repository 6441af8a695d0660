//! The modules of each crate form layers: a module imports only modules above it in the list of `ARCHITECTURE.md`, so there is no
//! circle. Tests, and macros that are expanded elsewhere (`$crate`), are left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crdkit_tests::files_below;
use syn::{
    Attribute, Expr, Item, ItemMod, ItemUse, Lit, Meta, UseTree,
    visit::{self, Visit},
};

/// The most modules that one list should have.
const MOST: usize = 30;
/// Files that are no modules: the roots, and an example that a page includes.
const NO_MODULES: [&str; 2] = ["src/lib.rs", "src/end_to_end.rs"];

/// A path of modules.
type Names = Vec<String>;

/// What the modules of a crate import.
struct Imports {
    /// The names at the root of the crate that stand for something in a module, with the module.
    root: BTreeMap<String, String>,
    modules: BTreeSet<String>,
    /// The imported modules of each one, with a file that imports it.
    found: BTreeMap<(String, String), PathBuf>,
    read: BTreeSet<PathBuf>,
    /// The files of modules that are only there in tests, without extension.
    tests: Vec<PathBuf>,
    file: PathBuf,
    module: Names,
}

impl Imports {
    fn of(crate_: &str) -> Self {
        let source = workspace().join(crate_).join("src");
        let lib = parse(&source.join("lib.rs"));
        let modules = lib.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() && !is_test(&module.attrs) => file_of(&[], module).pop(),
            _ => None,
        });
        let mut imports = Self {
            root: BTreeMap::new(),
            modules: modules.collect(),
            found: BTreeMap::new(),
            read: BTreeSet::new(),
            tests: Vec::new(),
            file: PathBuf::new(),
            module: Vec::new(),
        };
        for item in &lib.items {
            if let Item::Mod(module) = item
                && is_test(&module.attrs)
            {
                imports.tests.push(source.join(module.ident.to_string()));
            }
            let Item::Use(item) = item else { continue };
            for path in paths(&item.tree) {
                if let [module, .., name] = &path[..] {
                    imports.root.insert(name.clone(), module.clone());
                }
            }
        }
        for module in imports.modules.clone() {
            imports.visit_module(&source, vec![module]);
        }
        imports
    }

    /// Visits the file of a module, and of those in it.
    fn visit_module(&mut self, source: &Path, module: Names) {
        let file = source.join(module.join("/")).with_extension("rs");
        let parsed = parse(&file);
        self.read.insert(file.clone());
        self.file = file;
        self.module = module.clone();
        self.visit_file(&parsed);
        for item in &parsed.items {
            let Item::Mod(inner) = item else { continue };
            let path = file_of(&module, inner);
            if is_test(&inner.attrs) {
                self.tests.push(source.join(path.join("/")));
            } else if inner.content.is_none() {
                self.visit_module(source, path);
            }
        }
    }

    fn add(&mut self, path: &[String]) {
        let Some(path) = self.absolute(path) else { return };
        let Some(first) = path.first() else { return };
        // The file of this module is `private.rs`.
        let first = first.trim_start_matches('_');
        let imported =
            if self.modules.contains(first) { Some(first) } else { self.root.get(first).map(String::as_str) };
        let own = &self.module[0];
        if let Some(imported) = imported.filter(|it| it != own && self.modules.contains(*it)) {
            self.found.entry((own.clone(), imported.to_owned())).or_insert_with(|| self.file.clone());
        }
    }

    /// Returns a path from the root of the crate; `None` for one that begins with another name.
    fn absolute(&self, path: &[String]) -> Option<Names> {
        let parents = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" => {
                let kept = self.module.len().checked_sub(parents)?;
                Some([&self.module[..kept], &path[parents..]].concat())
            }
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for path in paths(&item.tree) {
            self.add(&path);
        }
    }

    /// What a call of a macro imports.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let tokens = call.tokens.to_string().replace(' ', "").replace("$crate", "");
        for (at, start) in tokens.match_indices("crate::") {
            if !tokens[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
                let path = tokens[at + start.len()..].split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
                self.add(&["crate".to_owned(), path.unwrap_or_default().to_owned()]);
            }
        }
        visit::visit_macro(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&names);
        visit::visit_path(self, path);
    }
}

/// Returns all paths of a `use`.
fn paths(tree: &UseTree) -> Vec<Names> {
    let below = |name: &syn::Ident, rest: Vec<Names>| -> Vec<Names> {
        rest.into_iter().map(|path| [vec![name.to_string()], path].concat()).collect()
    };
    match tree {
        UseTree::Path(path) => below(&path.ident, paths(&path.tree)),
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(name) => vec![vec![name.ident.to_string()]],
        UseTree::Glob(_) => vec![vec!["*".to_owned()]],
        UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

/// Whether an item is only there in tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string().replace(' ', "");
                condition == "test" || condition.starts_with("all(test,")
            })
    })
}

/// Returns the path of a module's file below `src`, without its extension.
fn file_of(parent: &[String], module: &ItemMod) -> Names {
    for attribute in &module.attrs {
        if let Meta::NameValue(value) = &attribute.meta
            && value.path.is_ident("path")
            && let Expr::Lit(literal) = &value.value
            && let Lit::Str(path) = &literal.lit
        {
            let folder = &parent[..parent.len().saturating_sub(1)];
            let path: Names = path.value().trim_end_matches(".rs").split('/').map(ToOwned::to_owned).collect();
            return [folder, &path].concat();
        }
    }
    [parent, &[module.ident.to_string()]].concat()
}

fn parse(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the modules of a crate in the order of `ARCHITECTURE.md`.
fn listed(crate_: &str) -> Vec<String> {
    let page = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = page.split_once(&format!("\n### Modules of `{crate_}`\n")).unwrap();
    let rows = section.lines().take_while(|line| !line.starts_with('#'));
    rows.filter_map(|row| Some(row.strip_prefix("| `")?.split_once('`')?.0.to_owned())).collect()
}

/// Returns what is wrong with the modules of a crate.
fn problems(imports: &Imports, listed: &[String]) -> Vec<String> {
    let places: BTreeMap<_, _> = listed.iter().enumerate().map(|(place, name)| (name, place)).collect();
    let mut problems = Vec::new();
    for ((module, imported), file) in &imports.found {
        if places.get(imported) > places.get(module) {
            let file = file.strip_prefix(workspace()).unwrap().display();
            problems.push(format!("`{module}` imports `{imported}`, which is below it in the list: {file}"));
        }
    }
    problems
        .extend(imports.modules.iter().filter(|it| !places.contains_key(it)).map(|it| format!("`{it}` is not listed")));
    problems.extend(
        listed.iter().filter(|it| !imports.modules.contains(*it)).map(|it| format!("there is no module `{it}`")),
    );
    if imports.modules.len() > MOST {
        problems.push(format!("{} modules are more than {MOST}", imports.modules.len()));
    }
    problems
}

#[test]
fn modules_import_only_what_is_above_them() {
    let mut all = Vec::new();
    for crate_ in ["core", "macros", "runtime", "tools"] {
        all.extend(problems(&Imports::of(crate_), &listed(crate_)).into_iter().map(|it| format!("{crate_}: {it}")));
    }
    assert!(all.is_empty(), "\n{}\nThe lists are in ARCHITECTURE.md.", all.join("\n"));
}

#[test]
fn an_import_against_the_order_is_found() {
    let imports = Imports::of("runtime");
    let mut reversed = listed("runtime");
    reversed.reverse();
    let problems = problems(&imports, &reversed);
    for [module, imported] in [["controller", "informer"], ["crd", "schema"], ["json", "resource"]] {
        let problem = format!("`{module}` imports `{imported}`, which is below it in the list");
        assert!(problems.iter().any(|it| it.starts_with(&problem)), "{module}: {problems:#?}");
    }
}

#[test]
fn all_files_are_read() {
    for crate_ in ["core", "macros", "runtime", "tools"] {
        let imports = Imports::of(crate_);
        let source = workspace().join(crate_).join("src");
        let is_code = |file: &PathBuf| {
            file.extension().is_some_and(|it| it == "rs") && !NO_MODULES.iter().any(|it| file.ends_with(it))
        };
        let is_known = |file: &PathBuf| {
            imports.read.contains(file) || imports.tests.iter().any(|test| file.with_extension("").starts_with(test))
        };
        let missing: Vec<_> =
            files_below(&source).into_iter().filter(|file| is_code(file) && !is_known(file)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(!imports.read.is_empty(), "{crate_}");
    }
}
