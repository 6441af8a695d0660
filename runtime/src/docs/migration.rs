#![doc = include_str!("migration.md")]
