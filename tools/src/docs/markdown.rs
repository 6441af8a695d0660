//! The reference as Markdown, in the dialect of GitHub.

use std::fmt::Write as _;

use crdkit::__internal::emit::{
    markdown::{code, entities, line},
    phrase::Phrase,
};

use super::{
    DocumentedField, DocumentedObject, Kind, KindVersion, anchor,
    blocks::{Block, blocks},
    facts, field_anchor, field_facts, target,
};
use crate::markdown::{fenced, literal};

pub(super) fn page(kinds: &[Kind]) -> String {
    let mut text = "# API reference\n".to_owned();
    if kinds.len() > 1 {
        text.push('\n');
        for kind in kinds {
            for version in &kind.versions {
                let _ =
                    writeln!(text, "- [{} {}/{}](#{})", kind.kind, kind.group, version.name, anchor(kind, version, ""));
            }
        }
    }
    for kind in kinds {
        for version in &kind.versions {
            add_version(kind, version, &mut text);
        }
    }
    text
}

fn add_version(kind: &Kind, version: &KindVersion, text: &mut String) {
    let id = anchor(kind, version, "");
    let _ = write!(text, "\n<a id=\"{id}\"></a>\n\n## {} `{}/{}`\n\n", kind.kind, kind.group, version.name);
    for block in blocks(&version.description) {
        match block {
            Block::Paragraph(words) => text.push_str(&own_line(&words)),
            Block::List(items) => text.extend(items.iter().map(|item| format!("- {}\n", line(&Phrase::parse(item))))),
            Block::Code(code) => text.push_str(&fenced("", &code)),
        }
        text.push('\n');
    }
    text.extend(facts(kind, version).iter().map(|fact| format!("- {}\n", line(fact))));
    version.objects.iter().for_each(|object| add_object(kind, version, object, text));
    if !version.columns.is_empty() {
        text.push_str("\n### Columns\n\n| column | type | path | description |\n|---|---|---|---|\n");
        for [name, type_, path, description] in &version.columns {
            let [name, type_] = [name, type_].map(|text| literal(text));
            let _ = writeln!(text, "| {name} | {type_} | {} | {} |", code(path), described(description));
        }
    }
    for (title, yaml) in &version.samples {
        let _ = write!(text, "\n### Example: {}\n\n{}", title.to_lowercase(), fenced("yaml", yaml));
    }
}

fn add_object(kind: &Kind, version: &KindVersion, object: &DocumentedObject, text: &mut String) {
    if !object.path.is_empty() {
        let id = anchor(kind, version, &object.path);
        let _ = write!(text, "\n<a id=\"{id}\"></a>\n\n### {}\n", code(&object.path));
    }
    if !object.rules.is_empty() {
        text.push('\n');
        text.extend(object.rules.iter().map(|rule| format!("- {}\n", line(&rule.clone().sentence()))));
    }
    if !object.fields.is_empty() {
        text.push_str("\n| field | type | required | description |\n|---|---|---|---|\n");
        object.fields.iter().for_each(|field| add_field(kind, version, field, text));
    }
}

fn add_field(kind: &Kind, version: &KindVersion, field: &DocumentedField, text: &mut String) {
    let type_text = match &field.link {
        Some(link) => format!("[{}]({})", literal(&field.type_text), target(kind, version, link)),
        None => literal(&field.type_text),
    };
    let mut parts = Vec::new();
    if !field.description.is_empty() {
        parts.push(described(&field.description));
    }
    parts.extend(field_facts(field).iter().map(line));
    let required = if field.is_required { "yes" } else { "" };
    let id = field_anchor(kind, version, field);
    let name = code(&field.name);
    let _ = writeln!(text, "| <a id=\"{id}\"></a>{name} | {type_text} | {required} | {} |", parts.join(" "));
}

/// Returns a description for a cell of a table.
fn described(description: &str) -> String {
    let block = |block: Block| match block {
        Block::Paragraph(text) => line(&Phrase::parse(&text).sentence()),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>", line(&Phrase::parse(item)))).collect();
            format!("<ul>{items}</ul>")
        }
        Block::Code(code) => format!("<pre>{}</pre>", entities(&code)),
    };
    let mut text = blocks(description).into_iter().map(block).collect::<Vec<_>>().join("<br>");
    for (before, after) in
        [("<br><ul>", "<ul>"), ("</ul><br>", "</ul>"), ("<br><pre>", "<pre>"), ("</pre><br>", "</pre>")]
    {
        text = text.replace(before, after);
    }
    text
}

/// Returns a paragraph whose start is not read as a heading, a list, a quotation or a table.
fn own_line(words: &str) -> String {
    let text = line(&Phrase::parse(words));
    let escape = if text.starts_with(['#', '>', '|', '+', '-', '=', '*', '~']) { "\\" } else { "" };
    format!("{escape}{text}\n")
}
