//! The reference as Markdown.

use std::fmt::Write as _;

use super::{
    Field, Kind, KindVersion, Object, anchor,
    blocks::{Block, blocks},
    field_anchor, sentence,
};

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
    if !version.description.is_empty() {
        let _ = write!(text, "{}\n\n", escaped(version.description.trim()));
    }
    let mut facts = vec![format!("{} scope", kind.scope.to_lowercase()), format!("`kubectl get {}`", kind.plural)];
    if !kind.short_names.is_empty() {
        facts.push(format!("short names: {}", code(&kind.short_names)));
    }
    if !kind.categories.is_empty() {
        facts.push(format!("categories: {}", code(&kind.categories)));
    }
    facts.extend(version.notes.iter().cloned());
    text.extend(facts.iter().map(|fact| format!("- {}\n", sentence(fact))));
    version.objects.iter().for_each(|object| add_object(kind, version, object, text));
    if !version.columns.is_empty() {
        text.push_str("\n### Columns\n\n| column | type | path | description |\n|---|---|---|---|\n");
        for [name, type_, path, description] in &version.columns {
            let _ = writeln!(text, "| {} | {type_} | `{path}` | {} |", cell(name), cell(description));
        }
    }
    for (title, yaml) in &version.samples {
        let _ = write!(text, "\n### Example: {}\n\n```yaml\n{yaml}```\n", title.to_lowercase());
    }
}

fn code(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn add_object(kind: &Kind, version: &KindVersion, object: &Object, text: &mut String) {
    if !object.path.is_empty() {
        let id = anchor(kind, version, &object.path);
        let _ = write!(text, "\n<a id=\"{id}\"></a>\n\n### `{}`\n", object.path);
    }
    if !object.rules.is_empty() {
        text.push('\n');
        text.extend(object.rules.iter().map(|rule| format!("- {}\n", sentence(&escaped(rule)))));
    }
    if !object.fields.is_empty() {
        text.push_str("\n| field | type | required | description |\n|---|---|---|---|\n");
        object.fields.iter().for_each(|field| add_field(kind, version, field, text));
    }
}

fn add_field(kind: &Kind, version: &KindVersion, field: &Field, text: &mut String) {
    let type_text = match &field.link {
        Some(link) => format!("[{}](#{})", field.type_text, anchor(kind, version, link)),
        None => field.type_text.clone(),
    };
    let mut parts = Vec::new();
    if !field.description.is_empty() {
        parts.push(described(&field.description));
    }
    parts.extend(field.constraints.iter().chain(&field.rules).map(|phrase| cell(&sentence(phrase))));
    parts.extend(field.default.iter().map(|default| cell(&format!("Default: `{default}`."))));
    parts.extend(field.example.iter().map(|example| cell(&format!("Example: `{example}`."))));
    let required = if field.is_required { "yes" } else { "" };
    let id = field_anchor(kind, version, field);
    let _ = writeln!(text, "| <a id=\"{id}\"></a>`{}` | {type_text} | {required} | {} |", field.name, parts.join(" "));
}

/// Returns a description for a cell of a table.
fn described(description: &str) -> String {
    let block = |block: Block| match block {
        Block::Paragraph(text) => cell(&sentence(&text)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>", cell(item))).collect();
            format!("<ul>{items}</ul>")
        }
    };
    let blocks: Vec<_> = blocks(description).into_iter().map(block).collect();
    blocks.join("<br>").replace("<br><ul>", "<ul>").replace("</ul><br>", "</ul>")
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    escaped(text).replace('|', "\\|").replace("\n\n", "<br>").replace('\n', " ")
}

/// Returns a text whose characters outside of code are not read as HTML.
fn escaped(text: &str) -> String {
    let mut is_code = false;
    let mut escaped = String::new();
    for letter in text.chars() {
        is_code ^= letter == '`';
        match letter {
            '<' if !is_code => escaped.push_str("&lt;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
