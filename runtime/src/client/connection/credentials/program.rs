//! Credential plugins: programs that print credentials.

use std::{
    io::{self, Read},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use k8s_openapi::jiff::Timestamp;
use kube::{
    client::AuthError,
    config::{ExecConfig, ExecInteractiveMode},
};
use serde::Deserialize;
use serde_json::json;

/// Time limit of a plugin.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// Maximum number of bytes that a plugin may write to stdout, and to stderr.
const MAX_OUTPUT: usize = 1024 * 1024;

/// Poll interval for the exit of a plugin that has closed its output.
const EXIT_INTERVAL: Duration = Duration::from_millis(5);

/// A plugin, run as in kube, but with a time limit.
pub(super) struct Plugin {
    config: ExecConfig,
    limit: Duration,
}

/// Why a plugin did not run to its end. The texts contain nothing that it wrote.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PluginFailure {
    #[error("the credential plugin did not finish within {0:?}")]
    Late(Duration),
    #[error("the credential plugin wrote more than {MAX_OUTPUT} bytes")]
    TooMuch,
    /// As kubectl, with the hint of the kubeconfig.
    #[error("the credential plugin `{command}` is not installed: {hint}")]
    NotInstalled { command: String, hint: String },
    #[error("the credential plugin `{command}` cannot be run: {reason}")]
    NotStarted { command: String, reason: io::ErrorKind },
}

/// What kubectl prints if there is no hint.
const DOCUMENTATION: &str =
    "see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins";

impl PluginFailure {
    fn of_start(plugin: &ExecConfig, error: &io::Error) -> io::Error {
        let command = plugin.command.as_deref().map(printable).unwrap_or_default();
        let hint = plugin.install_hint.as_deref().map(printable).filter(|hint| !hint.is_empty());
        let failure = match error.kind() {
            io::ErrorKind::NotFound => {
                Self::NotInstalled { command, hint: hint.unwrap_or_else(|| DOCUMENTATION.to_owned()) }
            }
            reason => Self::NotStarted { command, reason },
        };
        io::Error::other(failure)
    }
}

/// Returns a text of a kubeconfig without what could control a terminal, as kubectl does.
fn printable(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control() || c.is_whitespace()).collect()
}

/// The output of a plugin: `ExecCredential` of client.authentication.k8s.io.
#[derive(Deserialize)]
struct ExecCredential {
    status: Option<Credential>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Credential {
    expiration_timestamp: Option<String>,
    pub(super) token: Option<String>,
    /// In PEM, like the key.
    pub(super) client_certificate_data: Option<String>,
    pub(super) client_key_data: Option<String>,
}

impl Credential {
    /// Returns the expiry, if the plugin specifies one.
    pub(super) fn expires(&self) -> Result<Option<Timestamp>, AuthError> {
        let time = self.expiration_timestamp.as_ref();
        time.map(|time| time.parse()).transpose().map_err(AuthError::MalformedTokenExpirationDate)
    }
}

impl Plugin {
    pub(super) fn new(config: ExecConfig, limit: Duration) -> Self {
        Self { config, limit }
    }

    /// Runs the plugin to its end.
    pub(super) fn run(&self) -> Result<Credential, AuthError> {
        let child = command(&self.config)?
            .spawn()
            .map_err(|error| AuthError::AuthExecStart(PluginFailure::of_start(&self.config, &error)))?;
        let output = output(child, self.limit).map_err(AuthError::AuthExecStart)?;
        if !output.status.success() {
            // The arguments and the environment may contain secrets.
            let cmd = self.config.command.as_deref().map(printable).unwrap_or_default();
            return Err(AuthError::AuthExecRun { cmd, out: Box::new(output) });
        }
        let printed: ExecCredential =
            serde_saphyr::from_slice(&output.stdout).map_err(|error| AuthError::AuthExecParse(Box::new(error)))?;
        printed.status.ok_or(AuthError::ExecPluginFailed)
    }
}

/// Like [`Child::wait_with_output`], with a time limit.
fn output(mut child: Child, limit: Duration) -> io::Result<Output> {
    let output = finish(&mut child, limit);
    if output.is_err() {
        child.kill()?;
        child.wait()?;
    }
    output
}

fn finish(child: &mut Child, limit: Duration) -> io::Result<Output> {
    let start = Instant::now();
    let left = || limit.saturating_sub(start.elapsed());
    let late = || io::Error::other(PluginFailure::Late(limit));
    let (stdout, stderr) = (reader(child.stdout.take())?, reader(child.stderr.take())?);
    let stdout = stdout.recv_timeout(left()).map_err(|_| late())??;
    let stderr = stderr.recv_timeout(left()).map_err(|_| late())??;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Output { status, stdout, stderr });
        }
        if left().is_zero() {
            return Err(late());
        }
        thread::sleep(EXIT_INTERVAL);
    }
}

