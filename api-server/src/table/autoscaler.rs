//! The cells of HorizontalPodAutoscalers.

use serde_json::Value;

use super::{
    age,
    builtin::{count, list, or, str},
    name,
};

/// The number of metrics that are listed.
const SHOWN: usize = 2;
const UNKNOWN: &str = "<unknown>";

pub(super) fn cells(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let target = &spec["scaleTargetRef"];
    let minimum = spec["minReplicas"].as_i64().map_or_else(|| "<unset>".to_owned(), |it| it.to_string());
    vec![
        name(object),
        format!("{}/{}", str(&target["kind"]), str(&target["name"])).into(),
        metrics(spec, status).into(),
        minimum.into(),
        count(&spec["maxReplicas"]).into(),
        count(&status["currentReplicas"]).into(),
        age(object, now),
    ]
}

fn metrics(spec: &Value, status: &Value) -> String {
    // The first version of the API has one metric.
    if let Some(target) = spec["targetCPUUtilizationPercentage"].as_i64() {
        let current = status["currentCPUUtilizationPercentage"].as_i64();
        return format!("cpu: {}/{target}%", current.map_or_else(|| UNKNOWN.to_owned(), percent));
    }
    let mut shown: Vec<_> = list(&spec["metrics"])
        .enumerate()
        .map(|(at, metric)| self::metric(metric, &status["currentMetrics"][at]))
        .collect();
    let more = shown.len().saturating_sub(SHOWN);
    shown.truncate(SHOWN);
    match more {
        0 => or(&shown.join(", "), "<none>").to_owned(),
        more => format!("{} + {more} more...", shown.join(", ")),
    }
}

fn metric(metric: &Value, status: &Value) -> String {
    let kind = str(&metric["type"]);
    let source = match kind {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".to_owned(),
    };
    let (spec, current) = (&metric[source], &status[source]["current"]);
    let target = &spec["target"];
    let average = target["averageValue"].as_str();
    let quantity = |name: &str| or(str(&current[name]), if current.is_null() { UNKNOWN } else { "0" }).to_owned();
    match (kind, average) {
        ("Pods", _) => format!("{}/{}", quantity("averageValue"), or(average.unwrap_or_default(), "0")),
        ("External" | "Object", Some(average)) => {
            format!("{}/{average} (avg)", or(str(&current["averageValue"]), UNKNOWN))
        }
        ("External" | "Object", None) => format!("{}/{}", quantity("value"), or(str(&target["value"]), "0")),
        (_, Some(average)) => format!("{}: {}/{average}", str(&spec["name"]), quantity("averageValue")),
        (_, None) => {
            let current = current["averageUtilization"].as_i64().map_or_else(|| UNKNOWN.to_owned(), percent);
            let target = target["averageUtilization"].as_i64().map_or_else(|| "<auto>".to_owned(), percent);
            format!("{}: {current}/{target}", str(&spec["name"]))
        }
    }
}

fn percent(number: i64) -> String {
    format!("{number}%")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metrics_of_the_status() {
        let resource = |target: Value| json!({ "type": "Resource", "resource": { "name": "cpu", "target": target } });
        let external = |target: Value| json!({ "type": "External", "external": { "target": target } });
        for (metric, current, expected) in [
            (resource(json!({ "averageUtilization": 80 })), json!({ "averageUtilization": 20 }), "cpu: 20%/80%"),
            (resource(json!({ "averageValue": "1" })), json!({ "averageValue": "500m" }), "cpu: 500m/1"),
            (external(json!({ "averageValue": "2" })), json!({ "averageValue": "1" }), "1/2 (avg)"),
            (external(json!({ "value": "2" })), json!({ "value": "1" }), "1/2"),
            (external(json!({ "value": "2" })), Value::Null, "<unknown>/2"),
        ] {
            let source = if metric["type"] == "Resource" { "resource" } else { "external" };
            let status = json!({ "currentMetrics": [{ source: { "current": current } }] });
            assert_eq!(metrics(&json!({ "metrics": [metric] }), &status), expected);
        }
        assert_eq!(
            metrics(&json!({ "metrics": [{}, {}, {}] }), &json!({})),
            "<unknown type>, <unknown type> + 1 more..."
        );
    }
}
