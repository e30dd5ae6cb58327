//! Two positions side by side, by every measure there is.

use std::collections::BTreeMap;

use shakmaty::{Chess, Move, Position, Square, uci::UciMove};
use tabiya_chess::rules::{ChessRules, Naming};
use tabiya_chess::{Symmetry, named};
use tabiya_gametree::matching::match_moves;
use tabiya_gametree::similarity::{
    Continuations, Correlation, Freedom, Measure, OrderedEdit, Reading, Sample, Sequences,
    Structural, UnorderedEdit,
};
use tabiya_gametree::{Game, Label, Tree};

use crate::played::turn;
use crate::search::Cancel;
use crate::term::Encoding;

/// How positions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How deep continuations, sequences and trees go, in plies.
    pub depth: usize,
    /// How moves are named.
    pub naming: Naming,
    /// Reads a sample of the children only in the structural measure.
    pub sample: Option<Sample>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            depth: 2,
            naming: Naming::San,
            sample: None,
        }
    }
}

/// Every measure of two positions.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Continuations of one ply.
    pub continuations_1: f64,
    /// Continuations to the depth asked for.
    pub continuations: f64,
    /// Sequences of that depth.
    pub sequences: f64,
    /// Tree edit with ordered siblings; missing if the trees are too large.
    pub tree_edit_ordered: Option<f64>,
    /// Tree edit with siblings matched; missing if the trees are too large.
    pub tree_edit_unordered: Option<f64>,
    /// Structural over continuations of two plies.
    pub structural: f64,
    /// Freedom, the measure of our own.
    pub freedom: f64,
    /// The share of squares with equal contents.
    pub correlation: f64,
    /// The weighted Jaccard index of the two encodings.
    pub encoding: f64,
    /// Matched moves, most frequent first.
    pub matches: Vec<Match>,
    /// First moves possible in both positions.
    pub shared: Vec<String>,
    /// First moves possible in the first position only.
    pub only_a: Vec<String>,
    /// First moves possible in the second position only.
    pub only_b: Vec<String>,
}

/// Two moves that stand alike, without their movers' letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// A move on the second ply of the first position.
    pub a: String,
    /// A move on the second ply of the second position.
    pub b: String,
    /// How often they were paired.
    pub count: usize,
    /// What the two moves do.
    pub effects: (Effect, Effect),
    /// From where to where the two moves go, in the line in which they do most.
    pub paths: (Path, Path),
}

/// From where to where a move goes.
pub type Path = (Square, Square);

named! {
    /// What a move does, at best, in any line of the second ply; the strongest last.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Effect: "effect" {
        /// Nothing of what follows.
        #[default]
        Quiet = "quiet",
        /// It takes something.
        Capture = "capture",
        /// It gives check.
        Check = "check",
        /// It mates.
        Mate = "mate",
    }
}

/// What looks and play say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The encodings are alike, the play is not.
    LooksAlikePlaysDifferently,
    /// The play is alike, the encodings are not.
    LooksDifferentPlaysAlike,
    /// Both are alike.
    Alike,
    /// Neither is.
    Different,
}

impl Verdict {
    /// The verdict in words.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::LooksAlikePlaysDifferently => "looks alike, plays differently",
            Verdict::LooksDifferentPlaysAlike => "looks different, plays alike",
            Verdict::Alike => "looks alike and plays alike",
            Verdict::Different => "looks different and plays differently",
        }
    }
}

/// From where encodings count as alike. Traps of the library, of different openings
/// mostly, are alike to 0.37 in the median and hardly ever to more than 0.5;
/// positions two plies apart lie well above.
const LOOKS_ALIKE: f64 = 0.5;

/// From where freedom counts as alike. Around three of the paper's four traps all
/// positions that are still traps lie above the mean, which is above this.
const PLAYS_ALIKE: f64 = 0.8;

/// Trees whose numbers of nodes multiply to more are not compared: the ordered
/// edit distance needs a table of that size.
const LARGEST_TABLE: usize = 64_000_000;

