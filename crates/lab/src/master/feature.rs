//! The features of a move: from search, library and board.

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, uci::UciMove};
use tabiya_chess::exchange::wins_at_least;
use tabiya_chess::{Line, position};
use tabiya_engine::Score;
use tabiya_engine::library::{Library, Recollection, Settings};
use tabiya_engine::search::{Engine, Limits, Signal, Task};
use tabiya_retrieval::Filter;
use tabiya_retrieval::search::SearchError;

use super::{Observation, Observed, Question};

/// The names of the features, in order.
pub(crate) const FEATURES: [&str; 34] = [
    "gap",
    "log gap",
    "best of all lines",
    "choice of the search",
    "log gap at depth 1",
    "best at depth 1",
    "log gap at depth 3",
    "best at depth 3",
    "log gap at depth 5",
    "exact share",
    "log exact share",
    "most played here",
    "share of cases",
    "log share of cases",
    "most of the cases",
    "share of similar",
    "log share of similar",
    "capture",
    "recapture",
    "loses material",
    "check",
    "promotion",
    "castling",
    "pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
    "same piece again",
    "takes its move back",
    "was attacked by less",
    "retreat",
    "to a square a pawn attacks",
];

/// The features that come from the library.
pub(crate) const MEMORY_FEATURES: std::ops::Range<usize> = 9..17;

/// What observes: an engine, a library, and how much either may spend.
pub(crate) struct Observer<'a> {
    /// Searches.
    pub(crate) engine: Engine,
    /// Remembers.
    pub(crate) library: &'a Library,
    /// Nodes for the search that chooses, and again for the scores of all
    /// moves.
    pub(crate) nodes: u64,
    /// The least similarity of a case.
    pub(crate) threshold: f64,
}

/// Observes a position; `None` if its game cannot be played through.
///
/// # Errors
/// If the collection is damaged.
pub(crate) fn observe(
    observer: &mut Observer<'_>,
    question: &Question,
) -> Result<Option<Observation>, SearchError> {
    let Some(scene) = Scene::of(question) else {
        return Ok(None);
    };
    let searched = search(observer, &scene);
    let memory = Memory::recall(observer, &scene)?;
    let moves: Vec<Observed> = (0..scene.legal.len())
        .map(|at| observed(&scene, &searched, &memory, at))
        .collect();
    Ok(Some(Observation {
        number: question.number,
        fen: position::to_fen(scene.line.position()),
        played: scene.played,
        pieces: scene.line.position().board().occupied().count() as u32,
        covered: moves.iter().any(|it| it.support > 0.0),
        moves,
    }))
}

/// The position and what led to it.
pub(super) struct Scene {
    pub(super) line: Line,
    pub(super) legal: Vec<Move>,
    /// The index of the move that was played.
    pub(super) played: usize,
}

impl Scene {
    /// `None` if the game cannot be played through.
    pub(super) fn of(question: &Question) -> Option<Scene> {
        let (answer, before) = question.game.moves.split_last()?;
        let line = Line::of_game(&question.game, before.len())?;
        let legal: Vec<Move> = line.position().legal_moves().into_iter().collect();
        let answer = answer.to_move(line.position().board())?;
        let played = legal.iter().position(|&it| it == answer)?;
        Some(Scene {
            line,
            legal,
            played,
        })
    }

    /// The move a number of plies before.
    fn before(&self, plies: usize) -> Option<Move> {
        self.line
            .moves()
            .iter()
            .nth_back(plies.checked_sub(1)?)
            .copied()
    }
}

/// The scores of all moves by depth, and the choice of a search for one move.
struct Searched {
    /// Of each move at depths 1, 3, 5 and the last, in centipawns.
    scores: [Vec<f64>; 4],
    choice: Option<Move>,
}

/// Scores are clamped to this.
const MOST: i32 = 1_000;

fn search(observer: &mut Observer<'_>, scene: &Scene) -> Searched {
    let task = |lines| Task {
        line: scene.line.clone(),
        limits: Limits::nodes(observer.nodes),
        lines,
        ..Task::default()
    };
    let (alone, all) = (task(1), task(scene.legal.len()));
    let signal = Signal::new(false);
    observer.engine.clear();
    let choice = observer.engine.search(&alone, &signal, &mut |_| {}).best;
    observer.engine.clear();
    let mut scores = [const { Vec::new() }; 4];
    for it in &mut scores {
        *it = vec![f64::from(-MOST); scene.legal.len()];
    }
    let value = |score: Score| f64::from(score.value().clamp(-MOST, MOST));
    observer.engine.search(&all, &signal, &mut |report| {
        let Some(at) = report
            .line
            .first()
            .and_then(|mv| scene.legal.iter().position(|it| it == mv))
        else {
            return;
        };
        // A later depth replaces an earlier one wherever that is wanted.
        let slots = [
            report.depth <= 1,
            report.depth <= 3,
            report.depth <= 5,
            true,
        ];
        for (wanted, scores) in slots.into_iter().zip(&mut scores) {
            if wanted {
                scores[at] = value(report.score);
            }
        }
    });
    Searched { scores, choice }
}

/// What the library says, by exact position, by action and by likeness.
struct Memory {
    support: Recollection,
    similar: Recollection,
}

impl Memory {
    fn recall(observer: &Observer<'_>, scene: &Scene) -> Result<Memory, SearchError> {
        let settings = Settings {
            threshold: observer.threshold,
            ..Settings::default()
        };
        let without_action = Settings {
            first_filter: false,
            ..settings.clone()
        };
        let filter = Filter::default();
        let recall = |settings: &Settings| {
            let library = observer.library;
            library.recall(&scene.line, settings, &filter)
        };
        Ok(Memory {
            support: recall(&settings)?,
            similar: recall(&without_action)?,
        })
    }

