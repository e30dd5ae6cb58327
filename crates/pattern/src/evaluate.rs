//! The exact meaning of a program: which positions of a game it matches.

use shakmaty::{Board, Position, Square};

use crate::{
    geometry,
    program::{Each, Number, Place, PositionOf, Program, Set, Truth, Value, Words},
    syntax::{GameResult, Operator, PinPart, Tag},
    track::{Scoresheet, Track, piece_of},
};

mod motion;
mod sequence;

/// How many filters may be looked at in one game.
const MOST_WORK: u64 = 50_000_000;

/// A query that takes too long on one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the query looks at too many filters in one game; bound its lines with {{2,9}} instead of *, nest fewer finds"
)]
pub struct TooMuchWork;

/// What a game has to do with a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The plies of the positions that match, in order.
    pub plies: Vec<usize>,
    /// The value of each key that games are sorted by.
    pub sorts: Vec<Option<i64>>,
    /// Comments and the plies they are made at.
    pub comments: Vec<(usize, String)>,
}

/// Looks at games, one after the other, in the same memory.
#[derive(Debug)]
pub struct Evaluator<'p> {
    program: &'p Program,
    state: State,
}

impl<'p> Evaluator<'p> {
    /// An evaluator of a program.
    pub fn new(program: &'p Program) -> Evaluator<'p> {
        Evaluator {
            program,
            state: State::default(),
        }
    }

    /// Begins another game.
    pub fn begin(&mut self, sheet: &dyn Scoresheet) {
        self.state.begin(self.program, sheet.plies());
    }

    /// Whether a position of the game matches, which [`Evaluator::begin`] has begun.
    ///
    /// # Errors
    ///
    /// When it takes too long.
    pub fn matches_at(&mut self, sheet: &dyn Scoresheet, ply: usize) -> Result<bool, TooMuchWork> {
        // A damaged game may have fewer moves than its record says.
        if ply > sheet.plies() {
            return Ok(false);
        }
        // Variables begin without a value, so that a position depends on no other that was looked at.
        self.state.variables.fill(Slot::Nothing);
        let mut look = Look {
            sheet,
            state: &mut self.state,
        };
        let found = look.truth(&self.program.root, ply);
        match self.state.work > MOST_WORK {
            true => Err(TooMuchWork),
            false => Ok(found),
        }
    }

    /// The positions of a whole game that match.
    ///
    /// # Errors
    ///
    /// When it takes too long.
    pub fn matches(&mut self, sheet: &dyn Scoresheet) -> Result<Matches, TooMuchWork> {
        self.begin(sheet);
        let mut plies = Vec::new();
        for ply in 0..=sheet.plies() {
            if self.matches_at(sheet, ply)? {
                plies.push(ply);
            }
        }
        Ok(Matches {
            plies,
            sorts: self.sorts().to_vec(),
            comments: self.take_comments(),
        })
    }

    /// The board at a ply of the game, which [`Evaluator::begin`] has begun; an empty one if there is no such ply.
    pub fn board(&mut self, sheet: &dyn Scoresheet, ply: usize) -> Board {
        match ply <= sheet.plies() {
            true => self.state.track.moment(sheet, ply).board(),
            false => Board::empty(),
        }
    }

    /// The values of the keys that games are sorted by.
    pub fn sorts(&self) -> &[Option<i64>] {
        &self.state.sorts
    }

    /// The comments so far.
    pub fn take_comments(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.state.comments)
    }
}

/// The value of a variable.
#[derive(Clone, Copy, Debug, Default)]
enum Slot {
    #[default]
    Nothing,
    Set(u64),
    Piece(u8),
    Number(Option<i64>),
    Position(Option<usize>),
}

#[derive(Debug, Default)]
struct State {
    track: Track,
    variables: Vec<Slot>,
    /// For each filter that is looked at once, by position: 0 not yet, 1 false, 2 true.
    once: Vec<u8>,
    /// For each line with a ban, the last position of its last match.
    nest_bans: Vec<Option<usize>>,
    sorts: Vec<Option<i64>>,
    sort_least: Vec<bool>,
    comments: Vec<(usize, String)>,
    work: u64,
}

