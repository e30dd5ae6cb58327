//! A player over many games: mistakes by motif, phase and opening, openings by score, and where
//! the repertoire was left.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use shakmaty::{Chess, Color, EnPassantMode, Position, fen::Epd};
use tabiya_chess::{Game, opening::Opening};
use tabiya_question::{
    review::{Answer, Moment, Review},
    shape::structure_names,
};
use tabiya_terminal::style::{FAINT, PLAIN, STRONG};

/// What is known of a player.
#[derive(Default, Serialize)]
pub(super) struct Profile {
    /// The number of games.
    games: usize,
    /// The number of the player's moves.
    moves: usize,
    /// The mean loss of winning chances a move.
    mean_loss: f64,
    /// Mistakes by what they are about.
    motifs: BTreeMap<String, Group>,
    /// Mistakes by pawn structure.
    structures: BTreeMap<String, Group>,
    /// Mistakes by phase.
    phases: BTreeMap<String, Group>,
    /// Mistakes by opening.
    openings: BTreeMap<String, Group>,
    /// Results by opening and color.
    scores: BTreeMap<String, Score>,
    /// Where the repertoire was left first.
    departures: BTreeMap<String, Score>,
    /// The same mistakes of players with the same rating, for 100 moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Box<Profile>>,
}

/// Mistakes of one kind.
#[derive(Clone, Default, Serialize)]
struct Group {
    count: usize,
    /// The winning chances that they cost.
    cost: f64,
    /// The dearest: the cost and the moment.
    examples: Vec<(f64, String)>,
}

/// Games and points.
#[derive(Default, Serialize)]
struct Score {
    games: usize,
    points: f64,
}

/// How many examples of a kind are kept.
const EXAMPLES: usize = 3;

/// The moves of a repertoire by position.
#[derive(Default)]
pub(super) struct Repertoire(HashMap<String, BTreeSet<String>>);

impl Repertoire {
    /// The moves of games and of their variations.
    pub(super) fn new(games: &[Game]) -> Repertoire {
        let mut moves = Repertoire::default();
        for game in games {
            moves.add(game, &game.moves);
            for variation in game.variations() {
                moves.add(game, &variation.moves);
            }
        }
        moves
    }

    fn add(&mut self, game: &Game, line: &[tabiya_chess::CompactMove]) {
        for (position, mv) in game.positions_along(line).zip(line) {
            let moves = self.0.entry(key(&position)).or_default();
            moves.insert(format!("{:?}", mv.to_bits()));
        }
    }

    /// The first move of a game that the repertoire does not have in a position that it has.
    fn departure(&self, game: &Game) -> Option<(usize, Chess)> {
        let mut places = game.positions().zip(&game.moves).enumerate();
        places.find_map(|(ply, (position, mv))| {
            let known = self.0.get(&key(&position))?;
            let is_left = !known.contains(&format!("{:?}", mv.to_bits()));
            is_left.then_some((ply, position))
        })
    }
}

