#![doc = include_str!("blocking.md")]
