//! The program: a server on a port, for clients in other languages.

use std::{fs, io, net::SocketAddr, path::Path, process::ExitCode};

use clap::Parser as _;

use crate::{ApiServer, ServerHandle};

mod arguments;
mod files;

use arguments::Arguments;

/// Runs the program until it is told to stop.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let server = prepare(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("there is no runtime: {error}"))?.block_on(serve(&server, arguments))
}

/// Returns the server with its objects.
fn prepare(arguments: &Arguments) -> Result<ApiServer, String> {
    let mut server = ApiServer::new().with_system_time();
    files::load(&server, &arguments.definitions)?;
    if arguments.rbac {
        server = server.with_rbac();
    }
    if arguments.controllers {
        server = server.with_garbage_collection().with_namespace_deletion().with_service_accounts();
        server = server.with_workloads(crate::PodState::usual);
    }
    Ok(server)
}

async fn serve(server: &ApiServer, arguments: &Arguments) -> Result<(), String> {
    let address = SocketAddr::new(arguments.address, arguments.port);
    // Before anyone knows that the server is ready.
    let stop = stop_signal().map_err(|error| format!("signals cannot be received: {error}"))?;
    let handle = server.serve(address).await.map_err(|error| format!("{address} cannot be listened on: {error}"))?;
    println!("listening on {}", handle.url());
    if let Some(file) = &arguments.kubeconfig {
        write_kubeconfig(&handle, file)
            .map_err(|error| format!("the kubeconfig {} cannot be written: {error}", file.display()))?;
        println!("kubeconfig: {}", file.display());
    }
    stop.await;
    handle.stop().await;
    Ok(())
}

/// Writes the kubeconfig at once, so that a program that waits for the file never reads a part of it.
fn write_kubeconfig(handle: &ServerHandle, file: &Path) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let part = file.with_file_name(name);
    fs::write(&part, handle.kubeconfig())?;
    fs::rename(&part, file)
}

/// Returns what completes when the program is to stop.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        futures_util::future::select(Box::pin(terminate.recv()), Box::pin(interrupt.recv())).await;
    })
}

/// Returns what completes when the program is to stop.
#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