/// A position without its counters.
fn key(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

impl Profile {
    /// Adds a reviewed game of a player.
    pub(super) fn add(
        &mut self,
        review: &Review,
        answer: &Answer,
        repertoire: Option<&Repertoire>,
    ) {
        let Some(side) = side(review) else { return };
        let balance = &answer.players[usize::from(side == Color::Black)];
        let losses = self.mean_loss * self.moves as f64 + balance.mean_loss * balance.moves as f64;
        self.games += 1;
        self.moves += balance.moves;
        self.mean_loss = losses / self.moves.max(1) as f64;
        let opening = opening(&review.game);
        for moment in &answer.moments {
            let place = format!(
                "{} in {} – {} ({})",
                moment.played, answer.game.white, answer.game.black, answer.game.date
            );
            for motif in subjects(moment) {
                note(&mut self.motifs, motif, moment, &place);
            }
            note(
                &mut self.phases,
                phase(&moment.fen.0).to_owned(),
                moment,
                &place,
            );
            note(&mut self.openings, opening.clone(), moment, &place);
            for structure in structure_names(&moment.fen.0) {
                note(&mut self.structures, structure, moment, &place);
            }
        }
        let points = points(&answer.game.result, side);
        let color = side.fold_wb("White", "Black");
        count(&mut self.scores, format!("{color}: {opening}"), points);
        if let Some((ply, position)) = repertoire.and_then(|it| it.departure(&review.game)) {
            let who = if position.turn() == side {
                "left by you"
            } else {
                "left by the opponent"
            };
            let number = ply / 2 + 1;
            count(
                &mut self.departures,
                format!("{opening}, move {number}, {who}"),
                points,
            );
        }
    }

    pub(super) fn compare(&mut self, reference: Profile) {
        self.reference = Some(Box::new(reference));
    }

    pub(super) fn print(&self) {
        say!(
            "{STRONG}{} games, {} moves{PLAIN}, {:.1} % of the winning chances lost a move",
            self.games,
            self.moves,
            50.0 * self.mean_loss
        );
        let reference = self.reference.as_deref();
        for (title, groups, theirs) in [
            (
                "mistakes by motif",
                &self.motifs,
                reference.map(|it| &it.motifs),
            ),
            (
                "mistakes by phase",
                &self.phases,
                reference.map(|it| &it.phases),
            ),
            (
                "mistakes by structure",
                &self.structures,
                reference.map(|it| &it.structures),
            ),
            ("mistakes by opening", &self.openings, None),
        ] {
            if groups.is_empty() {
                continue;
            }
            say!("\n{STRONG}{title}{PLAIN}");
            let mut rows: Vec<_> = groups.iter().collect();
            rows.sort_by(|one, two| two.1.cost.total_cmp(&one.1.cost));
            for (name, group) in rows.into_iter().take(12) {
                let theirs = theirs.and_then(|it| reference.map(|all| all.rate(it.get(name))));
                print_group(name, group, self.rate(Some(group)), theirs);
            }
        }
        print_scores("results by opening", &self.scores);
        if !self.departures.is_empty() {
            print_scores("where the repertoire was left", &self.departures);
        }
    }

    /// How many in 100 moves.
    fn rate(&self, group: Option<&Group>) -> f64 {
        100.0 * group.map_or(0, |it| it.count) as f64 / self.moves.max(1) as f64
    }
}

fn print_group(name: &str, group: &Group, rate: f64, theirs: Option<f64>) {
    let compared = theirs.map_or(String::new(), |it| {
        format!(" (players of your rating: {it:.2})")
    });
    say!(
        "{name:<28} {:>4} × {FAINT}cost {:.1} games, {rate:.2} in 100 moves{compared}{PLAIN}",
        group.count,
        group.cost / 2.0
    );
    for (_, place) in &group.examples {
        say!("    {FAINT}{place}{PLAIN}");
    }
}

fn print_scores(title: &str, scores: &BTreeMap<String, Score>) {
    say!("\n{STRONG}{title}{PLAIN}");
    let mut rows: Vec<_> = scores.iter().collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.1.games));
    for (name, score) in rows.into_iter().take(12) {
        let share = 100.0 * score.points / score.games.max(1) as f64;
        say!("{name:<48} {:>4} games, {share:.0} %", score.games);
    }
}

fn note(groups: &mut BTreeMap<String, Group>, name: String, moment: &Moment, place: &str) {
    let group = groups.entry(name).or_default();
    group.count += 1;
    group.cost += moment.loss;
    group.examples.push((moment.loss, place.to_owned()));
    group.examples.sort_by(|one, two| two.0.total_cmp(&one.0));
    group.examples.truncate(EXAMPLES);
}

fn count(scores: &mut BTreeMap<String, Score>, name: String, points: Option<f64>) {
    let Some(points) = points else { return };
    let score = scores.entry(name).or_default();
    score.games += 1;
    score.points += points;
}

/// The side of the player under review.
pub(super) fn side(review: &Review) -> Option<Color> {
    let part = review.player.as_ref()?.to_lowercase();
    let tags = &review.game.tags;
    let names = [(Color::White, &tags.white), (Color::Black, &tags.black)];
    let found = names
        .into_iter()
        .find(|it| it.1.to_lowercase().contains(&part));
    found.map(|it| it.0)
}

/// What a mistake is about.
fn subjects(moment: &Moment) -> Vec<String> {
    let general = |it: &String| match it.strip_prefix("mate in ") {
        Some(_) => "a mate".to_owned(),
        None => it.clone(),
    };
    let missed = moment
        .missed
        .iter()
        .map(|it| format!("missed {}", general(it)));
    let allowed = moment
        .allowed
        .iter()
        .map(|it| format!("allowed {}", general(it)));
    let subjects: BTreeSet<String> = missed.chain(allowed).collect();
    match subjects.is_empty() {
        true => vec!["no named motif".to_owned()],
        false => subjects.into_iter().collect(),
    }
}

/// Opening up to move ten; ending with at most six pieces beside kings and pawns.
fn phase(position: &Chess) -> &'static str {
    let board = position.board();
    let pieces = (board.occupied() & !board.pawns() & !board.kings()).count();
    match pieces {
        0..=6 => "ending",
        _ if position.fullmoves().get() <= 10 => "opening",
        _ => "middlegame",
    }
}

/// The last opening that the game has the named position of.
fn opening(game: &Game) -> String {
    let named = game
        .positions()
        .take(40)
        .filter_map(|it| Opening::of(&it))
        .last();
    named.map_or("unnamed opening".to_owned(), |it| {
        let family = it.name().split([':', ',']).next().unwrap_or(it.name());
        family.to_owned()
    })
}

/// The points of a side; `None` if the result is unknown.
fn points(result: &str, side: Color) -> Option<f64> {
    match (result, side) {
        ("1-0", Color::White) | ("0-1", Color::Black) => Some(1.0),
        ("1-0", _) | ("0-1", _) => Some(0.0),
        ("1/2-1/2", _) => Some(0.5),
        _ => None,
    }
}
