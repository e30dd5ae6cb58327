//! What happens in a position: the terms of its best line.
//!
//! Positions with the same idea may share hardly a square. Bizjak and Guid ("Automatic
//! recognition of similar chess motifs", 2021) add to the terms of the board *dynamic*
//! ones that a short search finds. So do we: a [`Motif`] notes how the first move
//! works, how it is answered, what is attacked, pinned and uncovered, what is won, how
//! the king is mated, and how he stood. Everything is seen from the player to move and
//! relative to the enemy's king, so that turned positions have the same motif.
//!
//! The line is the caller's: an engine's, or what was played. The measure compares two
//! motifs and needs no collection, which makes it a second ranking for the hits of the
//! first. Families, words and weights were chosen on puzzles (`docs/experiments.md`).

mod attack;
mod exhibit;
mod idea;
mod king;
mod mate;
mod step;
mod view;

use shakmaty::{Chess, Move, Position};

pub(crate) use exhibit::value;
pub use exhibit::{Exhibit, exhibits, note_moments};
pub use idea::{Idea, ideas};
use step::Step;
pub(crate) use view::View;

/// A family of words; each is compared apart and has its weight.
#[derive(Clone, Copy, Debug)]
enum Family {
    /// How the first move works.
    Move,
    /// Where it goes, seen from the enemy's king.
    Aim,
    /// The kinds of the player's moves in a row.
    Shape,
    /// How the opponent answers, and what he was offered.
    Reply,
    /// The mate at the end.
    Mate,
    /// Pins, skewers, and what a move uncovers.
    Line,
    /// What the moved piece attacks.
    Target,
    /// What is captured.
    Gain,
    /// The pieces on the board.
    Force,
    /// The enemy's king and what is around him, before anything happens.
    King,
}

/// How many families there are.
pub(crate) const FAMILIES: usize = 10;

/// The weights, in the order of the families. Found by coordinate ascent on the
/// training half of the puzzles and rounded.
const WEIGHTS: [f64; FAMILIES] = [0.5, 0.3, 0.2, 0.3, 2.4, 0.4, 0.4, 0.2, 0.4, 0.6];

/// The words of a position and its best line.
///
/// ```
/// use shakmaty::{Chess, san::San};
/// use tabiya_chess::position;
/// use tabiya_retrieval::motif::Motif;
///
/// let motif = |fen: &str, san: &str| {
///     let position = position::parse(fen).unwrap();
///     let mv = san.parse::<San>().unwrap().to_move(&position).unwrap();
///     Motif::of(&position, &[mv])
/// };
/// let back_rank = motif("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8#");
/// let again = motif("2r3k1/8/8/8/8/8/PPP5/1K6 b - - 0 1", "Rc5");
/// let swapped = motif("1k1r4/ppp5/8/8/8/8/5PPP/6K1 b - - 0 1", "Rd1#");
/// assert!(back_rank.similarity(&swapped) > back_rank.similarity(&again));
/// assert_eq!(back_rank.similarity(&back_rank), 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Motif {
    /// The words of each family, sorted, without repeats.
    words: [Vec<u64>; FAMILIES],
}

impl Motif {
    /// The motif of a position whose best line begins with these moves. The line is
    /// read up to its first illegal move.
    pub fn of(position: &Chess, line: &[Move]) -> Motif {
        let mut words = Words::default();
        let view = View::of(position);
        king::note(&view, position.board(), &mut words);
        let mut walk = step::Walk::new(position);
        for &mv in line.iter().take(LONGEST) {
            let Some(step) = walk.next(mv) else { break };
            if step.is_ours() {
                note_our_move(&view, &step, &mut words);
                attack::note(&view, &step, &mut words);
                mate::note(&view, &step, &mut words);
            } else {
                note_reply(&step, &mut words);
            }
        }
        words.into_motif()
    }

    /// How alike two motifs are, in [0, 1]: for each family the shared words over the
    /// geometric mean of their numbers, weighed. A family of which neither has a word
    /// is left out.
    pub fn similarity(&self, other: &Motif) -> f64 {
        let shared = |family: usize| shared(&self.words[family], &other.words[family]);
        similarity(
            &std::array::from_fn(shared),
            &self.counts(),
            &other.counts(),
        )
    }

