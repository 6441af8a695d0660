//! The pages about attributes list every key, each with an example, kube-derive has no key that crdkit lacks, and the keys on
//! the page about kubebuilder exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use crdkit_core::schema::{CountBound, NumberBound};
use crdkit_tests::files_below;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Expr, Item, Lit, Meta, Type};

type Keys = BTreeSet<String>;

/// The enums and lists of keys in `macros/src/attrs`, and the sections of the page in which their keys are rows of a table.
const LISTS: &[(&str, &str, &[&str])] = &[
    ("resource.rs", "KubeKey", &["Keys of a resource", "Keys that only `crd` has"]),
    ("resource.rs", "CrdKey", &["Keys that only `crd` has"]),
    ("printer_column.rs", "JsonKey", &["Keys of a resource"]),
    (
        "printer_column/column_attrs.rs",
        "ColumnKey",
        &["Keys of a resource", "Keys that only `crd` has", "Keys of a field"],
    ),
    ("scale.rs", "PathKey", &["Keys of a resource"]),
    ("scale.rs", "JsonKey", &["Keys of a resource"]),
    ("type_attrs.rs", "XKubeKey", &["Keys of a type"]),
    ("type_attrs.rs", "OwnKey", &["Keys of a type"]),
    ("type_attrs.rs", "SCHEMARS_KEYS", &["Schemars' attributes"]),
    ("field.rs", "XKubeKey", &["Keys of a field"]),
    ("field.rs", "OwnKey", &["Keys of a field"]),
    ("variant.rs", "VariantKey", &["Keys of a variant"]),
    ("schema_override.rs", "OverrideKey", &["Keys of a field", "Keys of a type", "Keys of a variant"]),
    ("topology.rs", "TopologyKey", &["Keys of a field"]),
    ("schema_size.rs", "SizeKey", &["Keys of a field"]),
    ("keywords.rs", "KeywordKey", &["Keywords of values"]),
    ("keywords/element.rs", "ElementKey", &["Keys of a field"]),
    ("relations.rs", "FieldGroupKey", &["Keys of a type"]),
    ("relations.rs", "TypeRelationKey", &["Keys of a type"]),
    ("relations.rs", "FieldRelationKey", &["Keys of a field"]),
    ("crates.rs", "CrateKey", &["Crates"]),
    ("group_version.rs", "GroupVersionKey", &["Keys of `group_version`"]),
    ("convert.rs", "TypeKey", &["Keys of `convert`"]),
    ("convert.rs", "FieldKey", &["Keys of `convert`"]),
    ("convert.rs", "VariantKey", &["Keys of `convert`"]),
    ("checked.rs", "CheckedKey", &["Keys of `checked`"]),
    ("inherit.rs", "InheritKey", &["Keys of `resource`"]),
    ("schemars.rs", "AnnotationKey", &["Schemars' attributes"]),
    ("schemars.rs", "SchemarsOverrideKey", &["Schemars' attributes"]),
    ("validation.rs", "ValidationKey", &["Schemars' attributes"]),
    ("serde_or_schemars.rs", "SERDE_ONLY_KEYS", &["Serde's attributes"]),
    ("serde_or_schemars.rs", "SHARED_KEYS", &["Serde's attributes"]),
];

/// The structs of kube-derive that hold its keys, and the lists of crdkit with the same.
const SAME: &[(&str, &str, (&str, &str))] = &[
    ("custom_resource/attrs/mod.rs", "KubeAttrs", ("resource.rs", "KubeKey")),
    ("custom_resource/attrs/mod.rs", "Crates", ("crates.rs", "CrateKey")),
    ("custom_resource/attrs/scale.rs", "Scale", ("scale.rs", "PathKey")),
    ("cel_schema/mod.rs", "KubeSchema", ("type_attrs.rs", "XKubeKey")),
    ("cel_schema/mod.rs", "XKube", ("field.rs", "XKubeKey")),
    ("resource.rs", "InheritAttrs", ("inherit.rs", "InheritKey")),
];

/// Structs of kube-derive whose keys are only some of crdkit's.
const SOME: &[(&str, &str, (&str, &str))] = &[
    ("custom_resource/attrs/printcolumn.rs", "PrintColumn", ("printer_column/column_attrs.rs", "ColumnKey")),
    ("cel_schema/mod.rs", "Crates", ("crates.rs", "CrateKey")),
    ("resource.rs", "Crates", ("crates.rs", "CrateKey")),
];

#[test]
fn every_list_of_keys_has_its_section() {
    let known: BTreeSet<_> = LISTS.iter().map(|(file, list, _)| format!("{file}: {list}")).collect();
    let found: BTreeSet<_> = lists().into_keys().collect();
    assert_eq!(found, known, "the lists in macros/src/attrs");
}

