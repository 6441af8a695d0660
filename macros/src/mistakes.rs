//! The mistakes that the derives report themselves: the files of `ui-tests/derive/<topic>` are expanded in this process, and
//! the errors, printed as rustc prints them, are compared with `<topic>.stderr`. The tests of `ui-tests` compare the same files
//! with the output of rustc. `TRYBUILD=overwrite` writes it.

use std::{
    collections::HashMap,
    env,
    fmt::Write,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, DeriveInput, Item};

use crate::expand;

#[test]
fn are_reported_on_their_token() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/derive");
    let overwrite = env::var_os("TRYBUILD").is_some_and(|it| it == "overwrite");
    let mut report = String::new();
    let topics: Vec<_> = entries(&folder).into_iter().filter(|entry| entry.is_dir()).collect();
    assert!(!topics.is_empty(), "no mistakes in {}", folder.display());
    for topic in topics {
        let actual = stderr_of_topic(&topic);
        let expected = topic.with_extension("stderr");
        if overwrite {
            fs::write(&expected, &actual).expect("the expected errors are writable");
        } else {
            let expected = fs::read_to_string(&expected).unwrap_or_default();
            report_differences(&expected, &actual, &mut report);
        }
    }
    assert!(report.is_empty(), "{report}`TRYBUILD=overwrite` writes the `.stderr` files: review the difference.");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .collect();
    entries.sort();
    entries
}

fn stderr_of_topic(topic: &Path) -> String {
    let folder = topic.ancestors().nth(2).expect("the folder of a topic is in `ui-tests/derive`");
    let mut printed = Vec::new();
    for case in entries(topic) {
        let name = case.strip_prefix(folder).expect("the case is in the folder").display().to_string();
        let errors = stderr(&name, &fs::read_to_string(&case).expect("the case is readable"));
        assert!(!errors.is_empty(), "{name} has no mistake that a derive reports");
        printed.push(errors);
    }
    printed.join("\n")
}

fn report_differences(expected: &str, actual: &str, report: &mut String) {
    let errors = |printed: &str| printed.split("\n\n").map(|it| it.trim().to_owned()).collect::<Vec<_>>();
    let (expected, actual) = (errors(expected), errors(actual));
    for error in actual.iter().filter(|error| !expected.contains(error)) {
        _ = writeln!(report, "new:\n{error}\n");
    }
    for error in expected.iter().filter(|error| !actual.contains(error)) {
        _ = writeln!(report, "missing:\n{error}\n");
    }
    if report.is_empty() && expected != actual {
        _ = writeln!(report, "the order of errors differs");
    }
}

#[test]
fn a_case_without_a_mistake_reports_nothing() {
    assert_eq!(stderr("", "#[derive(KubeSchema)] struct Foo { size: u8 }"), "");
}

/// What rustc prints of the errors of all derives in a file.
fn stderr(name: &str, source: &str) -> String {
    let mut locations = Locations::default();
    let tokens = locations.with_separate_spans(source.parse().expect("the case has tokens"));
    let file: syn::File = syn::parse2(tokens).expect("the case is Rust");
    let mut errors = Vec::new();
    collect_item_errors(file.items, &mut errors);
    let mut printed = Vec::new();
    for error in &errors {
        let text = error.print(name, source, &locations);
        if !printed.contains(&text) {
            printed.push(text);
        }
    }
    printed.join("\n")
}

/// Where the tokens of a source stand in it.
///
/// A stable compiler joins no spans, and the error of several tokens underlines the first one. Spans of different files
/// are not joined either, so each token gets the span of a file of its own.
#[derive(Default)]
struct Locations {
    by_file: HashMap<String, Range<usize>>,
}

impl Locations {
    fn with_separate_spans(&mut self, tokens: TokenStream) -> TokenStream {
        tokens.into_iter().map(|token| self.with_separate_span(token)).collect()
    }

