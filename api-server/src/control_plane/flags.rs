//! The flags of kube-apiserver and kube-controller-manager.

use super::ControlPlane;

impl ControlPlane {
    pub(super) fn api_server_flags(&self) -> Vec<String> {
        let (port, key) = (self.port, self.path("apiserver.key"));
        let mut flags = vec![
            "--advertise-address=127.0.0.1".to_owned(),
            "--allow-privileged=true".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            // kube-apiserver writes its serving certificate and key here, and the key signs the service accounts too.
            format!("--cert-dir={}", self.dir.path().display()),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            "--endpoint-reconciler-type=none".to_owned(),
            format!("--secure-port={port}"),
            format!("--service-account-issuer=https://127.0.0.1:{port}/"),
            format!("--service-account-key-file={}", key.display()),
            format!("--service-account-signing-key-file={}", key.display()),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            format!("--token-auth-file={}", self.path("tokens.csv").display()),
        ];
        flags.extend(self.options.flags());
        flags
    }

    pub(super) fn controller_manager_flags(&self) -> Vec<String> {
        let kubeconfig = self.kubeconfig();
        let flags = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
        let files = flags.map(|flag| format!("--{flag}={}", kubeconfig.display()));
        let key = format!("--service-account-private-key-file={}", self.path("apiserver.key").display());
        let certificate = format!("--root-ca-file={}", self.path("apiserver.crt").display());
        let server = ["--leader-elect=false".to_owned(), "--secure-port=0".to_owned()];
        files.into_iter().chain([key, certificate]).chain(server).collect()
    }
}