impl State {
    fn begin(&mut self, program: &Program, plies: usize) {
        self.track.reset(plies);
        self.variables.clear();
        self.variables.resize(program.variables, Slot::Nothing);
        self.once.clear();
        self.once.resize(program.once * (plies + 1), 0);
        self.nest_bans.clear();
        self.nest_bans.resize(program.nest_bans, None);
        self.sorts.clear();
        self.sorts.resize(program.sorts.len(), None);
        self.sort_least.clear();
        self.sort_least
            .extend(program.sorts.iter().map(|it| it.least));
        self.comments.clear();
        self.work = 0;
    }
}

/// A look at one game.
struct Look<'a> {
    sheet: &'a dyn Scoresheet,
    state: &'a mut State,
}

impl Look<'_> {
    fn last(&self) -> usize {
        self.sheet.plies()
    }

    fn moment(&mut self, ply: usize) -> crate::track::Moment {
        *self.state.track.moment(self.sheet, ply)
    }

    fn turn(&self, ply: usize) -> shakmaty::Color {
        let first = self.sheet.first_turn();
        if ply.is_multiple_of(2) { first } else { !first }
    }

    /// The position at another place of the game.
    fn place(&self, place: Place, ply: usize) -> Option<usize> {
        match place {
            Place::Parent => ply.checked_sub(1),
            Place::Child => Some(ply + 1).filter(|&it| it <= self.last()),
            Place::First => Some(0),
            Place::Variable(variable) => match self.state.variables[variable] {
                Slot::Position(position) => position,
                _ => None,
            },
        }
    }

    fn truth(&mut self, truth: &Truth, ply: usize) -> bool {
        self.state.work += 1;
        if self.state.work > MOST_WORK {
            return false;
        }
        match truth {
            Truth::Always(value) => *value,
            Truth::Some(set) => self.set(set, ply) != 0,
            Truth::Has(number) => self.number(number, ply).is_some(),
            Truth::All(all) => all.iter().all(|it| self.truth(it, ply)),
            Truth::Any(all) => all.iter().any(|it| {
                let moment = self.state.track.moment(self.sheet, ply);
                can_hold(it, moment) && self.truth(it, ply)
            }),
            Truth::AnyOfAll(all) => all.iter().fold(false, |any, it| self.truth(it, ply) | any),
            Truth::Not(it) => !self.truth(it, ply),
            Truth::Compare(Number::CountMoves(motion), by, Number::Integer(number))
                if let Some(holds) = self.compare_moves(motion, *by, *number, ply) =>
            {
                holds
            }
            Truth::Compare(one, by, two) => {
                let one = self.number(one, ply);
                let two = self.number(two, ply);
                one.zip(two).is_some_and(|(one, two)| by.holds(one, two))
            }
            Truth::Equal(one, two) => self.set(one, ply) == self.set(two, ply),
            Truth::Turn(color) => self.turn(ply) == *color,
            Truth::Check => {
                let turn = self.turn(ply);
                geometry::in_check(self.state.track.moment(self.sheet, ply), turn)
            }
            // A position that was played on from has a legal move.
            Truth::Mate => {
                ply == self.last() && self.truth(&Truth::Check, ply) && self.is_stuck(ply)
            }
            Truth::Stalemate => {
                ply == self.last() && !self.truth(&Truth::Check, ply) && self.is_stuck(ply)
            }
            Truth::Initial => ply == 0,
            Truth::Terminal => ply == self.last(),
            Truth::Tag(tag, text) => self.tag(*tag, text),
            Truth::Result(result) => self.result() == Some(*result),
            Truth::Moved(motion) => self.moved(motion, ply).is_some(),
            Truth::At(place, it) => {
                let there = self.place(*place, ply);
                there.is_some_and(|there| self.truth(it, there))
            }
            Truth::Every(each) => {
                let within = self.set(&each.within, ply);
                geometry::squares(within).all(|it| self.holds_for(each, it, ply))
            }
            Truth::Find {
                backward,
                times: None,
                what,
            } => match backward {
                false => (ply..=self.last()).any(|it| self.truth(what, it)),
                true => (0..=ply).rev().any(|it| self.truth(what, it)),
            },
            Truth::Find {
                backward,
                times: Some((least, most)),
                what,
            } => {
                let count = self.count(*backward, what, ply);
                (u64::from(*least)..=u64::from(*most)).contains(&count)
            }
            Truth::Assign(variable, value) => {
                let slot = self.value(value, ply);
                self.state.variables[*variable] = slot;
                true
            }
            Truth::Comment(words) => {
                let text = words.iter().map(|it| self.words(it, ply)).collect();
                self.state.comments.push((ply, text));
                true
            }
            Truth::Once(place, it) => {
                let at = place * (self.last() + 1) + ply;
                if self.state.once[at] == 0 {
                    self.state.once[at] = 1 + u8::from(self.truth(it, ply));
                }
                self.state.once[at] == 2
            }
        }
    }

    /// How often something is found from here on.
    fn count(&mut self, backward: bool, what: &Truth, ply: usize) -> u64 {
        let plies = if backward { 0..=ply } else { ply..=self.last() };
        plies.filter(|&it| self.truth(what, it)).count() as u64
    }

    fn is_stuck(&mut self, ply: usize) -> bool {
        let chess = self.state.track.chess(self.sheet, ply);
        chess.is_some_and(|it| it.legal_moves().is_empty())
    }

    fn set(&mut self, set: &Set, ply: usize) -> u64 {
        match set {
            Set::Squares(squares) => squares.0,
            Set::Pieces(kinds, squares) => {
                self.state.track.moment(self.sheet, ply).pieces(*kinds) & squares.0
            }
            Set::Variable(variable) => match self.state.variables[*variable] {
                Slot::Set(set) => set,
                _ => 0,
            },
            Set::Piece(variable) => match self.state.variables[*variable] {
                Slot::Piece(piece) => self.state.track.place_of(self.sheet, piece, ply),
                // A loop that looks at one position only.
                Slot::Set(set) => set,
                _ => 0,
            },
            Set::Union(all) => all.iter().fold(0, |union, it| union | self.set(it, ply)),
            Set::Intersection(all) => {
                let mut common = !0;
                for it in all {
                    common &= self.set(it, ply);
                    if common == 0 {
                        break;
                    }
                }
                common
            }
            Set::Complement(it) => !self.set(it, ply),
            Set::Attacks(one, two) => {
                let (one, two) = (self.set(one, ply), self.set(two, ply));
                if one == 0 || two == 0 {
                    return 0;
                }
                geometry::attackers(self.state.track.moment(self.sheet, ply), one, two)
            }
            Set::AttackedBy(one, two) => {
                let (one, two) = (self.set(one, ply), self.set(two, ply));
                if one == 0 || two == 0 {
                    return 0;
                }
                geometry::attacked(self.state.track.moment(self.sheet, ply), one, two)
            }
            Set::Direction(direction, least, most, of) => {
                geometry::direction(*direction, *least, *most, self.set(of, ply))
            }
            Set::Ray(ray) => {
                let mut sets = [0; 8];
                let count = ray.sets.len().min(8);
                for (place, set) in sets.iter_mut().zip(&ray.sets) {
                    *place = self.set(set, ply);
                    if *place == 0 {
                        return 0;
                    }
                }
                let moment = self.state.track.moment(self.sheet, ply);
                let (first, last) =
                    geometry::ray(moment, ray.attacks, ray.directions, &sets[..count]);
                if ray.first { first } else { last }
            }
            Set::Between(one, two) => geometry::between(self.set(one, ply), self.set(two, ply)),
            Set::Pin(pin) => {
                let mut part = |it: &Option<Set>| it.as_ref().map(|it| self.set(it, ply));
                let (from, through, to) = (part(&pin.from), part(&pin.through), part(&pin.to));
                let moment = self.state.track.moment(self.sheet, ply);
                let kings = moment.kind(5) | moment.kind(11);
                let all = |it: Option<u64>| it.unwrap_or(!0);
                let value: PinPart = pin.value;
                geometry::pin(moment, all(from), all(through), to.unwrap_or(kings), value)
            }
            Set::Pawns(kind) => geometry::pawns(self.state.track.moment(self.sheet, ply), *kind),
            Set::Each(each) => {
                let within = self.set(&each.within, ply);
                let held = geometry::squares(within).filter(|&it| self.holds_for(each, it, ply));
                held.fold(0, |all, it| all | 1 << it as u32)
            }
            Set::Legal(motion) => self.legal_targets(motion, ply),
            Set::Moved(motion) => self.moved(motion, ply).unwrap_or(0),
            Set::At(place, it) => {
                let there = self.place(*place, ply);
                there.map_or(0, |there| self.set(it, there))
            }
            Set::If(truth, set) => match self.truth(truth, ply) {
                true => self.set(set, ply),
                false => 0,
            },
        }
    }

    /// Whether the body of a loop holds for a square. Outside, its variable is what it was before.
    fn holds_for(&mut self, each: &Each, square: Square, ply: usize) -> bool {
        let slot = match each.piece {
            false => Slot::Set(1 << square as u32),
            true => match self.state.track.piece_on(self.sheet, square as u32, ply) {
                Some(piece) => Slot::Piece(piece),
                None => return false,
            },
        };
        let before = std::mem::replace(&mut self.state.variables[each.variable], slot);
        let holds = self.truth(&each.body, ply);
        self.state.variables[each.variable] = before;
        holds
    }

    fn number(&mut self, number: &Number, ply: usize) -> Option<i64> {
        Some(match number {
            Number::Integer(number) => *number,
            Number::Count(set) => self.set(set, ply).count_ones().into(),
            Number::Power(set) => {
                let set = self.set(set, ply);
                let moment = self.state.track.moment(self.sheet, ply);
                let power = |kind: usize| POWER[kind % 6] * (moment.kind(kind) & set).count_ones();
                (0..12).map(power).sum::<u32>().into()
            }
            Number::Rank(set) => i64::from(self.only(set, ply)? / 8 + 1),
            Number::File(set) => i64::from(self.only(set, ply)? % 8 + 1),
            Number::Ply => ply as i64,
            Number::MoveNumber => ply as i64 / 2 + 1,
            Number::Year => match self.state.track.tags(self.sheet).date.year {
                0 => return None,
                year => year.into(),
            },
            Number::Elo(color) => {
                let tags = self.state.track.tags(self.sheet);
                let elo = match color {
                    Some(color) => tags.elo(*color),
                    None => tags.white_elo.max(tags.black_elo),
                };
                elo?.into()
            }
            Number::Arithmetic(operator, one, two) => {
                let one = self.number(one, ply)?;
                let two = self.number(two, ply)?;
                match operator {
                    Operator::Add => one.checked_add(two)?,
                    Operator::Subtract => one.checked_sub(two)?,
                    Operator::Multiply => one.checked_mul(two)?,
                    Operator::Divide => one.checked_div(two)?,
                    Operator::Remainder => one.checked_rem(two)?,
                }
            }
            Number::Absolute(it) => self.number(it, ply)?.saturating_abs(),
            Number::Variable(variable) => match self.state.variables[*variable] {
                Slot::Number(number) => number?,
                _ => return None,
            },
            Number::Sequence(sequence) => self.length(sequence, ply)? as i64,
            Number::FindAll { backward, what } => match self.count(*backward, what, ply) {
                0 => return None,
                count => count as i64,
            },
            Number::CountMoves(motion) => self.count_legal(motion, ply),
            Number::Sort(place, it) => {
                let value = self.number(it, ply)?;
                let known = &mut self.state.sorts[*place];
                let better = known.is_none_or(|it| match self.state.sort_least[*place] {
                    true => value < it,
                    false => value > it,
                });
                if better {
                    *known = Some(value);
                }
                value
            }
            Number::Greatest(all) => {
                let mut greatest = None;
                for it in all {
                    greatest = greatest.max(self.number(it, ply));
                }
                greatest?
            }
            Number::At(place, it) => {
                let there = self.place(*place, ply)?;
                self.number(it, there)?
            }
            Number::If(truth, it) => match self.truth(truth, ply) {
                true => self.number(it, ply)?,
                false => return None,
            },
        })
    }

    /// The only square of a set.
    fn only(&mut self, set: &Set, ply: usize) -> Option<u32> {
        let set = self.set(set, ply);
        (set.count_ones() == 1).then(|| set.trailing_zeros())
    }

    fn value(&mut self, value: &Value, ply: usize) -> Slot {
        match value {
            Value::Set(set) => Slot::Set(self.set(set, ply)),
            Value::Piece(set) => {
                let square = self.only(set, ply);
                let piece = square.and_then(|it| self.state.track.piece_on(self.sheet, it, ply));
                piece.map_or(Slot::Nothing, Slot::Piece)
            }
            Value::Number(number) => Slot::Number(self.number(number, ply)),
            Value::Truth(_) => Slot::Nothing,
            Value::Position(position) => Slot::Position(match position {
                PositionOf::Here => Some(ply),
                PositionOf::Variable(variable) => match self.state.variables[*variable] {
                    Slot::Position(position) => position,
                    _ => None,
                },
                PositionOf::End(sequence) => self.end(sequence, ply),
            }),
        }
    }

    fn tag(&mut self, tag: Tag, text: &str) -> bool {
        let tags = self.state.track.tags(self.sheet);
        let others = |name: &str| tags.others.iter().find(|it| it.0 == name);
        match tag {
            Tag::Player(color) => {
                let white = color.is_none_or(|it| it.is_white()) && tags.white.contains(text);
                white || color.is_none_or(|it| it.is_black()) && tags.black.contains(text)
            }
            Tag::Event => tags.event.contains(text),
            Tag::Site => tags.site.contains(text),
            // The text of the source, if a writer would spell it in another way.
            Tag::Date => match others("Date") {
                Some((_, date)) => date.contains(text),
                None => tags.date.to_string().contains(text),
            },
            Tag::Eco => match others("ECO") {
                Some((_, eco)) => eco.contains(text),
                None => tags.eco.is_some_and(|it| it.to_string().contains(text)),
            },
        }
    }

    fn result(&mut self) -> Option<GameResult> {
        use shakmaty::{KnownOutcome, Outcome};
        match self.state.track.tags(self.sheet).result {
            Outcome::Known(KnownOutcome::Draw) => Some(GameResult::Draw),
            Outcome::Known(KnownOutcome::Decisive { winner }) => {
                Some(winner.fold_wb(GameResult::WhiteWins, GameResult::BlackWins))
            }
            Outcome::Unknown => None,
        }
    }

    fn words(&mut self, words: &Words, ply: usize) -> String {
        match words {
            Words::Text(text) => text.clone(),
            Words::Number(number) => {
                let number = self.number(number, ply);
                number.map_or(String::new(), |it| it.to_string())
            }
            Words::Set(set) => {
                let set = self.set(set, ply);
                let moment = self.moment(ply);
                let name = |square: Square| {
                    let kind = (0..12).find(|&it| moment.kind(it) >> square as u32 & 1 == 1);
                    match kind {
                        Some(kind) => format!("{}{square}", piece_of(kind).char()),
                        None => square.to_string(),
                    }
                };
                let names: Vec<String> = geometry::squares(set).map(name).collect();
                names.join(" ")
            }
        }
    }
}

