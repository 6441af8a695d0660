#![doc = include_str!("walk.md")]