    fn with_separate_span(&mut self, token: TokenTree) -> TokenTree {
        let span = self.separate(token.span());
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), self.with_separate_spans(group.stream())).into(),
            token => token,
        };
        token.set_span(span);
        token
    }

    fn separate(&mut self, span: Span) -> Span {
        let file: TokenStream = SEPARATE_FILE.parse().expect("an identifier is a token");
        let separate = file.into_iter().next().expect("the file has a token").span();
        self.by_file.insert(separate.file(), span.byte_range());
        separate
    }

    /// The bytes of the source that a separate span covers: a whole token, or one delimiter of a group.
    fn bytes(&self, span: Span) -> Range<usize> {
        let Range { start, end } = self.by_file[&span.file()];
        let part = span.byte_range();
        if part.len() == SEPARATE_FILE.len() {
            start..end
        } else if part.start == 0 {
            start..start + 1
        } else {
            end - 1..end
        }
    }
}

/// The delimiters of a group have spans of their own, so it is longer than these.
const SEPARATE_FILE: &str = "abc";

fn collect_item_errors(items: Vec<Item>, errors: &mut Vec<CompileError>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                let content = module.content.map(|(_, items)| items);
                collect_item_errors(content.unwrap_or_default(), errors);
            }
            Item::Struct(item) => collect_derive_errors(&item.attrs, item.to_token_stream(), errors),
            Item::Enum(item) => collect_derive_errors(&item.attrs, item.to_token_stream(), errors),
            Item::Union(item) => collect_derive_errors(&item.attrs, item.to_token_stream(), errors),
            _ => {}
        }
    }
}

fn collect_derive_errors(attrs: &[Attribute], item: TokenStream, errors: &mut Vec<CompileError>) {
    let mut input: DeriveInput = syn::parse2(item).expect("structs, enums and unions are the input of derives");
    input.attrs.retain(|attr| !attr.path().is_ident("derive"));
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        _ = attr.parse_nested_meta(|derive| {
            if let Some(expand) = expansion(&derive.path) {
                collect_compile_errors(expand(&input), errors);
            }
            Ok(())
        });
    }
}

fn expansion(derive: &syn::Path) -> Option<fn(&DeriveInput) -> TokenStream> {
    match derive.segments.last()?.ident.to_string().as_str() {
        "CustomResource" => Some(expand::custom_resource),
        "KubeSchema" | "JsonSchema" => Some(expand::kube_schema),
        "Apply" => Some(expand::apply),
        "Convert" => Some(expand::convert),
        "Resource" => Some(expand::inherited_resource),
        _ => None,
    }
}

/// A `compile_error!` in the output of a derive.
struct CompileError {
    message: String,
    first: Span,
    last: Span,
}

impl CompileError {
    fn print(&self, name: &str, source: &str, locations: &Locations) -> String {
        let range = locations.bytes(self.first).start..locations.bytes(self.last).end;
        let annotation = AnnotationKind::Primary.span(range);
        let snippet = Snippet::source(source).path(name).annotation(annotation);
        let report = Level::ERROR.primary_title(&*self.message).element(snippet);
        without_line_numbers(&Renderer::plain().render(&[report]))
    }
}

/// An error as it stands in a `.stderr` file, which has no line numbers of modules.
fn without_line_numbers(printed: &str) -> String {
    let is_location = |line: &&str| line.trim_start().starts_with("--> ");
    let message = printed.lines().take_while(|line| !is_location(line)).map(str::to_owned);
    let location = printed
        .lines()
        .find(is_location)
        .and_then(|line| line.split(':').next())
        .map(|it| format!(" {}", it.trim_start()));
    let source = printed.lines().skip_while(|line| !is_location(line)).skip(1).map(|line| {
        let source = line.trim_start_matches(|it: char| it == ' ' || it.is_ascii_digit());
        if source.starts_with('|') { format!("  {source}") } else { line.to_owned() }
    });
    message.chain(location).chain(source).map(|line| line + "\n").collect()
}

fn collect_compile_errors(tokens: TokenStream, errors: &mut Vec<CompileError>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if !is_compile_error(&tokens[..at]) {
            collect_compile_errors(group.stream(), errors);
            continue;
        }
        let message: syn::LitStr = syn::parse2(group.stream()).expect("`compile_error!` takes a string");
        errors.push(CompileError { message: message.value(), first: tokens[at - 1].span(), last: group.span() });
    }
}

fn is_compile_error(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(name), TokenTree::Punct(bang)]
        if name == "compile_error" && bang.as_char() == '!')
}
