#![doc = include_str!("kube_runtime.md")]
