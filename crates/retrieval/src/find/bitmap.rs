//! The windows of a clue, as a bitmap.

use std::collections::HashMap;

use shakmaty::{Bitboard, Board, Color, Role};
use tabiya_chess::Ply;
use tabiya_pattern::{
    program::{Number, Truth},
    syntax::{GameResult, Kinds, Operator, Tag},
};

use super::{
    clue::{Clue, Members, can_hold, pieces, relations},
    plan::about_to_promote,
};
use crate::{
    index::{GameIndex, GameRecord, WINDOW, Windows},
    term::{Family, Term},
};

/// Windows, one bit each.
pub(super) type Bitmap = Vec<u64>;

/// The lines of a segment as clues see them: games, or variations.
pub(super) struct Lines<'a> {
    windows: Windows<'a>,
    /// The records of the lines, which every step asks for.
    records: Vec<GameRecord>,
    /// The games that hold the tags of the lines.
    tags_of: Vec<GameIndex>,
    games: &'a Windows<'a>,
    /// The windows that a line begins with.
    first: Bitmap,
    /// Those of lines that have positions before.
    open: Bitmap,
    places: HashMap<usize, Bitmap>,
    /// Windows with a pawn about to promote.
    promoting: Option<Bitmap>,
    /// The pieces on the first boards of windows, once they are asked for.
    counts: Vec<Option<[u8; 12]>>,
    /// The pieces at the end of the last windows of lines.
    ends: Vec<Option<[u8; 12]>>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        windows: Windows<'a>,
        games: &'a Windows<'a>,
        game_of: impl Fn(GameIndex) -> GameIndex,
    ) -> Lines<'a> {
        let words = windows.postings.words();
        let (mut first, mut open) = (vec![0; words], vec![0; words]);
        let records: Vec<GameRecord> = windows.indices().map(|it| windows.record(it)).collect();
        let mut at = 0;
        for record in &records {
            let count = record.windows();
            if count > 0 {
                set(&mut first, at);
                if record.first_ply > Ply::FIRST {
                    set(&mut open, at);
                }
            }
            at += count;
        }
        Lines {
            tags_of: windows.indices().map(game_of).collect(),
            records,
            windows,
            games,
            first,
            open,
            places: HashMap::new(),
            promoting: None,
            counts: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The records of the lines, in order.
    pub(super) fn records(&self) -> &[GameRecord] {
        &self.records
    }

    /// The games that hold the tags of the lines.
    pub(super) fn games(&self) -> &'a Windows<'a> {
        self.games
    }

    /// The game that has the tags of a line.
    pub(super) fn game_of(&self, line: GameIndex) -> GameIndex {
        self.tags_of[usize::from(line)]
    }

    /// All windows.
    pub(super) fn all(&self) -> Bitmap {
        let windows = self.windows.summary.windows as usize;
        let mut all = vec![!0; self.windows.postings.words()];
        if let Some(last) = all.last_mut()
            && !windows.is_multiple_of(64)
        {
            *last = (1 << (windows % 64)) - 1;
        }
        all
    }

    /// The windows among some that have what a clue asks.
    pub(super) fn of(&mut self, clue: &Clue, among: &Bitmap) -> Bitmap {
        if is_empty(among) {
            return among.clone();
        }
        match clue {
            Clue::All => among.clone(),
            Clue::None => vec![0; among.len()],
            Clue::AtLeast(count, members) => self.at_least(*count, *members, among),
            Clue::Terms(terms) => {
                let mut any = vec![0; among.len()];
                self.add_terms(terms.iter().copied(), &mut any);
                and(any, among)
            }
            Clue::Reach(kinds, squares) => and(self.reaching(*kinds, *squares), among),
            Clue::Game(truth) => {
                let by_line =
                    self.by_line(|record, games| holds(truth, record, games).unwrap_or(true));
                and(
                    self.windows_of(|line, _| if by_line[line] { All } else { Nothing }),
                    among,
                )
            }
            Clue::Plies(from, to) => {
                let ply = |it: i64| Ply(it.clamp(0, u16::MAX.into()) as u16);
                let (from, to) = (ply(*from), ply(*to));
                and(self.windows_of(|_, _| Within(from, to)), among)
            }
            Clue::First => {
                let mut first = self.first.clone();
                first
                    .iter_mut()
                    .zip(&self.open)
                    .for_each(|(it, open)| *it &= !open);
                and(first, among)
            }
            Clue::Last => and(self.windows_of(|_, _| Last), among),
            Clue::Material(..) => self.material(clue, among),
            Clue::And(all) => {
                let mut left = among.clone();
                for clue in all {
                    left = self.narrow(clue, left);
                }
                left
            }
            Clue::Or(any) => {
                let mut found = vec![0; among.len()];
                let mut left = among.clone();
                for clue in any {
                    let more = self.of(clue, &left);
                    for ((found, left), more) in found.iter_mut().zip(&mut left).zip(more) {
                        *found |= more;
                        *left &= !more;
                    }
                }
                found
            }
            Clue::Near { from, to, of } => {
                let there = self.reach(among, *from, *to);
                let found = self.of(of, &there);
                let mut near = self.reach(&found, -to, -from);
                if *from < 0 {
                    // Nothing is known of positions before a line's first window.
                    or(&mut near, &self.reach(&self.open, 0, -from));
                }
                and(near, among)
            }
            Clue::AtFirst(of) => {
                let first = self.first.clone();
                let mut found = self.of(of, &first);
                or(&mut found, &self.open);
                and(self.fill_forward(found), among)
            }
        }
    }

    /// The windows among some that have what a clue asks, if that is cheaper to find out than to look at them.
    pub(super) fn narrow(&mut self, clue: &Clue, among: Bitmap) -> Bitmap {
        /// Postings that take as long to read as a window takes to look at.
        const POSTINGS_A_WINDOW: u64 = 2;
        let windows = super::count(&among);
        if clue.postings() > windows * POSTINGS_A_WINDOW {
            return among;
        }
        self.of(clue, &among)
    }

    fn place(&mut self, term: Term) -> &Bitmap {
        let windows = &self.windows;
        self.places.entry(term.index()).or_insert_with(|| {
            let mut bitmap = vec![0; windows.postings.words()];
            windows.load_place(term, &mut bitmap);
            bitmap
        })
    }

    fn add_terms(&self, terms: impl Iterator<Item = Term>, any: &mut Bitmap) {
        let mut bitmap = vec![0; any.len()];
        for term in terms {
            if self.windows.postings.load(term.index(), &mut bitmap) {
                or(any, &bitmap);
            }
        }
    }

    /// Windows with evidence on this many squares of a set.
    fn at_least(&mut self, count: u32, members: Members, among: &Bitmap) -> Bitmap {
        if count == 1 {
            let mut any = vec![0; among.len()];
            match members.by {
                None => {
                    for piece in members.pieces() {
                        for square in members.squares {
                            or(&mut any, self.place(Term::place(piece, square)));
                        }
                    }
                }
                Some(by) => {
                    let families = [Family::Attack, Family::Defense];
                    let terms = relations(&families, by, members.kinds, members.squares);
                    self.add_terms(terms.into_iter(), &mut any);
                }
            }
            return and(any, among);
        }
        // A counter of four bits for each window, which stays at its greatest.
        let mut sums = [(); 4].map(|()| vec![0u64; among.len()]);
        for square in members.squares {
            let here = self.at_least(
                1,
                Members {
                    squares: square.into(),
                    ..members
                },
                among,
            );
            for (at, &bits) in here.iter().enumerate() {
                let full = sums.iter().fold(!0, |all, it| all & it[at]);
                let mut carry = bits & !full;
                for sum in &mut sums {
                    let next = sum[at] & carry;
                    sum[at] ^= carry;
                    carry = next;
                }
            }
        }
        let wanted = count.min(15);
        let reached = |at: usize| {
            let (mut greater, mut equal) = (0, !0);
            for bit in (0..4).rev() {
                let plane = sums[bit][at];
                if wanted >> bit & 1 == 1 {
                    equal &= plane;
                } else {
                    greater |= equal & plane;
                    equal &= !plane;
                }
            }
            greater | equal
        };
        let found: Bitmap = (0..among.len()).map(reached).collect();
        and(found, among)
    }

    /// Windows in which one of some pieces attacks one of some squares, empty or not.
    fn reaching(&self, kinds: Kinds, squares: Bitboard) -> Bitmap {
        let mut any = vec![0; self.windows.postings.words()];
        let places = pieces(kinds)
            .flat_map(|piece| squares.into_iter().map(move |it| Term::place(piece, it)));
        self.add_terms(places, &mut any);
        let terms = relations(
            &[Family::Attack, Family::Defense],
            kinds,
            Kinds::PIECES,
            squares,
        );
        self.add_terms(terms.into_iter(), &mut any);
        any
    }

    /// Windows whose first boards allow a comparison of material.
    fn material(&mut self, clue: &Clue, among: &Bitmap) -> Bitmap {
        let Clue::Material(one, by, two) = clue else {
            return among.clone();
        };
        let promoting = match self.promoting.take() {
            Some(known) => known,
            None => {
                let all = self.all();
                let here = self.of(&about_to_promote(), &all);
                // A pawn that promotes in the next window makes its first board unlike the last of this one.
                let mut near = self.reach(&here, -1, 0);
                or(&mut near, &here);
                near
            }
        };
        let mut found = among.clone();
        let verdict = |least: &[u8; 12], most: &[u8; 12]| {
            let (one, two) = (one.range(least, most), two.range(least, most));
            match can_hold(one, *by, two) {
                false => Verdict::Never,
                true if one.0 == one.1 && two.0 == two.1 => Verdict::Always,
                true => Verdict::Perhaps,
            }
        };
        let mut begin = 0;
        for line in 0..self.records.len() {
            let end = begin + self.records[line].windows();
            let mut from = match super::ones_in(among, begin..end).next() {
                Some(first) => first,
                None => end,
            };
            while from < end {
                if get(&promoting, from) {
                    from += 1;
                    continue;
                }
                let promotes = |it: &usize| get(&promoting, *it);
                let to = (from..end).find(promotes).unwrap_or(end);
                self.allow(from..to, &verdict, &mut found);
                from = to;
            }
            begin = end;
        }
        self.promoting = Some(promoting);
        found
    }

    /// Takes those windows out of `found` that a comparison of material rules out. There are no promotions in them, so
    /// that pieces only vanish: what the ends of a run rule out, no window of it has.
    fn allow(
        &mut self,
        run: std::ops::Range<usize>,
        verdict: &impl Fn(&[u8; 12], &[u8; 12]) -> Verdict,
        found: &mut Bitmap,
    ) {
        if run.is_empty() || super::ones_in(found, run.clone()).next().is_none() {
            return;
        }
        let most = self.counts_at(run.start);
        let least = self.counts_after(run.end - 1);
        match verdict(&least, &most) {
            Verdict::Never => run.for_each(|it| unset(found, it)),
            Verdict::Perhaps if run.len() > 1 => {
                let middle = run.start + run.len() / 2;
                self.allow(run.start..middle, verdict, found);
                self.allow(middle..run.end, verdict, found);
            }
            Verdict::Perhaps | Verdict::Always => {}
        }
    }

    /// The pieces after the last move of a window.
    fn counts_after(&mut self, window: usize) -> [u8; 12] {
        let next = window + 1;
        let windows = self.windows.summary.windows as usize;
        if next < windows && !get(&self.first, next) {
            return self.counts_at(next);
        }
        if self.ends.is_empty() {
            self.ends.resize(windows, None);
        }
        match self.ends.get(window) {
            Some(Some(known)) => *known,
            _ => {
                let counts = self.last_counts(window);
                if let Some(end) = self.ends.get_mut(window) {
                    *end = Some(counts);
                }
                counts
            }
        }
    }

    fn counts_at(&mut self, window: usize) -> [u8; 12] {
        if self.counts.is_empty() {
            self.counts
                .resize(self.windows.summary.windows as usize, None);
        }
        let windows = &self.windows;
        match self.counts.get_mut(window) {
            Some(known) => {
                *known.get_or_insert_with(|| windows.first_counts(window).unwrap_or([u8::MAX; 12]))
            }
            None => [u8::MAX; 12],
        }
    }

    /// The pieces on the last board of a line, whose last window this is.
    fn last_counts(&self, window: usize) -> [u8; 12] {
        // Lines without windows share their number with the next one.
        let after = (self.records).partition_point(|it| it.first_window() <= window);
        let Some(record) = after.checked_sub(1).map(|it| &self.records[it]) else {
            return [0; 12];
        };
        let board = self.windows.board_at(record, record.plies);
        board.map_or([0; 12], |it| counts_on(&it))
    }

    fn by_line(&self, is: impl Fn(&GameRecord, &Windows<'_>) -> bool) -> Vec<bool> {
        let each = self.tags_of.iter();
        each.map(|&it| is(&self.games.record(it), self.games))
            .collect()
    }

    /// The windows that lines have by a choice for each.
    fn windows_of(&self, choose: impl Fn(usize, &GameRecord) -> Choice) -> Bitmap {
        let mut found = vec![0; self.windows.postings.words()];
        let mut at = 0;
        for (line, record) in self.records.iter().enumerate() {
            let count = record.windows();
            let range = match choose(line, record) {
                All => 0..count,
                Nothing => 0..0,
                Last => count.saturating_sub(1)..count,
                Within(from, to) => record.windows_of(Some(from), Some(to)),
            };
            for window in range {
                set(&mut found, at + window);
            }
            at += count;
        }
        found
    }

    /// The windows of the same lines between `from` and `to` plies after those of a bitmap.
    fn reach(&self, of: &Bitmap, from: i64, to: i64) -> Bitmap {
        let width = WINDOW as i64;
        let (first, last) = (from.div_euclid(width), (to + width - 1).div_euclid(width));
        let mut found = vec![0; of.len()];
        if first <= 0 && 0 <= last {
            or(&mut found, of);
        }
        if last > 0 {
            or(&mut found, &self.later(of, first.max(1), last));
        }
        if first < 0 {
            or(&mut found, &self.earlier(of, -last.min(-1), -first));
        }
        found
    }

    fn later(&self, of: &Bitmap, from: i64, to: i64) -> Bitmap {
        self.steps(of, from, to, |it| self.next(it), |it| self.fill_forward(it))
    }

    fn earlier(&self, of: &Bitmap, from: i64, to: i64) -> Bitmap {
        self.steps(
            of,
            from,
            to,
            |it| self.previous(it),
            |it| self.fill_backward(it),
        )
    }

    /// The windows that are `from` to `to` steps away.
    fn steps(
        &self,
        of: &Bitmap,
        from: i64,
        to: i64,
        step: impl Fn(&Bitmap) -> Bitmap,
        fill: impl Fn(Bitmap) -> Bitmap,
    ) -> Bitmap {
        /// More steps than this are taken for all that there are.
        const MOST_STEPS: i64 = 16;
        let mut here = of.clone();
        let mut found = vec![0; of.len()];
        for distance in 1..=to.min(MOST_STEPS) {
            here = step(&here);
            if distance >= from.min(MOST_STEPS) {
                if to > MOST_STEPS {
                    return fill(here);
                }
                or(&mut found, &here);
            }
        }
        found
    }

    fn next(&self, of: &Bitmap) -> Bitmap {
        let mut carry = 0;
        let each = of.iter().zip(&self.first);
        each.map(|(&word, first)| {
            let moved = word << 1 | carry;
            carry = word >> 63;
            moved & !first
        })
        .collect()
    }

    fn previous(&self, of: &Bitmap) -> Bitmap {
        let mut moved = vec![0; of.len()];
        let mut carry = 0;
        for at in (0..of.len()).rev() {
            let word = of[at] & !self.first[at];
            moved[at] = word >> 1 | carry;
            carry = word << 63;
        }
        moved
    }

    fn fill_forward(&self, mut of: Bitmap) -> Bitmap {
        let windows = self.windows.summary.windows as usize;
        let mut on = false;
        for window in 0..windows {
            on = (on && !get(&self.first, window)) || get(&of, window);
            if on {
                set(&mut of, window);
            }
        }
        of
    }

    fn fill_backward(&self, mut of: Bitmap) -> Bitmap {
        let mut on = false;
        for window in (0..self.windows.summary.windows as usize).rev() {
            on |= get(&of, window);
            if on {
                set(&mut of, window);
            }
            on &= !get(&self.first, window);
        }
        of
    }
}

/// Whether a comparison holds in a run of windows.
enum Verdict {
    Never,
    Perhaps,
    Always,
}

/// Windows of a line.
enum Choice {
    All,
    Nothing,
    Last,
    Within(Ply, Ply),
}
use Choice::{All, Last, Nothing, Within};

fn set(bitmap: &mut Bitmap, at: usize) {
    if let Some(word) = bitmap.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

fn unset(bitmap: &mut Bitmap, at: usize) {
    if let Some(word) = bitmap.get_mut(at / 64) {
        *word &= !(1 << (at % 64));
    }
}

pub(super) fn get(bitmap: &Bitmap, at: usize) -> bool {
    bitmap
        .get(at / 64)
        .is_some_and(|it| it >> (at % 64) & 1 == 1)
}

fn and(mut one: Bitmap, two: &Bitmap) -> Bitmap {
    one.iter_mut().zip(two).for_each(|(one, two)| *one &= two);
    one
}

fn or(one: &mut Bitmap, two: &Bitmap) {
    one.iter_mut().zip(two).for_each(|(one, two)| *one |= two);
}

fn is_empty(bitmap: &Bitmap) -> bool {
    bitmap.iter().all(|&it| it == 0)
}

fn counts_on(board: &Board) -> [u8; 12] {
    std::array::from_fn(|kind| {
        let piece = Role::ALL[kind % 6].of(Color::from_white(kind < 6));
        board.by_piece(piece).count() as u8
    })
}

/// Whether a filter of tags holds for a game, by its record; `None` if the record does not tell.
fn holds(truth: &Truth, record: &GameRecord, games: &Windows<'_>) -> Option<bool> {
    Some(match truth {
        Truth::Not(it) => !holds(it, record, games)?,
        Truth::Compare(one, by, two) => {
            let values = number(one, record).zip(number(two, record));
            values.is_some_and(|(one, two)| by.holds(one, two))
        }
        Truth::Result(result) => match record.result().known().map(|it| it.winner()) {
            Some(Some(Color::White)) => *result == GameResult::WhiteWins,
            Some(Some(Color::Black)) => *result == GameResult::BlackWins,
            Some(None) => *result == GameResult::Draw,
            None => false,
        },
        Truth::Tag(tag, text) => {
            let has = |it| games.string(it).contains(text.as_str());
            match tag {
                Tag::Player(color) => {
                    color.is_none_or(Color::is_white) && has(record.white)
                        || color.is_none_or(Color::is_black) && has(record.black)
                }
                Tag::Event => has(record.event),
                Tag::Site => has(record.site),
                // The source may spell them in its own way.
                Tag::Date | Tag::Eco if record.has_others() => return None,
                Tag::Date => record.date.to_string().contains(text.as_str()),
                Tag::Eco => record
                    .eco()
                    .is_some_and(|it| it.to_string().contains(text.as_str())),
            }
        }
        _ => return None,
    })
}

/// A number of a game.
fn number(number_of: &Number, record: &GameRecord) -> Option<i64> {
    let known = |it: u16| Some(i64::from(it)).filter(|&it| it > 0);
    match number_of {
        Number::Integer(number) => Some(*number),
        Number::Year => known(record.date.year),
        Number::Elo(color) => match color {
            Some(Color::White) => known(record.white_elo),
            Some(Color::Black) => known(record.black_elo),
            None => known(record.white_elo.max(record.black_elo)),
        },
        Number::Absolute(it) => Some(number(it, record)?.saturating_abs()),
        Number::Arithmetic(operator, one, two) => {
            let (one, two) = (number(one, record)?, number(two, record)?);
            match operator {
                Operator::Add => one.checked_add(two),
                Operator::Subtract => one.checked_sub(two),
                Operator::Multiply => one.checked_mul(two),
                Operator::Divide => one.checked_div(two),
                Operator::Remainder => one.checked_rem(two),
            }
        }
        _ => None,
    }
}
