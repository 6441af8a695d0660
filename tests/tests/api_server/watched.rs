//! The events of a watch.

use std::time::Duration;

use futures_util::StreamExt;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::timeout;

/// The time in which an event arrives.
const LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct Watched {
    body: http_body_util::BodyDataStream<Body>,
    read: Vec<u8>,
    is_over: bool,
}

impl Watched {
    pub(super) fn new(body: Body) -> Self {
        Self { body: http_body_util::BodyDataStream::new(body), read: Vec::new(), is_over: false }
    }

    /// Returns the events up to the first one of an object of this name, or up to the end.
    pub(super) async fn until(&mut self, last: &str) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let is_last = name(&event["object"]) == last;
            events.push(event);
            if is_last {
                break;
            }
        }
        events
    }

    async fn next(&mut self) -> Option<Value> {
        while !self.is_over {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).expect("an event is JSON"));
            }
            match timeout(LIMIT, self.body.next()).await {
                Ok(Some(data)) => self.read.extend(data.expect("the connection lasts")),
                Ok(None) => self.is_over = true,
                Err(_) => {
                    self.is_over = true;
                    return Some(json!({ "type": "(no further event)" }));
                }
            }
        }
        None
    }
}

/// Returns the name of the object of an event, which may be a table.
fn name(object: &Value) -> &Value {
    let row = &object["rows"][0]["object"];
    let object = if row.is_object() { row } else { object };
    &object["metadata"]["name"]
}
