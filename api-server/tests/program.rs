//! The program, and clients in other languages that use it.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crdkit-api-server");

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// The program, which is killed when it is dropped.
struct Running {
    process: Child,
    output: BufReader<ChildStdout>,
    url: String,
    kubeconfig: PathBuf,
    _folder: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kubeconfig = folder.path().join("kubeconfig.yaml");
        let mut command = Command::new(PROGRAM);
        command.arg("--kubeconfig").arg(&kubeconfig).arg("--definitions").arg(clients().join("boats.yaml"));
        let mut process = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let url = line().strip_prefix("listening on ").expect("the first line has the address").to_owned();
        assert_eq!(line(), format!("kubeconfig: {}", kubeconfig.display()));
        Self { process, output, url, kubeconfig, _folder: folder }
    }

    /// Runs a client, which has to succeed.
    fn run(&self, program: impl AsRef<OsStr>, arguments: &[&str], folder: &str) -> String {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(clients().join(folder)).env("KUBECONFIG", &self.kubeconfig);
        let Output { status, stdout, stderr } = output.output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(status.success(), "{status}\n{stdout}\n{stderr}");
        stdout
    }
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let run = command.args(arguments).current_dir(clients()).stdout(Stdio::null()).stderr(Stdio::null());
    run.status().is_ok_and(|status| status.success())
}

fn refused(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let mut running = Running::start(&[]);
        let kubeconfig = fs::read_to_string(&running.kubeconfig).unwrap();
        assert!(kubeconfig.contains(&format!("server: {}", running.url)), "{kubeconfig}");
        let address = running.url.strip_prefix("http://").unwrap().to_owned();
        assert!(TcpStream::connect(&address).is_ok());
        assert!(succeeds("kill", &[&format!("-{signal}"), &running.process.id().to_string()]));
        assert!(running.process.wait().unwrap().success(), "{signal}");
        let mut rest = String::new();
        running.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(TcpStream::connect(&address).is_err());
    }
}

#[test]
fn errors_name_the_file_and_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let valid = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
    let file = write(
        "objects.yaml",
        &format!("{valid}---\napiVersion: example.com/v1\nkind: Boat\nmetadata: {{ name: b }}\n"),
    );
    let expected = format!(
        "error: {file}, document 2, Boat \"b\": no resource is served for Boat.example.com in example.com/v1\n"
    );
    assert_eq!(refused(&["--definitions", &file]), expected);
    let file = write(
        "list.yaml",
        "{ apiVersion: v1, kind: List, items: [{ kind: ConfigMap, apiVersion: v1, metadata: { name: A } }] }",
    );
    let error = refused(&["--definitions", &file]);
    assert!(
        error.starts_with(&format!("error: {file}, document 1, ConfigMap \"A\": ConfigMap \"A\" is invalid")),
        "{error}"
    );
    let file = write("broken.yaml", "a: [");
    assert!(refused(&["--definitions", &file]).starts_with(&format!("error: {file} is no YAML: ")));
    assert!(refused(&["--definitions", "/none"]).starts_with("error: /none cannot be read: "));
    // All files of a folder are read, and all their errors are shown.
    let error = refused(&["--definitions", &folder.path().display().to_string()]);
    assert!(error.contains("broken.yaml"), "{error}");
    fs::remove_file(folder.path().join("broken.yaml")).unwrap();
    let error = refused(&["--definitions", &folder.path().display().to_string()]);
    assert_eq!(error.lines().count(), 2, "{error}");

    let error = refused(&["--port", "none"]);
    assert!(error.contains("invalid value 'none' for '--port <NUMBER>'"), "{error}");
    let running = Running::start(&[]);
    let port = running.url.rsplit(':').next().unwrap();
    let error = refused(&["--port", port]);
    assert!(error.starts_with(&format!("error: 127.0.0.1:{port} cannot be listened on: ")), "{error}");
}

#[test]
fn kubectl() {
    if !succeeds("kubectl", &["version", "--client"]) {
        return eprintln!("skipped: there is no kubectl");
    }
    let running = Running::start(&["--rbac", "--controllers"]);
    let services = running.run("kubectl", &["get", "services", "-o", "name"], "");
    assert_eq!(services, "service/kubernetes\n");
    let accounts = running.run("kubectl", &["get", "serviceaccounts", "-o", "name"], "");
    assert_eq!(accounts, "serviceaccount/default\n");
    let request = running.kubeconfig.with_file_name("request.json");
    fs::write(&request, r#"{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}"#).unwrap();
    let path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let issued = running.run("kubectl", &["create", "--raw", path, "-f", &request.display().to_string()], "");
    let issued: serde_json::Value = serde_json::from_str(&issued).unwrap();
    // kubectl itself sends tokens over TLS only.
    assert_eq!(issued["status"]["token"].as_str().unwrap().split('.').count(), 3, "{issued}");
    let boats = running.run("kubectl", &["get", "boats"], "");
    assert_eq!(boats, "");
}

#[test]
fn go() {
    if !succeeds("go", &["version"]) || !succeeds("go", &["-C", "go", "mod", "download"]) {
        return eprintln!("skipped: there is no Go, or its modules cannot be downloaded");
    }
    Running::start(&[]).run("go", &["test", "-count=1", "."], "go");
}

#[test]
fn python() {
    if !succeeds("python3", &["-c", "import kubernetes"]) {
        return eprintln!("skipped: there is no package `kubernetes` for Python");
    }
    assert_eq!(Running::start(&[]).run("python3", &["boats.py"], "python"), "sailed from Python\n");
}

#[test]
fn javascript() {
    if !clients().join("javascript/node_modules").exists() {
        return eprintln!("skipped: `npm install` was not run in clients/javascript");
    }
    assert_eq!(Running::start(&[]).run("node", &["boats.js"], "javascript"), "sailed from JavaScript\n");
}
