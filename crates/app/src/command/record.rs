//! `tabiya record`: the compact record of a position.

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use tabiya_chess::{chi_square::ChiSquare, record::Record};

use tabiya_terminal::{
    board, board::Figures, exit::usage, json, position::PositionArguments, style,
};

/// Show the compact record of a position, 11 to 26 bytes, and its statistic;
/// or draw the board of a record.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya record \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"
  tabiya record --decode 000000000800000800002e")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    /// Draw the board of this record: key and value in hex
    #[arg(long, value_name = "HEX", conflicts_with_all = ["fen", "moves", "pgn"])]
    decode: Option<String>,

    /// How pieces are drawn
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    chi2: f64,
    key: String,
    value: String,
    bytes: usize,
    /// The first field of a FEN.
    board: String,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let record = match &options.decode {
        Some(hex) => match hex.parse::<Record>() {
            Ok(record) => record,
            Err(error) => usage(&error.to_string()),
        },
        None if options.position.is_given() => Record::of(options.position.position()?.board())?,
        None => usage("give a FEN, --moves, --pgn or --decode"),
    };
    let shown = Shown::new(&record);
    if options.json {
        return json::print(&shown);
    }
    if options.decode.is_some() {
        print_board(&record, options.figures);
    } else {
        say!("χ²     {}", record.key().statistic());
        say!("key    {}", shown.key);
        say!("value  {}", shown.value);
        say!("bytes  {}", shown.bytes);
    }
    Ok(())
}

impl Shown {
    fn new(record: &Record) -> Shown {
        Shown {
            chi2: record.key().statistic().to_f64(),
            key: hex(&record.key().to_bytes()),
            value: hex(record.value()),
            bytes: record.to_bytes().len(),
            board: record.board().to_string(),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn print_board(record: &Record, figures: Figures) {
    let board = record.board();
    for line in board::draw(&board, None, figures) {
        say!("{line}");
    }
    let (stored, ours) = (record.key().statistic(), ChiSquare::of(&board));
    let note = match stored {
        _ if stored == ours => String::new(),
        ChiSquare::ZERO => format!(" (0 stands for unknown; it is {ours})"),
        _ => format!(" as stored; it is {ours}"),
    };
    say!("χ² {stored}{}{note}{}", style::FAINT, style::PLAIN);
    say!("{board}");
}