#[test]
fn every_key_is_a_row_of_a_table() {
    let page = Page::read();
    let lists = lists();
    let mut missing = Vec::new();
    for (file, list, sections) in LISTS {
        let rows: Vec<_> = sections.iter().flat_map(|title| page.rows(title)).collect();
        for key in &lists[&format!("{file}: {list}")] {
            if !rows.iter().any(|row| row.key == *key) {
                missing.push(format!("{key} ({file}: {list}) in {sections:?}"));
            }
        }
    }
    assert!(missing.is_empty(), "the pages about attributes do not list:\n{}", missing.join("\n"));
}

#[test]
fn every_row_is_about_a_key() {
    let page = Page::read();
    let lists = lists();
    for title in page.chapters() {
        let keys: Keys = LISTS
            .iter()
            .filter(|(_, _, sections)| sections.contains(&title))
            .flat_map(|(file, list, _)| lists[&format!("{file}: {list}")].clone())
            .collect();
        for row in page.rows(title) {
            // `rename` of types is one of serde's keys that schemars shares.
            let is_shared = title == "Schemars' attributes" && row.key == "rename";
            assert!(keys.contains(&row.key) || is_shared, "`{}` in `{title}` is no key", row.key);
        }
    }
}

#[test]
fn every_key_has_an_example() {
    let page = Page::read();
    for title in page.chapters() {
        for row in page.rows(title) {
            let section = page
                .sections
                .iter()
                .find(|section| section.anchor() == row.anchor)
                .unwrap_or_else(|| panic!("`{}` leads to #{}, which is none", row.key, row.anchor));
            let shows = words(&page.code(section)).contains(&row.key);
            assert!(shows, "the example under `{}` does not show `{}`", section.title, row.key);
        }
    }
}

#[test]
fn kube_derive_has_no_other_keys() {
    let lists = lists();
    let list = |(file, list): (&str, &str)| &lists[&format!("{file}: {list}")];
    for (file, name, ours) in SAME {
        assert_eq!(kubes_keys(file, name), *list(*ours), "{name} of kube-derive");
    }
    for (file, name, ours) in SOME {
        let others: Vec<_> = kubes_keys(file, name).difference(list(*ours)).cloned().collect();
        assert!(others.is_empty(), "{name} of kube-derive has {others:?}");
    }
}

#[test]
fn keys_in_the_place_of_markers_exist() {
    let page = Page::read();
    let keys: BTreeSet<_> =
        page.chapters().flat_map(|title| page.rows(title)).map(|row| (row.key, row.anchor)).collect();
    let anchors: BTreeSet<_> = page.sections.iter().map(Section::anchor).collect();
    let markers = workspace().join("runtime/src/docs/kubebuilder.md");
    let markers = std::fs::read_to_string(markers).unwrap();
    let markers = with_local_links(&markers);
    for line in markers.lines() {
        for row in links(line) {
            assert!(anchors.contains(&row.anchor), "no section #{}", row.anchor);
            let is_key = keys.contains(&(row.key.clone(), row.anchor.clone()));
            assert!(is_key || !line.starts_with("| `+"), "`{}` is no key under #{}: {line}", row.key, row.anchor);
        }
    }
    let rows = markers.lines().filter(|line| line.starts_with("| `+"));
    assert!(rows.count() > 50);
}

