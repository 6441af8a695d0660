//! A collector of OTLP by HTTP in JSON.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use serde_json::Value;

pub struct Collector {
    pub url: String,
    received: Receiver<Span>,
}

/// A span, and the attributes of the process that sent it.
#[derive(Clone, Debug)]
pub struct Span {
    json: Value,
    resource: Value,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (send, received) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                receive(stream.unwrap(), &send);
            }
        });
        Self { url, received }
    }

    /// Returns what was received since the last call.
    pub fn take(&self) -> Vec<Span> {
        self.received.try_iter().collect()
    }
}

/// Receives one request, and sends its spans on.
fn receive(mut stream: TcpStream, spans: &Sender<Span>) {
    let mut request = Vec::new();
    let body = loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "the request is incomplete: {}", String::from_utf8_lossy(&request));
        request.extend_from_slice(&part[..read]);
        if let Some(body) = complete_body(&request) {
            break body;
        }
    };
    assert!(request.starts_with(b"POST /v1/traces "), "{}", String::from_utf8_lossy(&request));
    for of_resource in body["resourceSpans"].as_array().unwrap() {
        for of_scope in of_resource["scopeSpans"].as_array().unwrap() {
            for json in of_scope["spans"].as_array().unwrap() {
                // A test that has ended reads no more.
                let _ = spans.send(Span { json: json.clone(), resource: of_resource["resource"].clone() });
            }
        }
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n";
    write!(stream, "{head}{{}}").unwrap();
}

fn complete_body(request: &[u8]) -> Option<Value> {
    let head_end = request.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..head_end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a Content-Length");
    let body = request.get(head_end..head_end + length.parse::<usize>().unwrap())?;
    Some(serde_json::from_slice(body).unwrap())
}

impl Span {
    pub fn name(&self) -> &str {
        self.json["name"].as_str().unwrap()
    }

    /// Whether it is within another span, in the same trace.
    pub fn is_child_of(&self, parent: &Self) -> bool {
        self.json["parentSpanId"] == parent.json["spanId"] && self.json["traceId"] == parent.json["traceId"]
    }

    pub fn has_parent(&self) -> bool {
        self.json["parentSpanId"].as_str().is_some_and(|id| !id.is_empty())
    }

    /// Whether its status is that of an error.
    pub fn has_failed(&self) -> bool {
        self.json["status"]["code"] == 2
    }

    /// Returns an attribute as text.
    pub fn attribute(&self, key: &str) -> String {
        text_of(&self.json, key)
    }

    pub fn service(&self) -> String {
        text_of(&self.resource, "service.name")
    }

    /// Returns an attribute of its event with this name or message.
    pub fn event(&self, name: &str, key: &str) -> String {
        let events = self.json["events"].as_array().unwrap();
        let event = events.iter().find(|event| event["name"] == name);
        text_of(event.unwrap_or_else(|| panic!("no event `{name}`: {events:#?}")), key)
    }
}

fn text_of(holder: &Value, key: &str) -> String {
    let attributes = holder["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    let value = &found.unwrap_or_else(|| panic!("no attribute `{key}`: {attributes:#?}"))["value"];
    let value = value.as_object().unwrap().values().next().unwrap();
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
