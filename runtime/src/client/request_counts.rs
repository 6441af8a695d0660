//! Counts requests, as client-go's `rest_client_requests_total`.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use http::{Method, StatusCode};

/// The requests of a connection so far.
#[derive(Default)]
pub(crate) struct RequestCounts(Mutex<Counts>);

/// The number of requests by status code, which is `None` if there was no response, and method.
pub(crate) type Counts = BTreeMap<(Option<u16>, &'static str), u64>;

impl RequestCounts {
    pub(super) fn count(&self, code: Option<StatusCode>, method: &Method) {
        let key = (code.map(|code| code.as_u16()), name_of(method));
        *self.lock().entry(key).or_default() += 1;
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let counts = RequestCounts::default();
        counts.count(Some(StatusCode::OK), &Method::GET);
        counts.count(None, &Method::PATCH);
        counts.count(Some(StatusCode::OK), &Method::GET);
        assert_eq!(*counts.lock(), BTreeMap::from([((None, "PATCH"), 1), ((Some(200), "GET"), 2)]));
    }
}