#[test]
fn links_to_attributes_lead_to_a_section_of_the_page() {
    let anchors: BTreeMap<_, BTreeSet<_>> = pages()
        .into_iter()
        .map(|(name, text)| (name, Page::parse(&text).sections.iter().map(Section::anchor).collect()))
        .collect();
    let mut links = 0;
    for file in files_with_links() {
        let text = std::fs::read_to_string(&file).unwrap();
        for rest in text.split("attributes::").skip(1) {
            let Some((page, rest)) = rest.split_once('#') else { continue };
            let Some(anchors) = anchors.get(page) else { continue };
            let anchor = rest.split([')', ']', '"']).next().unwrap_or_default();
            assert!(anchors.contains(anchor), "{}: `{page}` has no section #{anchor}", file.display());
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

#[test]
fn every_key_is_found_by_a_search() {
    let page = workspace().join("runtime/src/docs/attributes.rs");
    let aliases: BTreeMap<_, Keys> = parse(&page)
        .items
        .into_iter()
        .filter_map(|item| if let Item::Mod(module) = item { Some(module) } else { None })
        .map(|module| (module.ident.to_string(), aliases(&module.attrs)))
        .collect();
    for (name, text) in pages() {
        let page = Page::parse(&with_local_links(&text));
        let rows = page.chapters().flat_map(|title| page.rows(title));
        for key in rows.map(|row| row.key).filter(|key| *key != name) {
            assert!(aliases[&name].contains(&key), "`{key}` is not an alias of the page `{name}`");
        }
    }
}

/// The names in `#[doc(alias(...))]`.
/// The page shows a case of `ui-tests` as a file of the reader's crate.
#[test]
fn the_page_about_compile_tests_has_what_the_compiler_prints() {
    let read = |path: &str| std::fs::read_to_string(workspace().join(path)).unwrap();
    let page = read("runtime/src/docs/compile_tests.md");
    let [case, printed] = ["rs", "stderr"].map(|extension| read(&format!("ui-tests/fail/page/memory.{extension}")));
    assert!(page.contains(&format!("```compile_fail\n{case}```")), "{case}");
    let printed = printed.replace("fail/page/", "tests/mistakes/");
    assert!(page.contains(&format!("```text\n{printed}```")), "{printed}");
}

fn aliases(attrs: &[syn::Attribute]) -> Keys {
    let tokens = attrs.iter().map(|attr| quote_meta(&attr.meta)).filter(|text| text.contains("alias"));
    tokens.flat_map(|text| words(&text)).collect()
}

fn quote_meta(meta: &Meta) -> String {
    match meta {
        Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    }
}

/// The pages about attributes that have chapters, by the names of their modules.
fn pages() -> BTreeMap<String, String> {
    let folder = workspace().join("runtime/src/docs/attributes");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&file).unwrap()))
        .filter(|(name, _)| name != "index")
        .collect()
}

/// The Markdown and Rust files whose links may lead to the pages.
fn files_with_links() -> Vec<PathBuf> {
    let runtime = workspace().join("runtime/src");
    let mut files = files_below(&runtime);
    files.retain(|file| file.extension().is_some_and(|it| it == "md" || it == "rs"));
    files
}

/// The text with links to sections of other pages as if there were one page.
fn with_local_links(text: &str) -> String {
    let mut links = text.split("](crate::attributes::");
    let mut local = links.next().unwrap_or_default().to_owned();
    for link in links {
        let (_, anchor) = link.split_once('#').expect("a link leads to a section of a page");
        local = local + "](#" + anchor;
    }
    local
}

/// The enums of `keys!` and the constants `..KEYS` in `macros/src/attrs`, as `file: name`, with the keys of bounds among those of
/// keywords. An enum has its own keys, without those of the enums in it.
fn lists() -> BTreeMap<String, Keys> {
    let attrs = workspace().join("macros/src/attrs");
    let mut lists = BTreeMap::new();
    for file in rust_files(&attrs) {
        let name = file.strip_prefix(&attrs).unwrap().to_str().unwrap();
        for item in parse(&file).items {
            match item {
                Item::Const(item) if item.ident.to_string().ends_with("KEYS") => {
                    lists.insert(format!("{name}: {}", item.ident), strings(&item.expr));
                }
                Item::Macro(item) if item.mac.path.is_ident("keys") => {
                    let enums = enums(item.mac.tokens)
                        .into_iter()
                        .filter(|(enum_, keys)| enum_.ends_with("Key") && !keys.is_empty());
                    lists.extend(enums.map(|(enum_, keys)| (format!("{name}: {enum_}"), keys)));
                }
                _ => {}
            }
        }
    }
    let numbers = NumberBound::ALL.iter().map(|bound| bound.key());
    let bounds = numbers.chain(CountBound::ALL.iter().map(|bound| bound.key()));
    let keywords = lists.get_mut("keywords.rs: KeywordKey").unwrap();
    keywords.extend(bounds.map(str::to_owned));
    lists
}

/// The names of the enums in `keys!`, each before a group with its variants, and the strings in it.
fn enums(tokens: TokenStream) -> Vec<(String, Keys)> {
    let mut name = String::new();
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => name = ident.to_string(),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let literals = group.stream().into_iter().filter_map(|token| match token {
                    TokenTree::Literal(literal) => Some(literal.to_string().trim_matches('"').to_owned()),
                    _ => None,
                });
                found.push((name.clone(), literals.collect()));
            }
            _ => {}
        }
    }
    found
}

fn strings(expr: &Expr) -> Keys {
    let Expr::Reference(reference) = expr else {
        panic!("not a list of strings");
    };
    let Expr::Array(array) = &*reference.expr else {
        panic!("not a list of strings");
    };
    array.elems.iter().map(string).collect()
}

fn string(expr: &Expr) -> String {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.value(),
            _ => panic!("not a string"),
        },
        _ => panic!("not a string"),
    }
}

