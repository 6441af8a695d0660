//! Conversion by a webhook.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    admission::{client::Address, response::new_uid},
    value::{items, text},
    webhook_calls::Answer,
};

/// The time that a webhook has.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Sends an object to a webhook. The error begins with `returned` if the answer is wrong.
pub(super) async fn ask(address: Arc<Address>, version: &str, object: Value, api_version: String) -> Answer {
    let uid = new_uid();
    let review_version = format!("apiextensions.k8s.io/{version}");
    let request = json!({ "uid": uid, "desiredAPIVersion": api_version, "objects": [object] });
    let review = json!({ "kind": "ConversionReview", "apiVersion": review_version, "request": request });
    let answer = address.post(review, TIMEOUT).await;
    let review =
        answer.map_err(|error| error.strip_prefix("failed to call webhook: ").map(str::to_owned).unwrap_or(error))?;
    let (found, kind) = (text(&review, "apiVersion"), text(&review, "kind"));
    if version == "v1" && (found, kind) != (review_version.as_str(), "ConversionReview") {
        return Err(format!(
            "expected webhook response of {review_version}, Kind=ConversionReview, got {found}, Kind={kind}"
        ));
    }
    let response = &review["response"];
    if !response.is_object() {
        return Err("no response provided".to_owned());
    }
    let found = text(response, "uid");
    if version == "v1" && found != uid {
        return Err(format!("expected response.uid=\"{uid}\", got \"{found}\""));
    }
    let (status, message) = (text(&response["result"], "status"), text(&response["result"], "message"));
    match (status, message) {
        ("Success", _) => {}
        (status, "") => return Err(format!("response.result.status was '{status}', not 'Success'")),
        (_, message) => return Err(message.to_owned()),
    }
    match items(&response["convertedObjects"]) {
        [converted] => Ok(converted.clone()),
        objects => Err(format!("returned {} objects, expected 1", objects.len())),
    }
}
