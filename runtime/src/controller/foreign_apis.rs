#![doc = include_str!("foreign_apis.md")]
