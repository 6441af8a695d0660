#![doc = include_str!("evolution.md")]