    /// For each family the shared words over the geometric mean of their numbers. `None` for a
    /// family of which neither has a word.
    pub(crate) fn agreements(&self, other: &Motif) -> [Option<f64>; FAMILIES] {
        std::array::from_fn(|family| {
            let (one, two) = (&self.words[family], &other.words[family]);
            let numbers = (one.len() * two.len()) as f64;
            match one.is_empty() && two.is_empty() {
                true => None,
                false => Some(shared(one, two) as f64 / numbers.sqrt().max(1.0)),
            }
        })
    }

    /// The words with the number of their family, in the order of families, sorted.
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let families = self.words.iter().enumerate();
        families.flat_map(|(family, words)| words.iter().map(move |&it| (family, it)))
    }

    /// The number of words of each family.
    pub(crate) fn counts(&self) -> [usize; FAMILIES] {
        std::array::from_fn(|it| self.words[it].len())
    }
}

/// The similarity of two motifs by the numbers of words that they share and have.
pub(crate) fn similarity(
    shared: &[usize; FAMILIES],
    one: &[usize; FAMILIES],
    two: &[usize; FAMILIES],
) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for family in 0..FAMILIES {
        let weight = WEIGHTS[family];
        if one[family] > 0 || two[family] > 0 {
            whole += weight;
        }
        if shared[family] > 0 {
            let numbers = (one[family] * two[family]) as f64;
            sum += weight * shared[family] as f64 / numbers.sqrt();
        }
    }
    if whole > 0.0 { sum / whole } else { 1.0 }
}

/// The similarity of two positions by motifs and looks together. Looks add little where
/// motifs agree; a weight of two fifths was best on the training half of the puzzles.
pub fn blend(motif: f64, looks: f64) -> f64 {
    (motif + LOOKS * looks) / (1.0 + LOOKS)
}

const LOOKS: f64 = 0.4;

/// Moves beyond this ply add nothing to a motif.
const LONGEST: usize = 12;

/// How many words two sorted lists share.
fn shared(one: &[u64], two: &[u64]) -> usize {
    let (mut one, mut two) = (one.iter().peekable(), two.iter().peekable());
    let mut count = 0;
    while let (Some(a), Some(b)) = (one.peek(), two.peek()) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => drop(one.next()),
            std::cmp::Ordering::Greater => drop(two.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                one.next();
                two.next();
            }
        }
    }
    count
}

/// Words as they are noted.
#[derive(Default)]
struct Words([Vec<u64>; FAMILIES]);

impl Words {
    /// Notes a word: a letter that says of what kind it is, and at most seven small
    /// numbers.
    fn note(&mut self, family: Family, kind: char, numbers: &[i32]) {
        debug_assert!(numbers.len() <= 7, "a word has room for seven numbers");
        let letter = kind as u64;
        let pack = |word: u64, &number: &i32| word << 8 | u64::from((number + 32) as u8);
        self.0[family as usize].push(numbers.iter().fold(letter, pack));
    }

    fn into_motif(mut self) -> Motif {
        for words in &mut self.0 {
            words.sort_unstable();
            words.dedup();
        }
        Motif { words: self.0 }
    }
}

fn note_our_move(view: &View, step: &Step, words: &mut Words) {
    let kinds: Vec<i32> = step.our_kinds().iter().map(|&it| i32::from(it)).collect();
    if step.number() < 3 {
        words.note(Family::Shape, 's', &kinds);
    }
    if let Some(captured) = step.mv.capture() {
        words.note(Family::Gain, 'x', &[captured as i32]);
        words.note(Family::Gain, 'b', &[captured as i32, step.role()]);
    }
    if step.is_first() {
        note_first_move(view, step, words);
    }
}

