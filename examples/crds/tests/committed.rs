//! The committed files are those that the types make.

use crdkit::emit::CheckError;

#[test]
fn committed_files_are_up_to_date() -> Result<(), CheckError> {
    example_crds::crds().check()
}
