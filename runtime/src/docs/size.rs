#![doc = include_str!("size.md")]