impl Comparison {
    /// Compares two positions as they are. Of a canceled comparison only the measures that were ready
    /// mean something; the others are zero or missing.
    pub fn new(a: &Chess, b: &Chess, settings: Settings, cancel: &Cancel) -> Comparison {
        let rules = ChessRules::named(settings.naming);
        let depth = settings.depth;
        let mut structural = Structural::over(Continuations::new(2));
        if let Some(sample) = settings.sample {
            structural = structural.sampled(sample);
        }
        let (edit_ordered, edit_unordered) = tree_edits(&rules, a, b, depth, cancel);
        let or_zero = |measure: &dyn Fn() -> f64| match cancel.is_canceled() {
            true => 0.0,
            false => measure(),
        };
        let moves = |position| -> Vec<Label> {
            let mut labels: Vec<Label> = rules
                .labeled_moves(position)
                .into_iter()
                .map(|it| it.1)
                .collect();
            labels.sort_unstable();
            labels
        };
        let (ours, theirs) = (moves(a), moves(b));
        let pick = |from: &[Label], with: &[Label], shared: bool| -> Vec<String> {
            let chosen = from.iter().filter(|it| with.contains(it) == shared);
            chosen.map(|&it| bare(it)).collect()
        };
        Comparison {
            continuations_1: or_zero(&|| Continuations::new(1).similarity(&rules, a, b)),
            continuations: or_zero(&|| Continuations::new(depth).similarity(&rules, a, b)),
            sequences: or_zero(&|| Sequences::new(depth).similarity(&rules, a, b)),
            tree_edit_ordered: edit_ordered,
            tree_edit_unordered: edit_unordered,
            structural: or_zero(&|| structural.similarity(&rules, a, b)),
            freedom: or_zero(&|| Freedom.similarity(&rules, a, b)),
            correlation: Correlation.similarity(&rules, a, b),
            encoding: Encoding::of_document(a.board()).jaccard(&Encoding::of_document(b.board())),
            matches: match cancel.is_canceled() {
                true => Vec::new(),
                false => matches(&rules, a, b),
            },
            shared: pick(&ours, &theirs, true),
            only_a: pick(&ours, &theirs, false),
            only_b: pick(&theirs, &ours, false),
        }
    }

    /// Compares the first position with the second seen with colors exchanged, if
    /// different sides are to move.
    pub fn swapped(
        a: &Chess,
        b: &Chess,
        settings: Settings,
        cancel: &Cancel,
    ) -> Option<Comparison> {
        if a.turn() == b.turn() {
            return None;
        }
        let b = turn(b, Symmetry::Swap)?;
        Some(Comparison::new(a, &b, settings, cancel))
    }

    /// What looks (the encoding) and play (freedom) say together.
    pub fn verdict(&self) -> Verdict {
        match (self.encoding >= LOOKS_ALIKE, self.freedom >= PLAYS_ALIKE) {
            (true, true) => Verdict::Alike,
            (true, false) => Verdict::LooksAlikePlaysDifferently,
            (false, true) => Verdict::LooksDifferentPlaysAlike,
            (false, false) => Verdict::Different,
        }
    }
}

/// Both tree edit similarities, unless the trees are too large.
fn tree_edits(
    rules: &ChessRules,
    a: &Chess,
    b: &Chess,
    depth: usize,
    cancel: &Cancel,
) -> (Option<f64>, Option<f64>) {
    let (ordered, unordered) = (OrderedEdit::new(depth), UnorderedEdit::new(depth));
    let (ours, theirs) = (ordered.read(rules, a), ordered.read(rules, b));
    let size = |reading: &Reading<Tree>| match reading {
        Reading::Open(tree) => tree.len(),
        Reading::Terminal(_) => 0,
    };
    if size(&ours).saturating_mul(size(&theirs)) > LARGEST_TABLE {
        return (None, None);
    }
    let unless_canceled = |measure: &dyn Measure<ChessRules, Profile = Tree>| {
        (!cancel.is_canceled()).then(|| measure.compare_readings(&ours, &theirs))
    };
    (unless_canceled(&ordered), unless_canceled(&unordered))
}

fn matches(rules: &ChessRules, a: &Chess, b: &Chess) -> Vec<Match> {
    let found = match_moves(rules, &Structural::over(Continuations::new(2)), a, b);
    let (ours, theirs) = (deeds(rules, a), deeds(rules, b));
    let matched = |it: &tabiya_gametree::matching::MatchedMoves| {
        let (one, two) = (ours.get(&it.a)?, theirs.get(&it.b)?);
        Some(Match {
            a: bare(it.a),
            b: bare(it.b),
            count: it.count,
            effects: (one.0, two.0),
            paths: (one.1, two.1),
        })
    };
    found.iter().filter_map(matched).collect()
}

