//! Who sends a request.

use std::collections::BTreeMap;

use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::failure::Failure;

pub(super) const MASTERS: &str = "system:masters";
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const ANONYMOUS: &str = "system:anonymous";
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

const IMPERSONATE_USER: &str = "impersonate-user";
const IMPERSONATE_GROUP: &str = "impersonate-group";
const IMPERSONATE_UID: &str = "impersonate-uid";
const IMPERSONATE_EXTRA: &str = "impersonate-extra-";

/// A user, as authentication or impersonation determines it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) groups: Vec<String>,
    pub(super) extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The user of requests that name no other one.
    pub(super) fn admin() -> Self {
        let groups = [MASTERS, AUTHENTICATED].map(str::to_owned).to_vec();
        Self { name: "admin".to_owned(), uid: "admin".to_owned(), groups, extra: BTreeMap::new() }
    }

    /// Returns a user with the groups that the server adds.
    pub(super) fn new(name: &str, groups: impl IntoIterator<Item = String>) -> Self {
        let mut user = Self { name: name.to_owned(), groups: groups.into_iter().collect(), ..Self::default() };
        user.add_implied_groups();
        user
    }

    pub(super) fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }

    /// Returns the user of the `Impersonate-*` headers; `None` without them.
    pub(super) fn impersonated(headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let first = |name: &str| headers.get(name).map(text).unwrap_or_default();
        let extra = headers.iter().filter_map(|(name, value)| {
            let key = name.as_str().strip_prefix(IMPERSONATE_EXTRA)?;
            Some((percent_decode_str(key).decode_utf8_lossy().into_owned(), text(value)))
        });
        let mut user = Self {
            name: first(IMPERSONATE_USER),
            uid: first(IMPERSONATE_UID),
            groups: headers.get_all(IMPERSONATE_GROUP).iter().map(text).collect(),
            extra: BTreeMap::new(),
        };
        for (key, value) in extra {
            user.extra.entry(key).or_default().push(value);
        }
        if !user.name.is_empty() {
            return Ok(Some(user));
        }
        if user == Self::default() {
            Ok(None)
        } else {
            Err(Failure::bad_request("requested impersonation without impersonating a user name"))
        }
    }

    pub(super) fn add_implied_groups(&mut self) {
        if let Some((namespace, _)) = self.service_account()
            && self.groups.is_empty()
        {
            self.groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        }
        let has = |name: &str| self.groups.iter().any(|group| group == name);
        let (implied, is_implied) = match self.name.as_str() {
            ANONYMOUS => (UNAUTHENTICATED, !has(UNAUTHENTICATED)),
            _ => (AUTHENTICATED, !has(AUTHENTICATED) && !has(UNAUTHENTICATED)),
        };
        if is_implied {
            self.groups.push(implied.to_owned());
        }
    }

    /// Returns the namespace and the name of the service account that the user is.
    pub(super) fn service_account(&self) -> Option<(&str, &str)> {
        let (namespace, name) = self.name.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
        (!namespace.is_empty() && !name.is_empty() && !name.contains(':')).then_some((namespace, name))
    }

    /// Returns the user as `UserInfo` of the API.
    pub(super) fn to_json(&self) -> Value {
        let mut info = Map::new();
        info.insert("username".into(), self.name.as_str().into());
        if !self.uid.is_empty() {
            info.insert("uid".into(), self.uid.as_str().into());
        }
        if !self.groups.is_empty() {
            info.insert("groups".into(), self.groups.clone().into());
        }
        if !self.extra.is_empty() {
            let extra = self.extra.iter().map(|(key, values)| (key.clone(), Value::from(values.clone())));
            info.insert("extra".into(), Value::Object(extra.collect()));
        }
        info.into()
    }
}

/// Returns the name of a service account as a user.
pub(super) fn service_account_name(namespace: &str, name: &str) -> String {
    format!("{SERVICE_ACCOUNT}{namespace}:{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impersonated(headers: &[(&'static str, &str)]) -> Result<Option<User>, Failure> {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let user = User::impersonated(&headers)?;
        Ok(user.map(|mut user| {
            user.add_implied_groups();
            user
        }))
    }

    #[test]
    fn headers_name_users() {
        let jane = impersonated(&[("Impersonate-User", "jane"), ("Impersonate-Group", "dev")]).unwrap().unwrap();
        assert_eq!((jane.name.as_str(), jane.groups), ("jane", vec!["dev".to_owned(), AUTHENTICATED.to_owned()]));
        let account = impersonated(&[("Impersonate-User", "system:serviceaccount:prod:vm")]).unwrap().unwrap();
        assert_eq!(account.groups, ["system:serviceaccounts", "system:serviceaccounts:prod", AUTHENTICATED]);
        assert_eq!(account.service_account(), Some(("prod", "vm")));
        let anonymous = impersonated(&[("Impersonate-User", ANONYMOUS)]).unwrap().unwrap();
        assert_eq!(anonymous.groups, [UNAUTHENTICATED]);
        assert_eq!(impersonated(&[]), Ok(None));
        assert!(impersonated(&[("Impersonate-Group", "dev")]).is_err());
        let extra = impersonated(&[("Impersonate-User", "jane"), ("Impersonate-Extra-a%2fb", "c")]).unwrap().unwrap();
        assert_eq!(extra.extra["a/b"], ["c"]);
    }
}
