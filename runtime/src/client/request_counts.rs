//! Counts requests, as client-go's `rest_client_requests_total`.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use http::{Method, StatusCode};

/// The requests of a connection so far.
pub(crate) struct RequestCounts {
    host: String,
    counts: Mutex<BTreeMap<(Option<u16>, &'static str), u64>>,
}

/// The number of requests with the same method and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestCount {
    /// The status code; `None` if there was no response.
    pub(crate) code: Option<u16>,
    pub(crate) method: &'static str,
    pub(crate) count: u64,
}

impl RequestCounts {
    pub(super) fn new(host: String) -> Self {
        Self { host, counts: Mutex::default() }
    }

    pub(super) fn count(&self, code: Option<StatusCode>, method: &Method) {
        let key = (code.map(|code| code.as_u16()), name_of(method));
        *self.lock().entry(key).or_default() += 1;
    }

    /// Returns the host and port of the API server; empty if they are unknown.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn read(&self) -> Vec<RequestCount> {
        let counts = self.lock();
        counts.iter().map(|(&(code, method), &count)| RequestCount { code, method, count }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Option<u16>, &'static str), u64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name_of(method: &Method) -> &'static str {
    const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    METHODS.into_iter().find(|name| *name == method.as_str()).unwrap_or("OTHER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_result_and_method() {
        let counts = RequestCounts::new("10.0.0.1:443".into());
        counts.count(Some(StatusCode::OK), &Method::GET);
        counts.count(None, &Method::PATCH);
        counts.count(Some(StatusCode::OK), &Method::GET);
        let count = |code, method, count| RequestCount { code, method, count };
        assert_eq!(counts.read(), [count(None, "PATCH", 1), count(Some(200), "GET", 2)]);
    }
}
