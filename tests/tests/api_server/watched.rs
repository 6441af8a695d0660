//! The events of a watch.

use std::time::Duration;

use futures_util::StreamExt;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::protobuf;

/// The time in which an event arrives.
const LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct Watched {
    body: http_body_util::BodyDataStream<Body>,
    read: Vec<u8>,
    is_over: bool,
    /// Whether the events are frames of protobuf instead of lines.
    has_frames: bool,
}

impl Watched {
    pub(super) fn new(body: Body, has_frames: bool) -> Self {
        let body = http_body_util::BodyDataStream::new(body);
        Self { body, read: Vec::new(), is_over: false, has_frames }
    }

    /// Returns the next event, if it was received as a whole.
    fn received(&mut self) -> Option<Value> {
        if !self.has_frames {
            let end = self.read.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.read.drain(..=end).collect();
            return Some(serde_json::from_slice(&line).expect("an event is JSON"));
        }
        let length = u32::from_be_bytes(*self.read.first_chunk()?) as usize;
        if self.read.len() < 4 + length {
            return None;
        }
        let frame: Vec<u8> = self.read.drain(..4 + length).skip(4).collect();
        Some(protobuf::event(&frame))
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
            if let Some(event) = self.received() {
                return Some(event);
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
