//! Credential plugins: programs that print credentials.

use std::process::{Command, Stdio};

use k8s_openapi::jiff::Timestamp;
use kube::{
    client::AuthError,
    config::{ExecConfig, ExecInteractiveMode},
};
use serde::Deserialize;
use serde_json::json;

/// What a plugin prints: `ExecCredential` of client.authentication.k8s.io.
#[derive(Deserialize)]
struct ExecCredential {
    status: Option<Credential>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Credential {
    expiration_timestamp: Option<String>,
    pub(super) token: Option<String>,
    /// In PEM, as the key.
    pub(super) client_certificate_data: Option<String>,
    pub(super) client_key_data: Option<String>,
}

impl Credential {
    /// Until when it can be used, as far as the plugin says.
    pub(super) fn expires(&self) -> Result<Option<Timestamp>, AuthError> {
        let time = self.expiration_timestamp.as_ref();
        time.map(|time| time.parse())
            .transpose()
            .map_err(AuthError::MalformedTokenExpirationDate)
    }
}

/// Runs a plugin as kube does, and waits for its end.
pub(super) fn run(plugin: &ExecConfig) -> Result<Credential, AuthError> {
    let mut command = command(plugin)?;
    let output = command.output().map_err(AuthError::AuthExecStart)?;
    if !output.status.success() {
        return Err(AuthError::AuthExecRun {
            cmd: format!("{command:?}"),
            out: Box::new(output),
        });
    }
    let printed: ExecCredential = serde_saphyr::from_slice(&output.stdout)
        .map_err(|error| AuthError::AuthExecParse(Box::new(error)))?;
    printed.status.ok_or(AuthError::ExecPluginFailed)
}

fn command(plugin: &ExecConfig) -> Result<Command, AuthError> {
    let program = plugin.command.as_ref().ok_or(AuthError::MissingCommand)?;
    let mut command = Command::new(program);
    command.args(plugin.args.iter().flatten());
    for variable in plugin.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            command.env(name, value);
        }
    }
    let interactive = plugin.interactive_mode != Some(ExecInteractiveMode::Never);
    match interactive {
        true => command.stdin(Stdio::inherit()).stderr(Stdio::inherit()),
        false => command.stdin(Stdio::piped()),
    };
    command.env("KUBERNETES_EXEC_INFO", info(plugin, interactive)?);
    for variable in plugin.drop_env.iter().flatten() {
        command.env_remove(variable);
    }
    Ok(command)
}

fn info(plugin: &ExecConfig, interactive: bool) -> Result<String, AuthError> {
    let mut spec = json!({ "interactive": interactive });
    if plugin.provide_cluster_info {
        let cluster = plugin.cluster.as_ref();
        let cluster = cluster.ok_or(AuthError::ExecMissingClusterInfo)?;
        spec["cluster"] = serde_json::to_value(cluster).map_err(AuthError::AuthExecSerialize)?;
    }
    let info = json!({ "kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec });
    Ok(info.to_string())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn plugin(script: &str) -> ExecConfig {
        let config = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh", "args": ["-c", script],
            "env": [{ "name": "TOKEN", "value": "abc" }], "interactiveMode": "Never",
        });
        serde_json::from_value(config).unwrap()
    }

    #[test]
    fn plugins_get_what_is_configured_and_may_print_yaml() {
        let script =
            r#"echo "status: { token: '$TOKEN', clientKeyData: '$KUBERNETES_EXEC_INFO' }""#;
        let credential = run(&plugin(script)).unwrap();
        assert_eq!(credential.token.unwrap(), "abc");
        let info: serde_json::Value =
            serde_json::from_str(&credential.client_key_data.unwrap()).unwrap();
        let expected = json!({
            "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
            "spec": { "interactive": false },
        });
        assert_eq!(info, expected);
    }

    #[test]
    fn what_goes_wrong_is_what_kube_makes_of_it() {
        let failed = |script: &str| run(&plugin(script)).err().unwrap();
        let error = failed("exit 3");
        assert!(matches!(error, AuthError::AuthExecRun { .. }), "{error}");
        let error = failed("echo '{'");
        assert!(matches!(error, AuthError::AuthExecParse(_)), "{error}");
        let error = failed("echo 'kind: ExecCredential'");
        assert!(matches!(error, AuthError::ExecPluginFailed), "{error}");
        let mut missing = plugin("");
        missing.provide_cluster_info = true;
        let error = run(&missing).err().unwrap();
        assert!(
            matches!(error, AuthError::ExecMissingClusterInfo),
            "{error}"
        );
        missing.command = None;
        let error = run(&missing).err().unwrap();
        assert!(matches!(error, AuthError::MissingCommand), "{error}");
        let odd = run(&plugin("echo 'status: { expirationTimestamp: soon }'")).unwrap();
        assert!(odd.expires().is_err());
    }
}
