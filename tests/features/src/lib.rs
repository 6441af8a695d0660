//! Nothing but features.
