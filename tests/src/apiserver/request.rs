use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

use super::{Object, Selector, object::kind};

/// A read of the collection.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) namespace: Option<String>,
    pub(crate) selector: Selector,
    /// The bearer token.
    pub(crate) token: Option<String>,
    parameters: BTreeMap<String, String>,
}

impl Request {
    /// Parses the head of a request.
    pub(crate) fn parse(head: &str) -> Result<Self> {
        let line = head.lines().next().unwrap_or_default();
        let target = line
            .strip_prefix("GET ")
            .and_then(|rest| rest.strip_suffix(" HTTP/1.1"))
            .with_context(|| format!("unsupported request: {line}"))?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let selector = parameters.get("labelSelector").map_or("", String::as_str);
        Ok(Self { namespace: namespace(path)?, selector: Selector::parse(selector)?, token: token(head), parameters })
    }

    pub(crate) fn get(&self, parameter: &str) -> Option<&str> {
        let value = self.parameters.get(parameter).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    pub(crate) fn is(&self, parameter: &str) -> bool {
        matches!(self.get(parameter), Some("true" | "1"))
    }

    pub(crate) fn number(&self, parameter: &str) -> Result<Option<u64>> {
        let number = self.get(parameter).map(str::parse).transpose();
        number.with_context(|| format!("{parameter} is not a number"))
    }

    /// Returns whether the request selects the object.
    pub(crate) fn selects(&self, object: &Object) -> bool {
        let namespace = self.namespace.as_ref();
        namespace.is_none_or(|namespace| *namespace == object.namespace) && self.selector.matches(object)
    }

    pub(crate) fn verb(&self) -> &'static str {
        match self.get("continue") {
            _ if self.is("watch") => "watch",
            Some(_) => "continue",
            None if self.get("limit") == Some("1") => "check",
            None => "list",
        }
    }
}

fn token(head: &str) -> Option<String> {
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = headers.find(|(name, _)| name.eq_ignore_ascii_case("authorization"))?;
    value.trim().strip_prefix("Bearer ").map(str::to_owned)
}

fn namespace(path: &str) -> Result<Option<String>> {
    let group = format!("/apis/{}/", kind::api_version());
    let rest = path.strip_prefix(group.as_str()).and_then(|rest| rest.strip_suffix(kind::PLURAL));
    match rest {
        Some("") => Ok(None),
        Some(namespace) => {
            let namespace = namespace.strip_prefix("namespaces/").and_then(|rest| rest.strip_suffix('/'));
            Ok(Some(namespace.context("no such path")?.to_owned()))
        }
        None => bail!("no such path: {path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_and_parameters_are_parsed() {
        let path = "/apis/faults.example.com/v1/namespaces/prod/widgets";
        let head = format!("GET {path}?watch=true&labelSelector=a%3Db&limit=5 HTTP/1.1\r\nHost: h");
        let request = Request::parse(&head).unwrap();
        assert_eq!(request.namespace.as_deref(), Some("prod"));
        assert_eq!(request.verb(), "watch");
        assert_eq!(request.number("limit").unwrap(), Some(5));
        let everywhere = "GET /apis/faults.example.com/v1/widgets HTTP/1.1";
        assert_eq!(Request::parse(everywhere).unwrap().namespace, None);
        assert!(Request::parse("GET /api/v1/pods HTTP/1.1").is_err());
    }
}
