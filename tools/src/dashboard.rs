//! A dashboard of Grafana for the metrics of an operator.

use std::collections::BTreeMap;

use crdkit::__internal::metrics::{FamilyDescription, FamilyKind, families};
use serde_json::{Value, json};

use self::rows::{ALL, Aggregate, Panel, Row, Series};

mod rows;

/// The version of the schema of Grafana 11, which later versions migrate.
const SCHEMA_VERSION: u32 = 39;
/// Grafana divides the width of a dashboard into so many columns.
const COLUMNS: u32 = 24;
const PANEL_WIDTH: u32 = 8;
const PANEL_HEIGHT: u32 = 8;
/// A metric that each operator has, for the lists of jobs and controllers.
const EVERYWHERE: &str = "controller_runtime_max_concurrent_reconciles";
/// The quantiles of a histogram.
const QUANTILES: [(&str, &str); 2] = [("0.5", "p50"), ("0.99", "p99")];

/// The families of metrics by name.
type Table<'a> = BTreeMap<&'a str, &'a FamilyDescription>;

/// Returns a dashboard of Grafana with the metrics of an operator: reconciliations, queues, caches, requests, replicas and webhooks.
///
/// The queries follow from the metrics' own table: rates of counters, quantiles of histograms, values of gauges; each panel has the
/// description of its metrics. The data source and the job of Prometheus are variables.
///
/// ```
/// let dashboard = crdkit_tools::dashboard("vm-operator");
/// assert_eq!(dashboard["title"], "vm-operator");
/// let titles: Vec<_> = dashboard["panels"].as_array().unwrap().iter().map(|panel| &panel["title"]).collect();
/// assert_eq!(titles[..3], ["Reconciliations", "Results", "Failures"]);
/// ```
///
/// The command [`dashboard`](crate::main) of the program writes it, for *Dashboards / New / Import*, or for a ConfigMap that Grafana's
/// sidecar loads.
pub fn dashboard(title: &str) -> Value {
    let families = families();
    let families: Table<'_> = families.iter().map(|family| (&*family.name, family)).collect();
    let mut panels = Vec::new();
    let mut top = 0;
    for Row { title, panels: of_row } in ALL {
        let of_row: Vec<_> = (0..).zip(of_row.iter().filter(|panel| is_compiled(panel, &families))).collect();
        if of_row.is_empty() {
            continue;
        }
        panels.push(json!({
            "id": panels.len() + 1, "type": "row", "title": title, "collapsed": false, "panels": [],
            "gridPos": { "x": 0, "y": top, "w": COLUMNS, "h": 1 },
        }));
        top += 1;
        for (index, panel) in &of_row {
            let per_line = COLUMNS / PANEL_WIDTH;
            let (x, y) = (index % per_line * PANEL_WIDTH, top + index / per_line * PANEL_HEIGHT);
            let grid = json!({ "x": x, "y": y, "w": PANEL_WIDTH, "h": PANEL_HEIGHT });
            panels.push(time_series(panels.len() + 1, panel, &grid, &families));
        }
        top += (of_row.len() as u32).div_ceil(COLUMNS / PANEL_WIDTH) * PANEL_HEIGHT;
    }
    json!({
        "title": title,
        "uid": null,
        "tags": ["kubernetes", "operator"],
        "timezone": "",
        "editable": true,
        "schemaVersion": SCHEMA_VERSION,
        "refresh": "30s",
        "time": { "from": "now-1h", "to": "now" },
        "templating": { "list": variables() },
        "panels": panels,
    })
}

/// Whether the program has the metrics of a panel: webhooks are a feature.
fn is_compiled(panel: &Panel, families: &Table<'_>) -> bool {
    panel.series.iter().all(|series| families.contains_key(series.metric))
}

fn data_source() -> Value {
    json!({ "type": "prometheus", "uid": "${datasource}" })
}

fn variables() -> Vec<Value> {
    let query = |name: &str, label: &str, query: String| {
        json!({
            "name": name, "label": label, "type": "query", "datasource": data_source(), "definition": query,
            "query": { "query": query, "refId": name },
            // When the range of time changes, and in alphabetic order.
            "refresh": 2, "sort": 1,
        })
    };
    let mut controllers =
        query("controller", "Controller", format!("label_values({EVERYWHERE}{{job=\"$job\"}}, controller)"));
    (controllers["multi"], controllers["includeAll"], controllers["allValue"]) =
        (json!(true), json!(true), json!(".*"));
    controllers["current"] = json!({ "text": ["All"], "value": ["$__all"] });
    vec![
        json!({ "name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus" }),
        query("job", "Job", format!("label_values({EVERYWHERE}, job)")),
        controllers,
    ]
}

