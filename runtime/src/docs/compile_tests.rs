#![doc = include_str!("compile_tests.md")]
