use ::kube::{Client, Config};

use super::*;

#[tokio::test]
async fn broken_connections_are_described() {
    let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    let error = client.apiserver_version().await.unwrap_err();
    let text = KubeError::from(error).to_string();
    let expected = "client error (Connect): tcp connect error: Connection refused (os error 111)";
    assert_eq!(text, expected);
}

#[test]
fn features_are_those_of_crdkit() {
    let text = |error: ::kube::Error| KubeError::from(error).to_string();
    for feature in ["http-proxy", "socks5"] {
        let protocol_feature = if feature == "socks5" { "kube/socks5" } else { "kube/http-proxy" };
        let proxy_url = Box::new("http://proxy".parse().unwrap());
        let message = text(::kube::Error::ProxyProtocolDisabled { proxy_url, protocol_feature });
        assert_eq!(message, format!("the proxy requires the feature `{feature}` of crdkit"));
    }
    // The texts of kube's providers, in `client/auth/mod.rs`.
    for (provider, start) in [
        ("Enable oauth feature to use Google Application Credentials-based token source", "the provider `gcp` "),
        ("No id-token for oidc Authentication provider", "the provider `oidc` "),
        (
            "The azure auth plugin is not supported; use https://github.com/Azure/kubelogin instead",
            "the provider `azure` ",
        ),
        ("Authentication with provider x not supported", "the provider of the credentials is not supported"),
        ("Executing x failed", "there are no valid credentials"),
    ] {
        let message = text(::kube::Error::Auth(AuthError::AuthExec(provider.to_owned())));
        assert!(message.starts_with(start) && !message.contains("kube/"), "{message}");
    }
}

#[test]
fn variables_of_a_plugin_are_not_shown() {
    use std::{
        os::unix::process::ExitStatusExt,
        process::{ExitStatus, Output},
    };
    let text = |cmd: &str| {
        let out = Output { status: ExitStatus::from_raw(256), stdout: Vec::new(), stderr: Vec::new() };
        let error = AuthError::AuthExecRun { cmd: cmd.to_owned(), out: Box::new(out) };
        KubeError::from(::kube::Error::Auth(error)).to_string()
    };
    assert!(
        text(r#""/bin/login" "--token=x""#).starts_with("the credential plugin `/bin/login` failed (exit status: 1)")
    );
    assert!(text(r#"TOKEN="x" "/bin/login""#).starts_with("the credential plugin failed (exit status: 1)"));
}