fn time_series(id: usize, panel: &Panel, grid: &Value, families: &Table<'_>) -> Value {
    let series = || panel.series.iter().filter_map(|series| Some((series, *families.get(series.metric)?)));
    let targets = ('A'..='Z').zip(series().flat_map(|(series, family)| queries(series, family.kind)));
    let target = |(id, (query, legend)): (char, (String, String))| json!({ "refId": id, "expr": query, "legendFormat": legend, "datasource": data_source() });
    let targets: Vec<_> = targets.map(target).collect();
    let description: Vec<_> =
        series().map(|(series, family)| format!("`{}`: {}", series.metric, family.help)).collect();
    json!({
        "id": id,
        "type": "timeseries",
        "title": panel.title,
        "description": description.join("\n\n"),
        "datasource": data_source(),
        "gridPos": grid,
        "fieldConfig": { "defaults": { "unit": panel.unit }, "overrides": [] },
        "options": {
            "legend": { "displayMode": "list", "placement": "bottom", "showLegend": true },
            "tooltip": { "mode": "multi", "sort": "desc" },
        },
        "targets": targets,
    })
}

/// Returns the queries of a metric with their legends: each quantile of a histogram is one.
fn queries(series: &Series, kind: FamilyKind) -> Vec<(String, String)> {
    let Series { metric, by, name, aggregate } = series;
    let selector =
        if by.contains(&"controller") { r#"job="$job", controller=~"$controller""# } else { r#"job="$job""# };
    let labels: Vec<_> = by.iter().map(|label| format!("{{{{{label}}}}}")).collect();
    let legend = |more: &str| {
        let words = labels.iter().map(String::as_str).chain([*name, more]);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let by = by.join(", ");
    match (kind, aggregate) {
        (FamilyKind::Counter, _) => {
            vec![(format!("sum by ({by}) (rate({metric}{{{selector}}}[$__rate_interval]))"), legend(""))]
        }
        (FamilyKind::Histogram, _) => {
            let all = if by.is_empty() { "le".to_owned() } else { format!("le, {by}") };
            let rate = format!("sum by ({all}) (rate({metric}_bucket{{{selector}}}[$__rate_interval]))");
            QUANTILES.map(|(quantile, name)| (format!("histogram_quantile({quantile}, {rate})"), legend(name))).into()
        }
        (FamilyKind::Gauge, Aggregate::TimeLeft) => {
            vec![(format!("min by ({by}) ({metric}{{{selector}}}) - time()"), legend(""))]
        }
        (FamilyKind::Gauge, aggregate) => {
            vec![(format!("{} by ({by}) ({metric}{{{selector}}})", aggregate.function()), legend(""))]
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{rows::LEFT_OUT, *};

    #[test]
    fn each_metric_of_the_table_is_shown_or_left_out() {
        let shown = ALL.iter().flat_map(|row| row.panels).flat_map(|panel| panel.series).map(|series| series.metric);
        let mut names: Vec<_> = shown.chain(LEFT_OUT.iter().map(|(metric, _)| *metric)).collect();
        names.sort_unstable();
        let unique: BTreeSet<_> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(names.len(), unique.len(), "a metric is there twice: {names:?}");
        let table: BTreeSet<_> = families().into_iter().map(|family| family.name).collect();
        let has_webhooks = table.contains("controller_runtime_webhook_requests_total");
        let is_of_webhooks = |name: &str| name.contains("webhook") || name.starts_with("certwatcher_");
        let expected = unique.into_iter().filter(|name| has_webhooks || !is_of_webhooks(name)).collect();
        assert_eq!(table, expected);
    }

    #[test]
    fn queries_follow_from_the_kind_of_a_metric() {
        let dashboard = dashboard("at-operator");
        let panels = dashboard["panels"].as_array().unwrap();
        let panel =
            |title: &str| panels.iter().find(|panel| panel["title"] == title && panel["type"] != "row").unwrap();
        let targets = |title: &str| -> Vec<(String, String)> {
            let targets = panel(title)["targets"].as_array().unwrap().iter();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            targets.map(|target| (text(&target["expr"]), text(&target["legendFormat"]))).collect()
        };
        let results = "sum by (controller, result) (rate(controller_runtime_reconcile_total{job=\"$job\", \
            controller=~\"$controller\"}[$__rate_interval]))";
        assert_eq!(targets("Results"), [(results.to_owned(), "{{controller}} {{result}}".to_owned())]);
        let durations = targets("Durations");
        let p99 = "histogram_quantile(0.99, sum by (le, controller) (rate(controller_runtime_reconcile_time_seconds_bucket{job=\"$job\", \
            controller=~\"$controller\"}[$__rate_interval])))";
        assert_eq!(durations[1], (p99.to_owned(), "{{controller}} p99".to_owned()));
        assert_eq!(targets("Leader")[0].0, "sum by (name) (leader_election_master_status{job=\"$job\"})");
        assert_eq!(panel("Failures")["targets"].as_array().unwrap().len(), 4);
        let description = panel("Results")["description"].as_str().unwrap();
        assert_eq!(description, "`controller_runtime_reconcile_total`: Total number of reconciliations per controller");
    }

    #[test]
    fn panels_do_not_overlap() {
        let dashboard = dashboard("at-operator");
        let mut taken = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for panel in dashboard["panels"].as_array().unwrap() {
            assert!(ids.insert(panel["id"].as_u64().unwrap()));
            let of = |name: &str| panel["gridPos"][name].as_u64().unwrap();
            for (x, y) in (of("x")..of("x") + of("w")).flat_map(|x| (of("y")..of("y") + of("h")).map(move |y| (x, y))) {
                assert!(x < 24 && taken.insert((x, y)), "{panel}");
            }
        }
    }
}
