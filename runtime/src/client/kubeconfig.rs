//! The configuration of a cluster, from kubeconfigs or a pod, as kubectl reads it.
//!
//! kube parses each file. It reports a missing one, accepts what kubectl refuses, sends credentials without TLS, and uses a pod's
//! account whatever is wrong.

use std::{env, io, path::PathBuf};

use http::uri::Scheme;
use kube::config::{AuthInfo, Config, Kubeconfig, KubeconfigError};

use super::error::{ConfigError, ConnectError};

mod validation;

/// Returns the configuration of the current context, or of the pod if there is no kubeconfig.
///
/// # Errors
///
/// If there is neither, or the kubeconfig is one that kubectl refuses.
pub(crate) fn infer() -> Result<Config, ConnectError> {
    let paths = paths();
    let kubeconfig = read_all(&paths).map_err(ConfigError::from)?;
    let mut config = match kubeconfig {
        Some(kubeconfig) if kubeconfig.current_context.is_some() => of_current_context(kubeconfig)?,
        kubeconfig => {
            let missing = match kubeconfig {
                Some(_) => ConfigError::from(KubeconfigError::CurrentContextNotSet),
                None => ConfigError::missing(paths),
            };
            Config::incluster().map_err(|_| missing)?
        }
    };
    config.apply_debug_overrides();
    Ok(config)
}

/// Returns the configuration of the current context.
///
/// # Errors
///
/// The reasons of kubectl if it refuses it.
pub(crate) fn of_current_context(mut kubeconfig: Kubeconfig) -> Result<Config, ConnectError> {
    remove_empty(&mut kubeconfig);
    let reasons = validation::reasons(&kubeconfig);
    if !reasons.is_empty() {
        return Err(ConnectError::Refused { reasons });
    }
    let mut config = Config::try_from(kubeconfig).map_err(ConfigError::from)?;
    if config.cluster_url.scheme() != Some(&Scheme::HTTPS) {
        config.auth_info = without_credentials(config.auth_info);
    }
    Ok(config)
}

/// Returns whom a user impersonates. Without TLS, kubectl neither reads nor sends anything else.
fn without_credentials(auth: AuthInfo) -> AuthInfo {
    AuthInfo {
        impersonate: auth.impersonate,
        impersonate_uid: auth.impersonate_uid,
        impersonate_groups: auth.impersonate_groups,
        impersonate_user_extra: auth.impersonate_user_extra,
        ..AuthInfo::default()
    }
}

/// Merges the files, without those that do not exist. The first file that sets something has precedence.
pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Option<Kubeconfig>, KubeconfigError> {
    let mut merged = None::<Kubeconfig>;
    for path in paths {
        let mut next = match Kubeconfig::read_from(path) {
            Err(KubeconfigError::ReadConfig(error, _)) if error.kind() == io::ErrorKind::NotFound => continue,
            next => next?,
        };
        next.current_context = next.current_context.filter(|context| !context.is_empty());
        merged = Some(match merged {
            Some(earlier) => earlier.merge(next)?,
            None => next,
        });
    }
    Ok(merged)
}

/// Returns the files of the variable `KUBECONFIG`, or the one in the home folder.
pub(crate) fn paths() -> Vec<PathBuf> {
    let listed = env::var_os("KUBECONFIG").unwrap_or_default();
    let listed: Vec<_> = env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty()).collect();
    if !listed.is_empty() {
        return listed;
    }
    env::home_dir().map(|home| home.join(".kube").join("config")).into_iter().collect()
}

/// Removes empty texts where kube distinguishes them from absent ones. Those of credentials are removed where the client selects
/// among them, also without a kubeconfig.
fn remove_empty(kubeconfig: &mut Kubeconfig) {
    let remove = |text: &mut Option<String>| *text = text.take().filter(|text| !text.is_empty());
    for cluster in kubeconfig.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        let texts = [
            &mut cluster.server,
            &mut cluster.certificate_authority,
            &mut cluster.certificate_authority_data,
            &mut cluster.proxy_url,
            &mut cluster.tls_server_name,
        ];
        texts.into_iter().for_each(remove);
    }
    for context in kubeconfig.contexts.iter_mut().filter_map(|named| named.context.as_mut()) {
        remove(&mut context.namespace);
    }
}

#[cfg(test)]
mod tests;
