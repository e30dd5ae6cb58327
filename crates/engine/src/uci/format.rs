//! How the engine's findings read in UCI.

use std::fmt::Write;

use shakmaty::{CastlingMode, Move};

use crate::search::{Bound, Report};

/// How a program wants to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Castling is written as the king's two steps, or in Chess960 as the king taking its rook.
    pub(super) castling: CastlingMode,
    /// Whether chances are shown beside scores.
    pub(super) chances: bool,
}

impl Format {
    /// A move as UCI writes it.
    pub(super) fn uci_move(self, mv: Move) -> String {
        mv.to_uci(self.castling).to_string()
    }

    /// An `info` line.
    pub(super) fn info(self, report: &Report) -> String {
        if let (Some(number), Some(&mv)) = (report.begins, report.line.first()) {
            let mv = self.uci_move(mv);
            return format!(
                "info depth {} currmove {mv} currmovenumber {number}",
                report.depth
            );
        }
        let chances = if self.chances {
            let [won, drawn, lost] = report.score.chances();
            format!(" wdl {won} {drawn} {lost}")
        } else {
            String::new()
        };
        let milliseconds = report.elapsed.as_millis() as u64;
        let bound = match report.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let mut line = format!(
            "info depth {} seldepth {} multipv {} score {}{bound}{chances} nodes {} nps {} hashfull {} tbhits {} time {milliseconds} pv",
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
            let _ = write!(line, " {}", self.uci_move(mv));
        }
        line
    }
}