/// Reads a pipe on a separate thread, because processes that the plugin started may keep it open.
fn reader(pipe: Option<impl Read + Send + 'static>) -> io::Result<mpsc::Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            pipe.take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes)?;
        }
        if bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other(PluginFailure::TooMuch));
        }
        Ok(bytes)
    };
    thread::Builder::new().spawn(move || sender.send(read()))?;
    Ok(receiver)
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
    if interactive {
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit())
    } else {
        command.stdin(Stdio::null()).stderr(Stdio::piped())
    };
    command.stdout(Stdio::piped());
    command.env("KUBERNETES_EXEC_INFO", info(plugin, interactive)?);
    for variable in plugin.drop_env.iter().flatten() {
        command.env_remove(variable);
    }
    Ok(command)
}

fn info(plugin: &ExecConfig, interactive: bool) -> Result<String, AuthError> {
    let mut spec = json!({ "interactive": interactive });
    if plugin.provide_cluster_info {
        let cluster = plugin.cluster.as_ref().ok_or(AuthError::ExecMissingClusterInfo)?;
        spec["cluster"] = serde_json::to_value(cluster).map_err(AuthError::AuthExecSerialize)?;
    }
    let info = json!({ "kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec });
    Ok(info.to_string())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::client::error::KubeError;

    fn run(config: &ExecConfig) -> Result<Credential, AuthError> {
        Plugin::new(config.clone(), LIMIT).run()
    }

    fn plugin(script: &str) -> ExecConfig {
        let config = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh", "args": ["-c", script],
            "env": [{ "name": "TOKEN", "value": "abc" }], "interactiveMode": "Never",
        });
        serde_json::from_value(config).unwrap()
    }

    #[test]
    fn plugins_receive_their_configuration_and_may_print_yaml() {
        let script = r#"echo "status: { token: '$TOKEN', clientKeyData: '$KUBERNETES_EXEC_INFO' }""#;
        let credential = run(&plugin(script)).unwrap();
        assert_eq!(credential.token.unwrap(), "abc");
        let info: serde_json::Value = serde_json::from_str(&credential.client_key_data.unwrap()).unwrap();
        let expected = json!({
            "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
            "spec": { "interactive": false },
        });
        assert_eq!(info, expected);
    }

    #[test]
    fn plugin_errors_equal_those_of_kube() {
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
        assert!(matches!(error, AuthError::ExecMissingClusterInfo), "{error}");
        missing.command = None;
        let error = run(&missing).err().unwrap();
        assert!(matches!(error, AuthError::MissingCommand), "{error}");
        let odd = run(&plugin("echo 'status: { expirationTimestamp: soon }'")).unwrap();
        assert!(odd.expires().is_err());
    }

    #[test]
    fn a_missing_plugin_is_named_with_the_hint() {
        let text = |config: &ExecConfig| KubeError::from(kube::Error::Auth(run(config).err().unwrap())).to_string();
        let mut missing = plugin("");
        missing.command = Some("no-such-plugin".into());
        let message = text(&missing);
        assert_eq!(message, format!("the credential plugin `no-such-plugin` is not installed: {DOCUMENTATION}"));
        missing.install_hint = Some("Run `brew install it`.\n\u{1b}[1m\n".into());
        let message = text(&missing);
        assert_eq!(message, "the credential plugin `no-such-plugin` is not installed: Run `brew install it`.\n[1m");
        missing.command = Some("/".into());
        assert_eq!(text(&missing), "the credential plugin `/` cannot be run: permission denied");
        let failed = text(&plugin("exit 3"));
        assert!(failed.starts_with("the credential plugin `/bin/sh` failed (exit status: 3)"), "{failed}");
    }

    #[test]
    fn hanging_or_endlessly_writing_plugin_is_killed() {
        let limit = Duration::from_millis(300);
        let killed = |script: &str, limit| {
            let error = Plugin::new(plugin(script), limit).run().err().unwrap();
            KubeError::from(kube::Error::Auth(error)).to_string()
        };
        for hanging in ["exec sleep 60", "sleep 60; true", "exec >&- 2>&-; sleep 60"] {
            let start = Instant::now();
            let text = killed(hanging, limit);
            assert_eq!(text, "the credential plugin did not finish within 300ms");
            assert!(start.elapsed() >= limit && start.elapsed() < 20 * limit);
        }
        let text = killed("while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", LIMIT);
        assert_eq!(text, "the credential plugin wrote more than 1048576 bytes");
    }
}
