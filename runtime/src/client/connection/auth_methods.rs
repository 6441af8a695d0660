//! Which credentials of a configuration are used, as in client-go, and which are refused.
//!
//! kube uses a provider before all others, a token before its file, and a plugin beside a certificate.

use kube::config::AuthInfo;
use serde_json::{Map, Value, json};

/// The credentials that a configuration has. Empty texts are absent, as in Go.
pub(in crate::client) struct AuthMethods {
    members: Map<String, Value>,
    has_exec: bool,
    has_provider: bool,
}

impl AuthMethods {
    pub(in crate::client) fn of(auth: &AuthInfo) -> Self {
        let members = match serde_json::to_value(auth) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        Self { members, has_exec: auth.exec.is_some(), has_provider: auth.auth_provider.is_some() }
    }

    pub(in crate::client) fn has(&self, field: &str) -> bool {
        self.text(field).is_some()
    }

    pub(in crate::client) fn text(&self, field: &str) -> Option<&str> {
        self.members.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(in crate::client) fn has_certificate(&self) -> bool {
        self.has("client-certificate") || self.has("client-certificate-data")
    }

    pub(in crate::client) fn has_key(&self) -> bool {
        self.has("client-key") || self.has("client-key-data")
    }
}

/// Removes the credentials that client-go does not use beside others.
///
/// # Errors
///
/// The reason of client-go if it refuses the combination; another one if the credentials cannot be read.
pub(super) fn select(auth: &mut AuthInfo) -> Result<(), &'static str> {
    let methods = AuthMethods::of(auth);
    let (has_token, has_basic_auth) = (methods.has("token") || methods.has("tokenFile"), methods.has("username"));
    if has_token && has_basic_auth {
        return Err("username/password or bearer token may be set, but not both");
    }
    if methods.has_exec && methods.has_provider {
        return Err("execProvider and authProvider cannot be used in combination");
    }
    let uses_certificate = methods.has_certificate() && methods.has_key();
    let (exec, provider) = (auth.exec.take(), auth.auth_provider.take());
    *auth = without_unused(methods, has_basic_auth)?;
    if !has_token && !has_basic_auth {
        auth.auth_provider = provider;
        auth.exec = exec.filter(|_| !uses_certificate);
    }
    Ok(())
}

/// Returns the fields that client-go reads. Secrets have a type that only this conversion can create.
fn without_unused(methods: AuthMethods, has_basic_auth: bool) -> Result<AuthInfo, &'static str> {
    let has_certificate = methods.has_certificate();
    let mut members = methods.members;
    // A certificate without a key remains: it is an error.
    members.retain(|field, value| value.as_str() != Some("") && (has_certificate || !field.starts_with("client-key")));
    for provider in ["exec", "auth-provider"] {
        members.remove(provider);
    }
    if has_basic_auth {
        members.entry("password").or_insert_with(|| json!(""));
    } else {
        members.remove("password");
    }
    // The error may quote a secret.
    serde_json::from_value(members.into()).map_err(|_| "the credentials cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the credentials that remain.
    fn selected(given: &[&str]) -> Result<Vec<String>, &'static str> {
        let mut auth = Map::new();
        for field in given {
            let (field, value) = field.split_once('=').unwrap_or((field, "x"));
            auth.insert(field.to_owned(), json!(value));
        }
        for (field, value) in [("exec", json!({ "command": "x" })), ("auth-provider", json!({ "name": "oidc" }))] {
            if auth.contains_key(field) {
                auth.insert(field.to_owned(), value);
            }
        }
        let mut auth: AuthInfo = serde_json::from_value(auth.into()).unwrap();
        select(&mut auth)?;
        let left = AuthMethods::of(&auth);
        let mut names: Vec<_> = left.members.keys().cloned().collect();
        names.sort();
        Ok(names)
    }

    #[test]
    fn each_pair_has_the_precedence_of_client_go() {
        const CERTIFICATE: [&str; 2] = ["client-certificate-data", "client-key-data"];
        for stronger in ["token", "tokenFile"] {
            for weaker in ["exec", "auth-provider"] {
                assert_eq!(selected(&[stronger, weaker]).unwrap(), [stronger], "{weaker}");
            }
        }
        for weaker in ["exec", "auth-provider"] {
            assert_eq!(selected(&["username", "password", weaker]).unwrap(), ["password", "username"]);
        }
        // The file may be missing at first.
        assert_eq!(selected(&["token", "tokenFile"]).unwrap(), ["token", "tokenFile"]);
        let with = |more: &'static str| selected(&[CERTIFICATE[0], CERTIFICATE[1], more]).unwrap();
        assert_eq!(with("exec"), CERTIFICATE);
        assert_eq!(with("auth-provider"), ["auth-provider", CERTIFICATE[0], CERTIFICATE[1]]);
        assert_eq!(with("token"), [CERTIFICATE[0], CERTIFICATE[1], "token"]);
    }

    #[test]
    fn combinations_that_client_go_refuses_are_refused() {
        for token in ["token", "tokenFile"] {
            let refused = selected(&["username", token]);
            assert_eq!(refused, Err("username/password or bearer token may be set, but not both"));
        }
        let refused = selected(&["exec", "auth-provider"]);
        assert_eq!(refused, Err("execProvider and authProvider cannot be used in combination"));
    }

    #[test]
    fn credentials_that_cannot_be_read_are_refused() {
        let mut methods = AuthMethods::of(&AuthInfo::default());
        methods.members.insert("token".to_owned(), json!(["hunter2"]));
        assert_eq!(without_unused(methods, false).unwrap_err(), "the credentials cannot be read");
    }

    #[test]
    fn empty_and_incomplete_credentials_are_absent() {
        assert_eq!(selected(&["token=", "tokenFile=", "username=", "exec"]).unwrap(), ["exec"]);
        assert_eq!(selected(&["password", "token"]).unwrap(), ["token"]);
        assert_eq!(selected(&["username"]).unwrap(), ["password", "username"]);
        assert_eq!(selected(&["client-key-data", "exec"]).unwrap(), ["exec"]);
        assert_eq!(selected(&["client-certificate", "exec"]).unwrap(), ["client-certificate", "exec"]);
        let fields = ["client-certificate-data=", "client-certificate", "client-key"];
        assert_eq!(selected(&fields).unwrap(), ["client-certificate", "client-key"]);
        assert_eq!(selected(&["as", "exec"]).unwrap(), ["as", "exec"]);
    }
}
