//! `tabiya compare`: what can be played in two positions.

use clap::{Args, ValueEnum};
use shakmaty::{Chess, Position};
use tabiya_answer::{
    comparison::{Compared, Detail},
    query::parse_fen,
};
use tabiya_chess::rules::Naming;
use tabiya_gametree::similarity::Sample;
use tabiya_retrieval::comparison::{Comparison, Settings};

use tabiya_terminal::{board, board::Figures, json, style};

/// Compare two positions by every measure: how they look, and what can be played.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: the Légal and the Budapest trap, and which moves stand alike
  tabiya compare \"r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5\" \\
                 \"rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5\"

Measures are from 0 to 1, 1 for the same; docs/measures.md defines them. If different
sides are to move, the second position is also shown with colors exchanged."
)]
pub(crate) struct Options {
    /// The first position, as a quoted FEN
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    first: Chess,

    /// The second position
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    second: Chess,

    /// How many plies of play to compare, 1 to 3 (trees of 3 are too large to edit)
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    depth: u8,

    /// How moves are named
    #[arg(long, value_enum, default_value_t)]
    labels: Labels,

    /// Read at most so many children in the structural measure, chosen at random
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    sample: Option<u16>,

    /// How many matched pairs of moves to tell
    #[arg(long, value_name = "N", default_value_t = 10)]
    matches: usize,

    /// How pieces are drawn
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Add to the JSON what is only told in words: freedom, verdict, moves, effects
    #[arg(long, requires = "json")]
    more: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Labels {
    /// As players write them: Bxf7+
    #[default]
    San,
    /// As engines write them: c4f7
    Uci,
    /// Piece and target: Bf7
    Piece,
}

impl Labels {
    const fn naming(self) -> Naming {
        match self {
            Labels::San => Naming::San,
            Labels::Uci => Naming::Uci,
            Labels::Piece => Naming::Piece,
        }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let sample = options.sample.map(|it| Sample {
        children: it.into(),
        seed: 1,
    });
    let settings = Settings {
        depth: options.depth.into(),
        naming: options.labels.naming(),
        sample,
    };
    let (first, second) = (&options.first, &options.second);
    let plain = Comparison::new(first, second, settings);
    let swapped = Comparison::swapped(first, second, settings);
    if options.json {
        return json::print(&Compared::new(&plain, swapped.as_ref(), options.detail())?);
    }
    let boards = (("first", first.board()), ("second", second.board()));
    let text = board::side_by_side(boards.0, boards.1, &[], options.figures);
    say!("{text}\n");
    print(options, &plain, swapped.as_ref());
    Ok(())
}

impl Options {
    fn detail(&self) -> Detail {
        Detail {
            depth: self.depth,
            matches: self.matches,
            more: self.more,
        }
    }
}

fn print(options: &Options, plain: &Comparison, swapped: Option<&Comparison>) {
    let depth = options.depth;
    let views: Vec<&Comparison> = std::iter::once(plain).chain(swapped).collect();
    if swapped.is_some() {
        say!(
            "{}{:34}{:>8}  {:>8}{}",
            style::FAINT,
            "",
            "as it is",
            "swapped",
            style::PLAIN
        );
    }
    let row = |name: &str, value: &dyn Fn(&Comparison) -> Option<f64>| {
        let values: Vec<String> = views
            .iter()
            .map(|it| value(it).map_or("-".to_owned(), |it| format!("{it:.4}")))
            .map(|it| format!("{it:>8}"))
            .collect();
        say!("  {name:32}{}", values.join("  "));
    };
    say!("{}How they look{}", style::STRONG, style::PLAIN);
    row("encoding", &|it| Some(it.encoding));
    row("correlation", &|it| Some(it.correlation));
    say!("{}What can be played{}", style::STRONG, style::PLAIN);
    row("continuations, 1 ply", &|it| Some(it.continuations_1));
    if depth > 1 {
        row(&format!("continuations, {depth} plies"), &|it| {
            Some(it.continuations)
        });
    }
    row(&format!("sequences, {depth} plies"), &|it| {
        Some(it.sequences)
    });
    row(&format!("tree edit, {depth} plies, ordered"), &|it| {
        it.tree_edit_ordered
    });
    row(&format!("tree edit, {depth} plies, unordered"), &|it| {
        it.tree_edit_unordered
    });
    row("structural", &|it| Some(it.structural));
    row("freedom", &|it| Some(it.freedom));
    // Positions with different sides to move are only judged side by side when
    // seen by the same side.
    let judged = swapped.unwrap_or(plain);
    print_moves(judged);
    print_matches(judged, options.matches);
    say!(
        "{}{}{}",
        style::STRONG,
        judged.verdict().words(),
        style::PLAIN
    );
}

fn print_moves(found: &Comparison) {
    let list = |moves: &[String]| match moves {
        [] => "none".to_owned(),
        moves => moves.join(" "),
    };
    say!("{}Moves{}", style::STRONG, style::PLAIN);
    say!(
        "  in both      {}{}{}",
        style::SHARED,
        list(&found.shared),
        style::PLAIN
    );
    say!(
        "  first only   {}{}{}",
        style::DIFFERENT,
        list(&found.only_a),
        style::PLAIN
    );
    say!(
        "  second only  {}{}{}",
        style::DIFFERENT,
        list(&found.only_b),
        style::PLAIN
    );
}

fn print_matches(found: &Comparison, count: usize) {
    if found.matches.is_empty() {
        return;
    }
    say!(
        "{}Moves that stand alike, with how often they were paired{}",
        style::STRONG,
        style::PLAIN
    );
    for it in found.matches.iter().take(count) {
        let effects = format!("{}, {}", it.effects.0.word(), it.effects.1.word());
        say!(
            "  {:<8} {:<8}{:>5}  {}{effects}{}",
            it.a,
            it.b,
            it.count,
            style::FAINT,
            style::PLAIN
        );
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        options: Options,
    }

    const LEGAL: &str = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5";
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn told(more: &[&str]) -> Vec<String> {
        let line = ["compare", LEGAL, START, "--json"].iter().chain(more);
        let options = Arguments::try_parse_from(line).unwrap().options;
        let settings = Settings {
            depth: options.depth.into(),
            ..Settings::default()
        };
        let found = Comparison::new(&options.first, &options.second, settings);
        let told = Compared::new(&found, None, options.detail()).unwrap();
        told.names().map(str::to_owned).collect()
    }

    /// Programs read these names.
    #[test]
    fn the_json_has_the_promised_keys_in_their_order() {
        let promised = [
            "continuations_1",
            "continuations_2",
            "sequences_2",
            "tree_edit_ordered_2",
            "tree_edit_unordered_2",
            "structural",
            "correlation",
            "encoding",
            "matches",
        ];
        assert_eq!(told(&[]), promised);
        assert_eq!(told(&["--more"])[..9], promised);
        assert!(told(&["--depth", "1"]).contains(&"sequences_1".to_owned()));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let parse = |line: &[&str]| Arguments::try_parse_from(line).is_err();
        assert!(parse(&["compare", "nonsense", START]));
        assert!(parse(&["compare", START]));
        assert!(parse(&["compare", START, START, "--depth", "4"]));
        assert!(parse(&["compare", START, START, "--labels", "lan"]));
    }
}
