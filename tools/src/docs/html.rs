//! The reference as one HTML page.

use std::fmt::Write as _;

use crdkit::__internal::emit::phrase::{Phrase, Span};

use super::{
    DocumentedField, DocumentedObject, Kind, KindVersion, anchor,
    blocks::{Block, blocks},
    facts, field_anchor, field_facts, target,
};

const STYLE: &str = include_str!("reference.css");
const SCRIPT: &str = include_str!("reference.js");

pub(super) fn page(kinds: &[Kind]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>API reference</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    add_navigation(kinds, &mut html);
    html.push_str("<main>\n<h1>API reference</h1>\n<p id=\"none\" hidden>No field matches.</p>\n");
    for kind in kinds {
        kind.versions.iter().for_each(|version| add_version(kind, version, &mut html));
    }
    let _ = write!(html, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    html
}

fn add_navigation(kinds: &[Kind], html: &mut String) {
    html.push_str(
        "<nav>\n<label for=\"search\">Search</label>\n\
         <input id=\"search\" type=\"search\" placeholder=\"kind, field or text\" autocomplete=\"off\">\n<ul>\n",
    );
    let mut group = "";
    for kind in kinds {
        if kind.group != group {
            let _ = writeln!(html, "<li class=\"group\">{}</li>", text(&kind.group));
            group = &kind.group;
        }
        for version in &kind.versions {
            let id = anchor(kind, version, "");
            let _ =
                writeln!(html, "<li><a href=\"#{id}\">{} <small>{}</small></a></li>", text(&kind.kind), version.name);
        }
    }
    html.push_str("</ul>\n</nav>\n");
}

fn add_version(kind: &Kind, version: &KindVersion, html: &mut String) {
    let id = anchor(kind, version, "");
    let _ = write!(
        html,
        "<section class=\"kind\" data-text=\"{}\">\n<h2 id=\"{id}\"><a href=\"#{id}\">{} <small>{}/{}</small></a></h2>\n",
        attribute(&format!("{} {} {}", kind.kind, kind.definition, kind.short_names.join(" "))),
        text(&kind.kind),
        text(&kind.group),
        version.name
    );
    html.push_str(&described(&version.description));
    html.push_str("<ul class=\"facts\">\n");
    let _ = writeln!(html, "{}</ul>", list_items(&facts(kind, version)));
    version.objects.iter().for_each(|object| add_object(kind, version, object, html));
    add_columns(version, html);
    for (title, yaml) in &version.samples {
        let _ = writeln!(html, "<details><summary>Example: {}</summary><pre>{}</pre></details>", title, text(yaml));
    }
    html.push_str("</section>\n");
}

fn add_columns(version: &KindVersion, html: &mut String) {
    if version.columns.is_empty() {
        return;
    }
    html.push_str("<details><summary>Columns of <code>kubectl get</code></summary>\n<div class=\"scroll\"><table>\n");
    html.push_str("<tr><th>column</th><th>type</th><th>path</th><th>description</th></tr>\n");
    for [name, type_, path, description] in &version.columns {
        let cells =
            [text(name), text(type_), format!("<code>{}</code>", text(path)), inline(&Phrase::parse(description))];
        let _ = writeln!(html, "<tr><td>{}</td></tr>", cells.join("</td><td>"));
    }
    html.push_str("</table></div></details>\n");
}

fn add_object(kind: &Kind, version: &KindVersion, object: &DocumentedObject, html: &mut String) {
    html.push_str("<div class=\"object\">\n");
    if !object.path.is_empty() {
        let id = anchor(kind, version, &object.path);
        let _ = writeln!(html, "<h3 id=\"{id}\"><a href=\"#{id}\"><code>{}</code></a></h3>", text(&object.path));
    }
    for rule in &object.rules {
        let _ = writeln!(html, "<p class=\"rule\">{}</p>", inline(&rule.clone().sentence()));
    }
    html.push_str("<dl>\n");
    object.fields.iter().for_each(|field| add_field(kind, version, field, html));
    html.push_str("</dl>\n</div>\n");
}

fn add_field(kind: &Kind, version: &KindVersion, field: &DocumentedField, html: &mut String) {
    let id = field_anchor(kind, version, field);
    let type_text = match &field.link {
        Some(link) => format!("<a href=\"{}\">{}</a>", target(kind, version, link), text(&field.type_text)),
        None => text(&field.type_text),
    };
    let required = if field.is_required { " <span class=\"required\">required</span>" } else { "" };
    let _ = write!(
        html,
        "<div class=\"field\" data-text=\"{}\">\n<dt id=\"{id}\"><a href=\"#{id}\"><code>{}</code></a> \
         <span class=\"type\">{type_text}</span>{required}</dt>\n<dd>{}",
        attribute(&format!("{} {}", field.path, field.description)),
        text(&field.name),
        described(&field.description)
    );
    let facts = field_facts(field);
    if !facts.is_empty() {
        let _ = write!(html, "<ul class=\"facts\">{}</ul>", list_items(&facts));
    }
    html.push_str("</dd>\n</div>\n");
}

fn described(description: &str) -> String {
    let block = |block: Block| match block {
        Block::Paragraph(text) => format!("<p>{}</p>\n", inline(&Phrase::parse(&text))),
        Block::List(items) => {
            let items: Vec<_> = items.iter().map(|item| Phrase::parse(item)).collect();
            format!("<ul>{}</ul>\n", list_items(&items))
        }
        Block::Code(code) => format!("<pre>{}</pre>\n", text(&code)),
    };
    blocks(description).into_iter().map(block).collect()
}

fn list_items(items: &[Phrase]) -> String {
    items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect()
}

fn inline(phrase: &Phrase) -> String {
    let span = |span: &Span| match span {
        Span::Text(words) => text(words),
        Span::Code(code) => format!("<code>{}</code>", text(code)),
    };
    phrase.spans().iter().map(span).collect()
}

fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn attribute(words: &str) -> String {
    text(&words.to_lowercase()).replace('"', "&quot;").replace('\n', " ")
}
