#![doc = include_str!("schedules.md")]
