//! How the engine's findings read in UCI.

use std::fmt::Write;

use shakmaty::Move;

use super::session::MODE;
use crate::search::{Bound, Report};

/// A move as UCI writes it.
pub(super) fn uci_move(mv: Move) -> String {
    mv.to_uci(MODE).to_string()
}

/// An `info` line.
pub(super) fn info(report: &Report) -> String {
    let milliseconds = report.elapsed.as_millis() as u64;
    let bound = match report.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}{bound} nodes {} nps {} hashfull {} tbhits {} time {milliseconds} pv",
        report.depth,
        report.longest.max(report.line.len()),
        report.index,
        report.score,
        report.nodes,
        report.nodes * 1000 / milliseconds.max(1),
        report.permille_full,
        report.tablebase_hits,
    );
    for &mv in &report.line {
        let _ = write!(line, " {}", uci_move(mv));
    }
    line
}
