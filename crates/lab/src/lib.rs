//! Experiments: what was published beside what we measure.
//!
//! Each experiment is a module with a report that is plain data: tables to print,
//! rows to write as CSV, figures as SVG. Nothing here is needed to search or to
//! play.

pub mod abr;
pub mod archive;
pub mod bootstrap;
pub mod contest;
pub mod dice;
pub mod dot_plot;
pub mod drawing;
pub mod epd;
pub mod evaluation;
pub mod figure;
pub mod known_item;
pub mod line_plot;
pub mod master;
pub mod measure;
pub mod motif;
pub mod next_move;
pub mod partial_depth;
pub mod puzzle;
pub mod rating;
pub mod roc;
pub mod scheme;
pub mod shelf;
pub mod suite;
pub mod sweep;
pub mod traps;
pub mod trec;
pub mod tune;
pub mod way;