/// The keys that a struct of kube-derive is read from.
fn kubes_keys(file: &str, name: &str) -> Keys {
    let file = kube_derive().join("src").join(file);
    let item = parse(&file)
        .items
        .into_iter()
        .find_map(|item| match item {
            Item::Struct(item) if item.ident == name => Some(item),
            _ => None,
        })
        .unwrap_or_else(|| panic!("kube-derive has no struct {name} any more"));
    item.fields
        .iter()
        .filter(|field| !is_forwarded(&field.ty))
        .map(|field| renamed(&field.attrs).unwrap_or_else(|| field.ident.as_ref().unwrap().to_string()))
        .collect()
}

/// Whether darling fills the field with a part of the input.
fn is_forwarded(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Ident"))
}

/// The name in `#[darling(rename = "...")]`.
fn renamed(attrs: &[syn::Attribute]) -> Option<String> {
    let mut name = None;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("darling")) {
        let items =
            attr.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated).unwrap();
        for item in items {
            if let Meta::NameValue(item) = item
                && item.path.is_ident("rename")
            {
                name = Some(string(&item.value));
            }
        }
    }
    name
}

fn kube_derive() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline"])
        .args(["--filter-platform", &host()])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let package = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|package| package["name"] == "kube-derive")
        .expect("kube-derive is a dependency of the tests");
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_owned()
}

/// The platform whose dependencies have been downloaded.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files
}

fn parse(file: &Path) -> syn::File {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&text).unwrap()
}

/// The pages about attributes, as one.
struct Page {
    sections: Vec<Section>,
}

/// A heading and what stands below it, up to the next heading.
struct Section {
    level: usize,
    title: String,
    lines: Vec<String>,
}

/// A key in a table, with a link to its example.
struct Row {
    key: String,
    anchor: String,
}

impl Page {
    fn read() -> Self {
        let text = pages().into_values().collect::<Vec<_>>().join("\n");
        Self::parse(&with_local_links(&text))
    }

    fn parse(text: &str) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        let mut in_code = false;
        for line in text.lines() {
            in_code ^= line.starts_with("```");
            let title = line.trim_start_matches('#');
            let level = line.len() - title.len();
            if !in_code && level > 0 && title.starts_with(' ') {
                sections.push(Section { level, title: title.trim().to_owned(), lines: Vec::new() });
            } else if let Some(section) = sections.last_mut() {
                section.lines.push(line.to_owned());
            }
        }
        let anchors: Vec<_> = sections.iter().map(Section::anchor).collect();
        let distinct: BTreeSet<_> = anchors.iter().collect();
        assert_eq!(anchors.len(), distinct.len(), "two headings are the same");
        Self { sections }
    }

    fn chapters(&self) -> impl Iterator<Item = &str> {
        let chapters = self.sections.iter().filter(|section| section.level == 1);
        chapters.map(|section| section.title.as_str())
    }

    /// The keys in the tables of a chapter.
    fn rows(&self, title: &str) -> Vec<Row> {
        let chapter = self.section(title);
        self.below(chapter)
            .iter()
            .flat_map(|section| &section.lines)
            .filter(|line| line.starts_with('|'))
            .flat_map(|line| links(line))
            .collect()
    }

    fn section(&self, title: &str) -> &Section {
        let found = self.sections.iter().find(|section| section.title == title);
        found.unwrap_or_else(|| panic!("there is no section `{title}`"))
    }

    /// A section and those that are parts of it.
    fn below(&self, section: &Section) -> &[Section] {
        let start = self.sections.iter().position(|other| std::ptr::eq(other, section)).unwrap();
        let parts = self.sections[start + 1..].iter().take_while(|other| other.level > section.level).count();
        &self.sections[start..=start + parts]
    }

    /// The examples of a section.
    fn code(&self, section: &Section) -> String {
        let mut code = String::new();
        let mut in_code = false;
        for line in self.below(section).iter().flat_map(|section| &section.lines) {
            in_code ^= line.starts_with("```");
            if in_code {
                code.push_str(line);
                code.push('\n');
            }
        }
        code
    }
}

impl Section {
    /// The name that rustdoc gives the heading.
    fn anchor(&self) -> String {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let title: String = self.title.to_lowercase().chars().filter(kept).collect();
        title.replace(' ', "-")
    }
}

/// The keys of a row: each ``[`key`](#section)``.
fn links(row: &str) -> Vec<Row> {
    row.split("[`")
        .skip(1)
        .filter_map(|rest| {
            let (key, rest) = rest.split_once("`](#")?;
            let (anchor, _) = rest.split_once(')')?;
            Some(Row { key: inner_key(key).to_owned(), anchor: anchor.to_owned() })
        })
        .collect()
}

/// `age` of `printcolumn(age)`: what is new about it.
fn inner_key(key: &str) -> &str {
    key.split(['(', ')']).next().unwrap_or(key)
}

fn words(code: &str) -> Keys {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(ToOwned::to_owned).collect()
}
