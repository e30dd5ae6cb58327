//! What importing verbs share: arguments, progress, and the printed report.

use std::{path::Path, sync::atomic::Ordering, time::Instant};

use clap::Args;
use tabiya_chess::{Game, pgn::Input};
use tabiya_engine::turning::Finder;
use tabiya_question::parameter::SelectionParameters;
use tabiya_retrieval::{
    collection::{Import, Preparation, Progress, Report},
    motif::note_moments,
};
use tabiya_terminal::{
    progress::{counted, grouped},
    style::{ERROR, FAINT, PLAIN, STRONG},
};

/// How games are imported, and which.
#[derive(Debug, Args)]
pub(crate) struct ImportParameters {
    /// Number of opening plies to leave out of the index [default: 0, or as the collection has it]
    #[arg(long, value_name = "PLIES")]
    skip: Option<u16>,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Search the games for moments in which something could be won, and index their motifs (slow)
    #[arg(long)]
    motifs: bool,

    #[command(flatten)]
    games: SelectionParameters,
}

impl ImportParameters {
    /// An import of these inputs.
    pub(crate) fn import(&self, inputs: Vec<Input>) -> Import {
        Import {
            skip: self.skip,
            threads: self.threads.map(usize::from),
            selection: self.games.selection(),
            preparation: self.motifs.then(|| Preparation::new(note_turns)),
            ..Import::new(inputs)
        }
    }

    /// The greatest number of games to take.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.games.selection().limit
    }
}

/// Notes the turning points of a game and what there was to play.
fn note_turns(game: &mut Game) {
    let turns = Finder::default().turns(game);
    let moments = turns.iter().map(|it| (it.ply, it.line.as_slice()));
    note_moments(&mut game.tags, moments);
}

/// The games and positions of an import so far, with their rates.
pub(crate) fn rates(progress: &Progress, begin: Instant) -> String {
    let seconds = begin.elapsed().as_secs_f64().max(0.001);
    let games = progress.games.load(Ordering::Relaxed);
    let positions = progress.positions.load(Ordering::Relaxed);
    let rate = |count: u64| grouped((count as f64 / seconds) as u64);
    let prepared = progress.prepared.load(Ordering::Relaxed);
    if prepared > games {
        let each = 1000.0 * seconds / prepared as f64;
        return format!(
            "{} games searched for motifs, {each:.0} ms each",
            grouped(prepared)
        );
    }
    format!(
        "{} games, {} games/s, {} positions/s",
        grouped(games),
        rate(games),
        rate(positions)
    )
}

/// Prints the report of an import.
pub(crate) fn print(report: &Report, seconds: f64, folder: &Path) {
    for problem in &report.problems {
        anstream::eprintln!("{FAINT}{problem}{PLAIN}");
    }
    let with_errors = report.skipped + report.cut_short;
    if with_errors > report.problems.len() as u64 {
        anstream::eprintln!(
            "... and more: {} lists all {}",
            folder.join("import.log").display(),
            grouped(with_errors)
        );
    }
    for (input, reason) in &report.failed_inputs {
        anstream::eprintln!("{ERROR}{input}: {reason}{PLAIN}");
    }
    say!(
        "added {STRONG}{}{PLAIN} with {} in {seconds:.1} s ({} positions/s)",
        counted(report.games, "game"),
        counted(report.positions, "position"),
        grouped((report.positions as f64 / seconds.max(0.001)) as u64),
    );
    let rows = [
        (report.left_out, "left out by the filter"),
        (report.duplicates, "duplicates skipped"),
        (
            report.deleted,
            "games skipped that are marked as deleted in their base",
        ),
        (report.skipped, "unreadable games or variants skipped"),
        (report.cut_short, "games kept up to their first error"),
        (report.variations, "variations kept"),
        (
            report.lost_notes,
            "comments, glyphs or variations that could not be kept",
        ),
        (
            report.disagreeing_results,
            "games whose Result tag contradicts the result after the moves",
        ),
    ];
    for (count, what) in rows.into_iter().filter(|it| it.0 > 0) {
        say!("{:>12} {what}", grouped(count));
    }
}
