//! `printcolumn` on the resource and `column` on fields.

use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::{columns, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "columns.example.com",
    version = "v1",
    kind = "Train",
    status = "TrainStatus",
    printcolumn(age),
    printcolumn(name = "Stop", type_ = "string", json_path = ".spec.stops[1]"),
    printcolumn(
        name = "Weight",
        type_ = "number",
        json_path = ".spec.load.weight",
        description = "In tons.",
        format = "double",
        priority = 2
    ),
    printcolumn = r#"{"name": "Full", "type": "boolean", "jsonPath": ".spec.load.full", "priority": 1}"#,
    printcolumn(condition = "Ready"),
    printcolumn(condition = "Late", name = "Delay", description = "Whether it is late.")
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainSpec {
    /// Where it goes.
    #[crd(column)]
    pub(crate) final_stop: String,

    pub(crate) stops: Vec<String>,

    pub(crate) load: Load,

    #[crd(column(name = "When", description = "Departure.", format = "date-time", priority = 0))]
    pub(crate) departure: Time,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Load {
    pub(crate) weight: f64,
    pub(crate) full: bool,
    #[crd(column(priority = 1))]
    pub(crate) wagons: Option<u16>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct TrainStatus {
    #[crd(column)]
    pub(crate) punctual: Option<bool>,
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
}

#[tokio::test]
async fn columns_are_printed_in_order() {
    let Some(served) = served::<Train>().await else {
        return;
    };
    let departure = Time(Timestamp::UNIX_EPOCH);
    let load = Load { weight: 1.5, full: true, wagons: Some(4) };
    let stops = ["Ulm", "Aalen"].map(str::to_owned).into();
    let spec = TrainSpec { final_stop: "Crailsheim".to_owned(), stops, load, departure };
    served.create(Train::new("a", spec)).await.expect_accepted();
    let condition = |type_: &str, status: &str| {
        json!({
            "type": type_,
            "status": status,
            "reason": "Test",
            "message": "",
            "lastTransitionTime": "2030-01-31T12:00:00Z",
        })
    };
    let conditions = [condition("Ready", "True"), condition("Late", "Unknown")];
    let status = json!({ "status": { "punctual": false, "conditions": conditions } });
    served.merge("a/status", status).await.expect_accepted();

    let expected = columns(&[
        ("Final-Stop", "string", 0),
        ("Wagons", "integer", 1),
        ("When", "date", 0),
        ("Punctual", "boolean", 0),
        ("Stop", "string", 0),
        ("Weight", "number", 2),
        ("Full", "boolean", 1),
        ("Ready", "string", 0),
        ("Delay", "string", 0),
        ("Age", "date", 0),
    ]);
    assert_eq!(served.columns().await, expected);

    let mut cells = served.cells("a").await;
    cells.truncate(9);
    // Dates are printed as durations, which go on.
    let when = cells.remove(2);
    assert!(when.as_str().is_some_and(|when| when.ends_with('y')), "{when}");
    let expected = json!(["Crailsheim", 4, false, "Aalen", 1.5, true, "True", "Unknown"]);
    assert_eq!(json!(cells), expected);

    let definitions = &served.table().await["columnDefinitions"];
    assert_eq!(definitions[1]["description"], "Where it goes.");
    assert_eq!(definitions[3]["description"], "Departure.");
    assert_eq!(definitions[3]["format"], "date-time");
    assert_eq!(definitions[6]["description"], "In tons.");
    assert_eq!(definitions[6]["format"], "double");
    assert_eq!(definitions[9]["description"], "Whether it is late.");
}
