//! Experiments: what was published beside what we measure.
//!
//! Each experiment is a module with a report that is plain data: tables to print,
//! rows to write as CSV, figures as SVG. Nothing here is needed to search or to
//! play.

pub mod abr;
pub mod contest;
pub mod dot_plot;
pub mod drawing;
pub mod epd;
pub mod figure;
pub mod master;
pub mod partial_depth;
pub mod rating;
pub mod roc;
pub mod suite;
pub mod traps;
pub mod trec;
pub mod tune;
