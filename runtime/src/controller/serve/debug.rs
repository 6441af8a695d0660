//! Pages for diagnosis, such as profiles.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, panic::catch_unwind, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::http::text;
use crate::controller::Error;

/// Where the pages are.
pub(super) const PREFIX: &str = "/debug/";

/// Writes a page. The parameters are those of the query.
type Write = dyn Fn(&BTreeMap<String, String>) -> Result<Vec<u8>, Error> + Send + Sync;

/// A page of the program.
#[derive(Clone)]
pub(super) struct DebugPage {
    path: String,
    content_type: HeaderValue,
    write: Arc<Write>,
    /// A profile of a process disturbs another one.
    writing: Arc<Semaphore>,
}

impl DebugPage {
    /// # Panics
    ///
    /// If the content type is none.
    pub(super) fn new(name: &str, content_type: &str, write: Arc<Write>) -> Self {
        let content_type = HeaderValue::from_str(content_type);
        Self {
            path: format!("{PREFIX}{}", name.trim_matches('/')),
            content_type: content_type.expect("a content type consists of visible ASCII characters"),
            write,
            writing: Arc::new(Semaphore::new(1)),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Writes the page on a thread for blocking work.
    pub(super) async fn respond(&self, query: &str) -> Response<Full<Bytes>> {
        let Ok(writing) = self.writing.clone().try_acquire_owned() else {
            return text(StatusCode::TOO_MANY_REQUESTS, "the page is being written for another request\n");
        };
        let parameters = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let write = self.write.clone();
        let written = spawn_blocking(move || {
            // It is written to its end, also if the client is gone.
            let _writing = writing;
            catch_unwind(AssertUnwindSafe(|| write(&parameters)))
        });
        match written.await {
            Ok(Ok(Ok(page))) => {
                let mut response = text(StatusCode::OK, page);
                response.headers_mut().insert(header::CONTENT_TYPE, self.content_type.clone());
                response
            }
            Ok(Ok(Err(error))) => {
                tracing::warn!(path = self.path, %error, "a page for diagnosis cannot be written");
                text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n"))
            }
            // The hook of the process has reported the message.
            Ok(Err(_)) | Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the function of the page panicked\n"),
        }
    }
}
