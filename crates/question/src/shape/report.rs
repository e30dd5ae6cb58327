//! The report of an import as JSON.

use serde::Serialize;
use tabiya_retrieval::collection::Report;

/// The report of an import.
#[derive(Debug, Serialize)]
pub struct ImportReport<'a> {
    games: u64,
    positions: u64,
    skipped: u64,
    left_out: u64,
    duplicates: u64,
    deleted: u64,
    variants: u64,
    cut_short: u64,
    variations: u64,
    lost_notes: u64,
    disagreeing_results: u64,
    problems: Vec<String>,
    failed_files: &'a [(String, String)],
}

impl<'a> From<&'a Report> for ImportReport<'a> {
    fn from(report: &'a Report) -> ImportReport<'a> {
        ImportReport {
            games: report.games,
            positions: report.positions,
            skipped: report.skipped,
            left_out: report.left_out,
            duplicates: report.duplicates,
            deleted: report.deleted,
            variants: report.variants,
            cut_short: report.cut_short,
            variations: report.variations,
            lost_notes: report.lost_notes,
            disagreeing_results: report.disagreeing_results,
            problems: report.problems.iter().map(ToString::to_string).collect(),
            failed_files: &report.failed_sources,
        }
    }
}