/// Whether the pieces that a filter names first stand where it wants them. Most variants of a transform fail here.
fn can_hold(truth: &Truth, moment: &crate::track::Moment) -> bool {
    let stands = |truth: &Truth| match truth {
        Truth::Some(Set::Pieces(kinds, squares)) => Some(moment.pieces(*kinds) & squares.0 != 0),
        _ => None,
    };
    match truth {
        Truth::All(all) => all.iter().map_while(stands).all(|it| it),
        _ => stands(truth).unwrap_or(true),
    }
}

/// The values of pawn to king.
const POWER: [u32; 6] = [1, 3, 3, 5, 9, 0];

/// The order of two games by the keys of a query; games without a value come last.
pub fn order(
    keys: &[crate::program::SortKey],
    one: &[Option<i64>],
    two: &[Option<i64>],
) -> std::cmp::Ordering {
    let mut each = keys.iter().zip(one.iter().zip(two));
    each.try_fold((), |(), (key, (one, two))| {
        let by_value = match (one, two) {
            (Some(one), Some(two)) if key.least => one.cmp(two),
            (Some(one), Some(two)) => two.cmp(one),
            _ => two.is_some().cmp(&one.is_some()),
        };
        if by_value.is_eq() {
            Ok(())
        } else {
            Err(by_value)
        }
    })
    .err()
    .unwrap_or(std::cmp::Ordering::Equal)
}
