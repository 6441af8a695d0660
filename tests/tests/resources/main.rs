//! Custom resources of each attribute, judged by a real API server: their definitions and their objects.

mod at;
mod columns;
mod conversion;
mod defaults;
mod enums;
mod foreign;
mod kube_style;
mod merge_strategies;
mod metadata;
mod names;
mod no_spec;
mod nullable;
mod overrides;
mod registry;
mod rules;
mod scale;
mod schema_modes;
mod selectable;
mod serde_attributes;
mod served;
mod spec_keywords;
mod types;
mod unchanged;
mod validation;
mod versions;
mod virtual_machine;
