//! Experiments: what was published beside what we measure.
//!
//! Each experiment is a module with a report that is plain data: tables to print,
//! rows to write as CSV, figures as SVG. Nothing here is needed to search or to
//! play.

pub mod dot_plot;
pub mod roc;
pub mod traps;
