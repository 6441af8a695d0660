#![doc = include_str!("controller_runtime.md")]
