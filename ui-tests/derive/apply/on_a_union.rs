use crdkit::Apply;

#[derive(Apply, Clone, Copy)]
pub union Either {
    pub number: u32,
    pub bytes: [u8; 4],
}

fn main() {}
