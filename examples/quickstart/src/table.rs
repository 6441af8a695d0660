//! The table of a collection, as `kubectl get` shows it.

use anyhow::{Context, Result};
use crdkit::Client;
use serde_json::Value;

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
/// The spaces between columns.
const GAP: usize = 3;

/// Requests the table of a collection, which the server makes of the printer columns.
pub(crate) async fn get(client: &Client, path: &str) -> Result<String> {
    let request = http::Request::get(path).header(http::header::ACCEPT, TABLE).body(Vec::new())?;
    let table: Value = client.kube().request(request).await.context("the table cannot be read")?;
    Ok(render(&table))
}

fn render(table: &Value) -> String {
    let columns = table["columnDefinitions"].as_array().into_iter().flatten();
    // Columns with another priority are those of `kubectl get -o wide`.
    let shown: Vec<usize> =
        columns.clone().enumerate().filter(|(_, column)| column["priority"] == 0).map(|(at, _)| at).collect();
    let header = columns.map(|column| text(&column["name"]).to_uppercase()).collect();
    let rows = table["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| row["cells"].as_array().into_iter().flatten().map(text).collect());
    let lines: Vec<Vec<String>> = [header].into_iter().chain(rows).collect();
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or_default() + GAP;
    let line = |line: &Vec<String>| {
        let cells = shown.iter().map(|&at| format!("{:<width$}", line[at], width = width(at)));
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
}

fn text(cell: &Value) -> String {
    match cell {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
