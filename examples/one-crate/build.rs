//! Writes the CustomResourceDefinitions to `OUT_DIR`.

#[path = "src/types.rs"]
pub mod types;

fn main() -> std::process::ExitCode {
    crdkit::emit::Crds::new().add::<types::Backup>().build_script()
}
