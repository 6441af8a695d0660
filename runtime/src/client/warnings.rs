//! The warnings in responses of the API server: the headers `Warning`.

use std::{
    collections::HashSet,
    fmt,
    iter::Peekable,
    str::Chars,
    sync::{Arc, Mutex, PoisonError},
};

use http::{HeaderMap, header::WARNING};

use super::error::ClientOperation;

/// The number of different warnings that a client remembers, so that its memory has a limit.
const REMEMBERED: usize = 1000;

/// The code of warnings of the API server: "miscellaneous persistent warning" of RFC 7234.
const PERSISTENT: u16 = 299;

/// A warning of the API server: about a deprecated version or kind, an unknown field, or what an admission webhook warns of.
///
/// A client logs each text once, unless [`on_warning`](crate::Client::on_warning) sets a function that receives all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerWarning {
    /// The request whose response had the warning.
    pub operation: ClientOperation,
    /// The text, such as `unknown field "spec.replica"`.
    pub text: String,
}

/// A function that receives warnings.
#[derive(Clone)]
pub(crate) struct WarningHandler(pub(super) Arc<dyn Fn(&ServerWarning) + Send + Sync>);

impl fmt::Debug for WarningHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WarningHandler")
    }
}

/// The texts that a client has logged.
#[derive(Default)]
pub(crate) struct LoggedWarnings(Mutex<HashSet<String>>);

impl LoggedWarnings {
    /// Passes on the warnings of a response: to the handler, otherwise to the log, each text once.
    pub(super) fn report(
        &self,
        headers: &HeaderMap,
        handler: Option<&WarningHandler>,
        operation: impl Fn() -> ClientOperation,
    ) {
        // The API server sends UTF-8, which is not a visible ASCII text.
        let values = headers.get_all(WARNING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        for text in values.flat_map(|value| texts(&value)).filter(|text| !text.is_empty()) {
            if let Some(WarningHandler(handler)) = handler {
                handler(&ServerWarning { operation: operation(), text });
            } else if self.is_new(&text) {
                tracing::warn!(operation = %operation(), "warning of the API server: {text}");
            }
        }
    }

    fn is_new(&self, text: &str) -> bool {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.contains(text) {
            return false;
        }
        if logged.len() >= REMEMBERED {
            logged.clear();
        }
        logged.insert(text.to_owned())
    }
}

/// The texts in a header: `299 - "text"`, of which there may be several between commas, each with a date. What follows a part of
/// another form is ignored.
fn texts(header: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = header.chars().peekable();
    while let Some((code, text)) = warning(&mut rest) {
        if code == PERSISTENT {
            texts.push(text);
        }
        while rest.next_if(|c| *c != ',').is_some() {}
        rest.next();
    }
    texts
}

fn warning(rest: &mut Peekable<Chars<'_>>) -> Option<(u16, String)> {
    let code = word(rest).parse().ok()?;
    let _agent = word(rest);
    let text = quoted(rest)?;
    skip_spaces(rest);
    // The date is quoted, and has a comma.
    if rest.peek() == Some(&'"') {
        quoted(rest)?;
    }
    Some((code, text))
}

fn word(rest: &mut Peekable<Chars<'_>>) -> String {
    skip_spaces(rest);
    std::iter::from_fn(|| rest.next_if(|c| *c != ' ')).collect()
}

fn skip_spaces(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if_eq(&' ').is_some() {}
}

fn quoted(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    skip_spaces(rest);
    rest.next_if_eq(&'"')?;
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::mock::{Mock, Reply};

    #[test]
    fn texts_are_those_of_persistent_warnings() {
        for (header, expected) in [
            (r#"299 - "unknown field \"spec.a\"""#, &[r#"unknown field "spec.a""#][..]),
            (r#"299 - "a, b", 299 kube "c" "Wed, 21 Oct 2015 07:28:00 GMT", 299 - "d""#, &["a, b", "c", "d"]),
            (r#"110 - "stale", 299 - "e""#, &["e"]),
            (r#"299 - """#, &[""]),
            ("", &[]),
            ("299", &[]),
            (r#"299 - "open"#, &[]),
            (r#"299 - "open\"#, &[]),
            (r#"x - "a""#, &[]),
        ] {
            assert_eq!(texts(header), expected, "{header}");
        }
    }

    #[test]
    fn a_text_is_logged_once_and_memory_has_a_limit() {
        let logged = LoggedWarnings::default();
        assert!(logged.is_new("a"));
        assert!(!logged.is_new("a"));
        for number in 0..3 * REMEMBERED {
            assert!(logged.is_new(&number.to_string()));
        }
        assert!(logged.0.lock().unwrap().len() <= REMEMBERED);
    }

    #[tokio::test]
    async fn a_function_receives_all_warnings() {
        let stored = || Reply::json(200, json!({ "metadata": { "name": "web" } })).header("warning", r#"299 - "old""#);
        let refused = Reply::status(409, "Conflict", "web").header("warning", r#"299 - "older""#);
        let mock = Mock::new([stored(), stored(), refused]);
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let log = seen.clone();
        let client = mock.client().on_warning(move |warning| {
            log.lock().unwrap().push(format!("{}: {}", warning.operation, warning.text));
        });
        let configs = client.resources::<ConfigMap>().namespace("prod");
        configs.get("web").await.unwrap();
        configs.get("web").await.unwrap();
        configs.delete("web").await.unwrap_err();
        let get = "get ConfigMap `web` in namespace `prod`: old";
        let delete = "delete ConfigMap `web` in namespace `prod`: older";
        assert_eq!(*seen.lock().unwrap(), [get, get, delete]);
    }
}