    fn exact(&self, mv: Move) -> f64 {
        let of = |it: &&tabiya_engine::library::Continuation| it.mv == mv;
        let found = self.support.continuations.iter().find(of);
        found.map_or(0.0, |it| it.games.into())
    }

    fn all_exact(&self) -> f64 {
        let games = self
            .support
            .continuations
            .iter()
            .map(|it| f64::from(it.games));
        games.sum()
    }
}

fn weight(memory: &Recollection, mv: Move) -> f64 {
    let found = memory.reactions.iter().find(|it| it.mv == mv);
    found.map_or(0.0, |it| it.weight)
}

fn weights(memory: &Recollection) -> f64 {
    memory.reactions.iter().map(|it| it.weight).sum()
}

fn observed(scene: &Scene, searched: &Searched, memory: &Memory, at: usize) -> Observed {
    let mv = scene.legal[at];
    let chosen = searched.choice == Some(mv);
    let [_, _, _, last] = &searched.scores;
    let mut features = of_search(searched, at, chosen);
    features.extend(of_memory(memory, mv, scene.legal.len()));
    features.extend(of_board(scene, mv));
    debug_assert_eq!(features.len(), FEATURES.len());
    // Both kinds of evidence for the player that only remembers.
    let similar = memory.similar.support(mv);
    Observed {
        uci: UciMove::from_standard(mv).to_string(),
        support: memory.support.support(mv) + 0.5 * similar,
        score: last[at] + if chosen { 2.0 * f64::from(MOST) } else { 0.0 },
        features: features.into_iter().map(|it| it as f32).collect(),
    }
}

fn of_search(searched: &Searched, at: usize, chosen: bool) -> Vec<f64> {
    let gap = |slot: usize| {
        let scores = &searched.scores[slot];
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        best - scores[at]
    };
    let log = |gap: f64| -(1.0 + gap / 20.0).ln();
    let best = |gap: f64| f64::from(gap <= 0.0);
    let [first, third, fifth, last] = [0, 1, 2, 3].map(gap);
    vec![
        -last.min(400.0) / 100.0,
        log(last),
        best(last),
        f64::from(chosen),
        log(first),
        best(first),
        log(third),
        best(third),
        log(fifth),
    ]
}

fn of_memory(memory: &Memory, mv: Move, moves: usize) -> Vec<f64> {
    let share = |own: f64, all: f64| own / (all + 1.0);
    // How much likelier than any other move, zero where nothing is known.
    let log = |own: f64, all: f64| {
        let moves = moves as f64;
        ((own + 0.2) * moves / (all + 0.2 * moves)).ln() * all / (all + 1.0)
    };
    let (exact, all_exact) = (memory.exact(mv), memory.all_exact());
    let (cases, all_cases) = (weight(&memory.support, mv), weights(&memory.support));
    let (similar, all_similar) = (weight(&memory.similar, mv), weights(&memory.similar));
    let most = memory.support.continuations.iter().map(|it| it.games).max();
    let most_played = exact > 0.0 && most.map(f64::from) == Some(exact);
    let most_cases = memory
        .support
        .reactions
        .first()
        .is_some_and(|it| it.mv == mv);
    vec![
        share(exact, all_exact),
        log(exact, all_exact),
        f64::from(most_played),
        share(cases, all_cases),
        log(cases, all_cases),
        f64::from(most_cases),
        share(similar, all_similar),
        log(similar, all_similar),
    ]
}

fn of_board(scene: &Scene, mv: Move) -> Vec<f64> {
    let (position, turn) = (scene.line.position(), scene.line.position().turn());
    let board = position.board();
    let from = mv.from().unwrap_or(mv.to());
    let last = scene.before(1);
    let own = scene.before(2);
    let recaptures =
        mv.is_capture() && last.is_some_and(|it| it.is_capture() && it.to() == mv.to());
    let checks = position.clone().play(mv).is_ok_and(|it| it.is_check());
    let role = |role: Role| f64::from(mv.role() == role && !mv.is_castle());
    let forward = i32::from(mv.to().rank()) - i32::from(from.rank());
    let retreats = !mv.is_castle() && turn.fold_wb(forward, -forward) < 0;
    let flags = [
        mv.is_capture(),
        recaptures,
        !wins_at_least(position, mv, 0),
        checks,
        mv.is_promotion(),
        mv.is_castle(),
    ];
    let habits = [
        own.is_some_and(|it| it.to() == from),
        own.is_some_and(|it| it.to() == from && it.from() == Some(mv.to())),
        is_attacked_by_less(position, from, mv.role()),
        retreats,
        (pawn_attackers(position, mv.to(), !turn)).any(),
    ];
    debug_assert!(board.occupied().contains(from));
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let flags = flags.into_iter().map(f64::from);
    let habits = habits.into_iter().map(f64::from);
    flags.chain(roles.map(role)).chain(habits).collect()
}

fn pawn_attackers(position: &Chess, square: Square, by: Color) -> Bitboard {
    let board = position.board();
    board.attacks_to(square, by, board.occupied()) & board.pawns()
}

/// Whether a cheaper enemy piece attacks a square.
fn is_attacked_by_less(position: &Chess, square: Square, role: Role) -> bool {
    let board = position.board();
    let attackers = board.attacks_to(square, !position.turn(), board.occupied());
    let less = match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight | Role::Bishop => board.pawns(),
        Role::Rook => board.pawns() | board.knights() | board.bishops(),
        Role::Queen => board.occupied() & !board.queens() & !board.kings(),
        Role::King => board.occupied(),
    };
    (attackers & less).any()
}
