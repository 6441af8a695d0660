//! `cargo run -p example-informer --bin reconcile -- --install`: runs an operator for VirtualMachines until ctrl-c or
//! SIGTERM. With `--install`, it installs their definition first.

use crdkit::{Client, informer::shutdown_signal};
use example_informer::operator;
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // The levels of `RUST_LOG`.
    let levels = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env()?;
    tracing_subscriber::fmt().with_env_filter(levels).with_writer(std::io::stderr).init();
    let client = Client::try_default().await?.field_manager("example");
    if std::env::args().any(|argument| argument == "--install") {
        operator::install(&client).await?;
    }
    operator::run(client, shutdown_signal()).await?;
    println!("stopped");
    Ok(())
}
