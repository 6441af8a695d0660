//! `cargo run -p example-client --bin dynamic -- vm`: objects of any kind, by any of its names.

use crdkit::{Client, client::dynamic::Optional};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let word = std::env::args().nth(1).unwrap_or_else(|| "namespaces".to_owned());
    let client = Client::try_default().await?;
    let resources = client.dynamic().resources(word).await?;
    let kind = resources.resource();
    println!("{} of {:?} in version {}", kind.kind, kind.group, kind.version);

    for object in resources.all_namespaces().list().await? {
        let name = object.metadata.name.as_deref().unwrap_or_default();
        match object.get_str("status.phase").optional()? {
            Some(phase) => println!("{name}: {phase}"),
            None => println!("{name}"),
        }
    }
    Ok(())
}
