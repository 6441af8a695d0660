//! Prints the definition that the build script wrote, and the spec of an object.

pub mod types;

use types::{Backup, BackupSpec};

const CRD: &str = include_str!(concat!(env!("OUT_DIR"), "/backups.backup.example.com.yaml"));

fn main() {
    let spec = BackupSpec { claim: "data".to_owned(), bucket: "https://s3.example.com/data".to_owned(), keep: 3 };
    print!("{CRD}");
    eprintln!("{:?}", Backup::new("data", spec).spec);
}

#[cfg(test)]
mod tests {
    use crdkit::CustomResourceExt;

    use super::*;

    #[test]
    fn the_build_script_saw_the_same_types() {
        assert!(CRD.ends_with(&crdkit::emit::to_yaml(&Backup::crd())));
    }
}
