//! The operator `switched` as it was before the switch, on kube-derive and kube-runtime.

include!(concat!(env!("OUT_DIR"), "/before.rs"));
