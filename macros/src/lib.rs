//! derives
