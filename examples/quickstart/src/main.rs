//! `cargo run -p example-quickstart`: a custom resource, from its definition to its table.
//!
//! Without a cluster, on an API server in the process. With `--serve`, that server then listens for `kubectl` until ctrl-c.
//! With `--cluster`, the same on the current context of your kubeconfig; everything is removed in the end.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{IsTerminal, Stdout, Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Result, bail};
use crdkit::{Client, informer::shutdown_signal};
use crdkit_api_server::ApiServer;
use example_quickstart::{
    output::{Form, Output},
    steps,
};

const USAGE: &str = "usage: quickstart [--serve | --cluster]

Runs the steps on an API server in the process.

  --serve    then listens, and prints a kubeconfig for kubectl
  --cluster  runs them on the current context of your kubeconfig, and removes everything in the end
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode> {
    let owned: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = owned.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => in_process().await?,
        ["--serve"] => serve().await?,
        ["--cluster"] => on_cluster().await?,
        ["-h" | "--help"] => print!("{USAGE}"),
        _ => {
            eprint!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn output() -> Output<Stdout> {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_plain = is_set("NO_COLOR") || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let form = if stdout().is_terminal() { Form::Sections { color: !is_plain } } else { Form::Lines };
    Output::new(stdout(), form)
}

async fn in_process() -> Result<()> {
    steps::run(&ApiServer::new().client(), steps::IN_PROCESS, &mut output()).await?;
    steps::show_options(&mut output())
}

async fn serve() -> Result<()> {
    let mut output = output();
    let server = ApiServer::new();
    steps::run(&server.client(), steps::IN_PROCESS, &mut output).await?;
    let handle = server.serve(([127, 0, 0, 1], 0)).await?;
    let file = Kubeconfig::write(&handle.kubeconfig(), handle.address().port())?;
    steps::show_server(&handle.kubeconfig(), &file.0, &mut output)?;
    shutdown_signal().await;
    handle.stop().await;
    Ok(())
}

async fn on_cluster() -> Result<()> {
    let client = Client::try_default().await?.field_manager("quickstart");
    if steps::is_installed(&client).await? {
        bail!("VirtualMachines are defined in this cluster already, nothing was changed");
    }
    let place = client.config().map_or_else(String::new, |config| config.cluster_url.to_string());
    let mut output = output();
    let result = tokio::select! {
        result = steps::run(&client, &place, &mut output) => result,
        () = shutdown_signal() => Err(anyhow::anyhow!("interrupted")),
    };
    // Also after a failure, which may be why the definition is not there.
    if steps::is_installed(&client).await? {
        steps::remove(&client, &mut output).await?;
    }
    result
}

/// A file that is removed in the end.
struct Kubeconfig(PathBuf);

impl Kubeconfig {
    fn write(text: &str, port: u16) -> Result<Self> {
        let path = env::temp_dir().join(format!("quickstart-{}-{port}.yaml", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(Self(path))
    }
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
