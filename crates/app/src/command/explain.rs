//! `tabiya explain`: why two positions are alike.

use clap::Args;
use shakmaty::{Chess, Piece, Position, Square};
use tabiya_answer::{
    answer, json,
    query::{RankingArguments, SymmetryChoice, parse_fen},
};
use tabiya_chess::Symmetry;
use tabiya_retrieval::{Explanation, played};

use tabiya_terminal::{board, board::Figures, exit::usage, json::print, sample::Database, style};

/// Say why two positions are alike, and in what they differ.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya explain \"r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9\" \\
                 \"r1bq1rk1/pp3ppp/2nbpn2/3p4/3P4/P1NBPN2/1P3PPP/R1BQ1RK1 b - - 0 10\"

How frequent a term is in a collection decides how much it counts; without --db
the built-in sample is asked.")]
pub(crate) struct Options {
    /// The position to explain from, as a quoted FEN
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    query: Chess,

    /// The position to compare it with
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    other: Chess,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    ranking: RankingArguments,

    /// Which twins of the first position are tried as well; the best is told
    #[arg(long, value_enum, default_value_t)]
    symmetry: SymmetryChoice,

    /// How many shared terms to tell
    #[arg(long, value_name = "N", default_value_t = 12)]
    reasons: usize,

    /// How pieces are drawn
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let ranking = options.ranking.checked(options.query.turn());
    let ranking = ranking.unwrap_or_else(|error| usage(&error.to_string()));
    let positions = [&options.query, &options.other];
    let symmetries = options.symmetry.symmetries();
    let Some((symmetry, why)) =
        answer::explain(positions, &symmetries, &ranking, collection.statistics())
    else {
        return Ok(());
    };
    if options.json {
        return print(&json::Explained::new(&why, symmetry, options.reasons));
    }
    let turned = played::turn(&options.other, symmetry).unwrap_or_else(|| options.other.clone());
    let title = match symmetry {
        Symmetry::None => "second".to_owned(),
        turned => format!("second ({})", turned.name()),
    };
    let text = summary(&why);
    say!(
        "{}",
        board::side_by_side(
            ("first", options.query.board()),
            (&title, turned.board()),
            &text,
            options.figures
        )
    );
    print_reasons(&why, options.reasons);
    Ok(())
}

/// Similarity and shares, to stand beside the boards.
fn summary(why: &Explanation) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{}{:.1} % alike{}",
            style::STRONG,
            100.0 * why.similarity,
            style::PLAIN
        ),
        String::new(),
    ];
    for (family, share) in why.families.iter().filter(|it| it.1 > 0.0) {
        lines.push(format!("{:<8}{:>4.0} %", family.name(), 100.0 * share));
    }
    lines
}

fn print_reasons(why: &Explanation, count: usize) {
    say!();
    for shared in why.shared.iter().take(count) {
        say!(
            "  {}{:>4.1} %{}  {}",
            style::FAINT,
            100.0 * shared.share,
            style::PLAIN,
            why.words(shared)
        );
    }
    for line in differences(why) {
        say!("  {line}");
    }
}

/// The pieces that only one of the positions has on their squares.
pub(crate) fn differences(why: &Explanation) -> Vec<String> {
    let named = |title: &str, pieces: &[(Piece, Square)]| {
        let names = json::piece_names(pieces).join(" ");
        (!names.is_empty()).then(|| format!("{title} {}{names}{}", style::DIFFERENT, style::PLAIN))
    };
    [
        named("only here:", &why.only_query),
        named("only there:", &why.only_other),
    ]
    .into_iter()
    .flatten()
    .collect()
}