/// What each move of the second ply does, at best, and on which path.
fn deeds(rules: &ChessRules, position: &Chess) -> BTreeMap<Label, (Effect, Path)> {
    let mut deeds: BTreeMap<Label, (Effect, Path)> = BTreeMap::new();
    for (mv, _) in rules.labeled_moves(position) {
        let next = rules.play(position, mv);
        for (reply, label) in rules.labeled_moves(&next) {
            let deed = (effect(rules, &next, reply), path(reply));
            let best = deeds.entry(label).or_insert(deed);
            if deed.0 > best.0 {
                *best = deed;
            }
        }
    }
    deeds
}

/// From where to where a move goes; the king's way in castling.
fn path(mv: Move) -> Path {
    match UciMove::from_standard(mv) {
        UciMove::Normal { from, to, .. } => (from, to),
        // Only pieces of variants have no origin.
        _ => (mv.to(), mv.to()),
    }
}

fn effect(rules: &ChessRules, position: &Chess, mv: Move) -> Effect {
    let next = rules.play(position, mv);
    match (next.is_check(), mv.is_capture()) {
        (true, _) if next.legal_moves().is_empty() => Effect::Mate,
        (true, _) => Effect::Check,
        (false, true) => Effect::Capture,
        (false, false) => Effect::Quiet,
    }
}

/// The move without its mover's letter.
fn bare(label: Label) -> String {
    label.to_string().chars().skip(1).collect()
}

#[cfg(test)]
mod tests {
    use tabiya_chess::trap::library;

    use super::*;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 5e-7
    }

    #[test]
    fn the_known_answers_for_legal_and_budapest() {
        let (legal, budapest) = (&library()[3].position, &library()[0].position);
        let san = Comparison::new(legal, budapest, Settings::default(), &Cancel::default());
        assert!(near(san.continuations, 0.148148), "{}", san.continuations);
        assert!(near(san.sequences, 0.091873), "{}", san.sequences);
        let uci = Settings {
            naming: Naming::Uci,
            ..Settings::default()
        };
        let uci = Comparison::new(legal, budapest, uci, &Cancel::default());
        assert!(near(uci.continuations, 0.172414), "{}", uci.continuations);
        assert!(near(uci.sequences, 0.076325), "{}", uci.sequences);
        assert!(near(uci.tree_edit_ordered.unwrap(), 0.269231));
        assert!(near(uci.tree_edit_unordered.unwrap(), 0.268399));
    }

    #[test]
    fn a_canceled_comparison_does_no_more_work() {
        let budapest = &library()[0].position;
        let cancel = Cancel::default();
        cancel.cancel();
        let found = Comparison::new(budapest, budapest, Settings::default(), &cancel);
        assert_eq!(
            (found.structural, found.freedom, found.sequences),
            (0.0, 0.0, 0.0)
        );
        assert_eq!(
            (found.tree_edit_ordered, found.tree_edit_unordered),
            (None, None)
        );
        assert!(found.matches.is_empty());
    }

    #[test]
    fn mates_are_told_from_other_moves() {
        let (budapest, kieninger) = (&library()[0].position, &library()[2].position);
        let found = Comparison::new(budapest, kieninger, Settings::default(), &Cancel::default());
        let top = &found.matches[0];
        assert_eq!((top.a.as_str(), top.b.as_str()), ("Bxf2#", "Nd3#"));
        assert_eq!(top.effects, (Effect::Mate, Effect::Mate));
    }

    #[test]
    fn a_position_is_wholly_like_itself_and_its_swapped_twin() {
        let budapest = &library()[0].position;
        let same = Comparison::new(budapest, budapest, Settings::default(), &Cancel::default());
        for value in [
            same.continuations_1,
            same.structural,
            same.freedom,
            same.encoding,
        ] {
            assert_eq!(value, 1.0);
        }
        assert_eq!(same.verdict(), Verdict::Alike);
        assert!(same.only_a.is_empty() && same.only_b.is_empty());
        let twin = turn(budapest, Symmetry::Swap).unwrap();
        let swapped =
            Comparison::swapped(budapest, &twin, Settings::default(), &Cancel::default()).unwrap();
        assert_eq!((swapped.continuations, swapped.encoding), (1.0, 1.0));
        assert!(
            Comparison::swapped(budapest, budapest, Settings::default(), &Cancel::default())
                .is_none()
        );
    }

    #[test]
    fn finished_games_compare_by_their_result() {
        let mate = |fen: &str| tabiya_chess::position::parse(fen).unwrap();
        let fools = mate("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
        let found = Comparison::new(
            &fools,
            &Chess::default(),
            Settings::default(),
            &Cancel::default(),
        );
        assert_eq!(
            (found.continuations, found.structural, found.freedom),
            (0.0, 0.0, 0.0)
        );
        assert!(found.matches.is_empty());
    }
}