fn note_first_move(view: &View, step: &Step, words: &mut Words) {
    let flag = i32::from;
    let (attacked, defended) = (flag(step.is_attacked), flag(step.is_defended));
    let captured = step.mv.capture().map_or(0, |it| it as i32);
    let role = step.role();
    words.note(Family::Move, 'k', &[i32::from(step.kind())]);
    words.note(Family::Move, 'r', &[role]);
    words.note(Family::Move, 'c', &[captured]);
    let works = [flag(step.after.is_check()), flag(captured > 0), attacked];
    words.note(Family::Move, 'f', &works);
    words.note(Family::Move, 'd', &[attacked, defended]);
    if let Some(promotion) = step.mv.promotion() {
        words.note(Family::Move, 'p', &[promotion as i32]);
    }
    if step.mv.is_castle() || step.mv.is_en_passant() {
        words.note(Family::Move, 's', &[flag(step.mv.is_castle())]);
    }
    let (file, rank) = view.beside_king(step.to);
    let height = view.rank(step.to);
    words.note(Family::Aim, 'o', &[role, file, rank]);
    words.note(Family::Aim, 'h', &[height]);
    words.note(Family::Aim, 'r', &[role, height]);
    words.note(Family::Aim, 'm', &[role, step.length()]);
    words.note(Family::Aim, 'd', &[role, file.max(rank.abs()).min(4)]);
}

fn note_reply(step: &Step, words: &mut Words) {
    let number = step.number();
    let flag = i32::from;
    let (takes, is_king) = (step.retakes, step.mv.role() == shakmaty::Role::King);
    let how = [number, flag(is_king), flag(takes), flag(step.is_forced)];
    words.note(Family::Reply, 'h', &how);
    let captures = flag(step.mv.is_capture());
    words.note(Family::Reply, 'r', &[number, step.role(), captures]);
    if takes {
        words.note(Family::Reply, 's', &[number, step.previous_role]);
        words.note(Family::Reply, 'b', &[step.previous_role, step.role()]);
    }
    if step.balance < 0 {
        words.note(Family::Reply, 'n', &[number]);
        words.note(Family::Reply, 'd', &[step.balance.max(-9)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        played::turn,
        testing::{Dice, random_course},
    };
    use proptest::prelude::*;
    use shakmaty::san::San;
    use tabiya_chess::{Symmetry, position};

    proptest! {
        #[test]
        fn a_motif_is_wholly_like_itself_and_likeness_is_symmetric(one: u64, two: u64) {
            let motif = |seed| { let (position, line) = random_course(&mut Dice::new(seed)); Motif::of(&position, &line) };
            let (one, two) = (motif(one), motif(two));
            prop_assert!((one.similarity(&one) - 1.0).abs() < 1e-12);
            prop_assert_eq!(one.similarity(&two), two.similarity(&one));
            prop_assert!((0.0..=1.0).contains(&one.similarity(&two)));
        }

        #[test]
        fn turned_positions_have_the_same_motif(seed: u64) {
            let (position, line) = random_course(&mut Dice::new(seed));
            for symmetry in Symmetry::ALL {
                let can_castle = position.castles().any();
                let Some(turned) = turn(&position, symmetry).filter(|_| !(symmetry.mirrors() && can_castle)) else { continue };
                let moves: Vec<Move> = line.iter().map(|&it| symmetry.mv(it)).collect();
                prop_assert_eq!(Motif::of(&turned, &moves), Motif::of(&position, &line));
            }
        }
    }

    fn motif(fen: &str, line: &str) -> Motif {
        let start = position::parse(fen).unwrap();
        let (mut here, mut moves) = (start.clone(), Vec::new());
        for word in line.split(' ') {
            let mv = word.parse::<San>().unwrap().to_move(&here).unwrap();
            moves.push(mv);
            here.play_unchecked(mv);
        }
        Motif::of(&start, &moves)
    }

    #[test]
    fn mates_of_one_kind_are_more_alike_than_mates_of_two() {
        let smothered = motif("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "Nf7");
        let other_side = motif("kr6/pp6/8/3N4/8/8/8/6K1 w - - 0 1", "Nc7");
        let back_rank = motif("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8");
        assert!(smothered.similarity(&other_side) > smothered.similarity(&back_rank) + 0.2);
    }

    #[test]
    fn an_illegal_line_is_read_as_far_as_it_goes() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let start = position::parse(fen).unwrap();
        let mv = "Rd7".parse::<San>().unwrap().to_move(&start).unwrap();
        assert_eq!(Motif::of(&start, &[mv, mv]), Motif::of(&start, &[mv]));
        let quiet = Motif::of(&start, &[]);
        assert!(quiet.similarity(&Motif::of(&start, &[mv])) > 0.0);
    }
}
