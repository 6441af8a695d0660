//! The URL of a request, for logs.

use std::fmt;

use http::Uri;

use crate::client::error::HIDDEN;

/// Parameters whose values are numbers, versions and constants of the API. The values of others, such as selectors and
/// `continue` tokens, may contain object data.
const SHOWN: [&str; 14] = [
    "allowWatchBookmarks",
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "gracePeriodSeconds",
    "limit",
    "pretty",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];

/// Displays a URL without credentials, and without values of parameters that may contain secrets.
pub(super) struct LoggedUrl<'a>(pub(super) &'a Uri);

impl fmt::Display for LoggedUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.0.scheme_str() {
            write!(f, "{scheme}://")?;
        }
        if let Some(authority) = self.0.authority() {
            f.write_str(authority.host())?;
            if let Some(port) = authority.port() {
                write!(f, ":{port}")?;
            }
        }
        f.write_str(self.0.path())?;
        let parameters = self.0.query().into_iter().flat_map(|query| query.split('&'));
        for (index, parameter) in parameters.enumerate() {
            f.write_str(if index == 0 { "?" } else { "&" })?;
            match parameter.split_once('=') {
                Some((name, _)) if !SHOWN.contains(&name) => write!(f, "{name}={HIDDEN}")?,
                _ => f.write_str(parameter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_shown(url: &'static str, expected: &str) {
        assert_eq!(LoggedUrl(&Uri::from_static(url)).to_string(), expected);
    }

    #[test]
    fn possibly_secret_values_are_omitted() {
        assert_shown(
            "https://user:hunter2@api:6443/api/v1/pods?limit=500&labelSelector=a%3Dhunter2&continue=hunter2",
            "https://api:6443/api/v1/pods?limit=500&labelSelector=[hidden]&continue=[hidden]",
        );
        assert_shown(
            "http://[::1]/apis?watch=true&resourceVersion=7",
            "http://[::1]/apis?watch=true&resourceVersion=7",
        );
        assert_shown("/version", "/version");
    }
}
