#![doc = include_str!("kubebuilder.md")]
