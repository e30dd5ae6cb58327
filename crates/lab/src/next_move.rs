//! Next moves: is what was played in a game what was played in similar positions?
//!
//! A position of a game that the collection does not hold is asked for. The table
//! "what was played" over the best hits proposes moves; the game's own move should
//! stand first, or among the first three. Two baselines know less: the most
//! frequent moves of exactly this position, and a legal move at random.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{Chess, Position, uci::UciMove};
use tabiya_chess::Game;
use tabiya_gametree::Dice;
use tabiya_retrieval::{
    Collection, Filter, explorer,
    played::ResolvedHit,
    reached::{self, Reached, Vote},
    search::SearchError,
};

use crate::bootstrap::Estimate;
use crate::draw::Draw;
use crate::run_variant::RunVariant;

/// A position with the move that was played in it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) position: Chess,
    pub(crate) uci: String,
    phase: Phase,
    rating: Rating,
}

/// How far a game has come, by the number of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// More than 26 pieces.
    Early,
    /// 15 to 26 pieces.
    Middle,
    /// At most 14 pieces.
    Late,
}

impl Phase {
    fn of(position: &Chess) -> Phase {
        match position.board().occupied().count() {
            27.. => Phase::Early,
            15..=26 => Phase::Middle,
            _ => Phase::Late,
        }
    }

    /// The phase in words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Phase::Early => "27 to 32 pieces",
            Phase::Middle => "15 to 26 pieces",
            Phase::Late => "at most 14 pieces",
        }
    }
}

/// The mean rating of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rating {
    /// Not known.
    Unknown,
    /// Below 2400.
    Below2400,
    /// From 2400 to below 2600.
    From2400,
    /// 2600 and more.
    From2600,
}

impl Rating {
    fn of(game: &Game) -> Rating {
        match game.tags.mean_elo() {
            None => Rating::Unknown,
            Some(elo) if elo < 2400.0 => Rating::Below2400,
            Some(elo) if elo < 2600.0 => Rating::From2400,
            Some(_) => Rating::From2600,
        }
    }

    /// The rating in words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Rating::Unknown => "no rating",
            Rating::Below2400 => "below 2400",
            Rating::From2400 => "2400 to 2599",
            Rating::From2600 => "2600 and more",
        }
    }
}

/// Plies to skip at the start of a game.
pub(crate) const SKIP: usize = 24;

/// Draws cases from games in turn, one from each that the collection does not hold, and counts
/// those that it holds.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn cases(
    collection: &Collection,
    games: &[Game],
    count: usize,
    dice: &mut Dice,
) -> Result<(Vec<Case>, usize), SearchError> {
    let (mut cases, mut known) = (Vec::new(), 0);
    for game in games {
        if cases.len() == count {
            break;
        }
        if is_known(collection, game)? {
            known += 1;
        } else {
            cases.extend(draw(game, SKIP, dice));
        }
    }
    Ok((cases, known))
}

/// Draws one position from a game, after its first `skip` plies and before its last move.
fn draw(game: &Game, skip: usize, dice: &mut Dice) -> Option<Case> {
    let plies: Vec<usize> = (skip..game.moves.len()).collect();
    let ply = *dice.choose(&plies)?;
    let position = game.position(ply)?;
    let mv = game.moves[ply].to_move(position.board())?;
    Some(Case {
        uci: UciMove::from_standard(mv).to_string(),
        phase: Phase::of(&position),
        rating: Rating::of(game),
        position,
    })
}

/// Whether the collection holds the game: its last position, by the same players.
///
/// # Errors
///
/// When the collection is damaged.
fn is_known(collection: &Collection, game: &Game) -> Result<bool, SearchError> {
    let Some(last) = game.position(game.moves.len()) else {
        return Ok(false);
    };
    let found = explorer::explore(&collection.shards(), &last, &Filter::default())?;
    let same = |it: &explorer::NotableGame| {
        (&it.tags.white, &it.tags.black) == (&game.tags.white, &game.tags.black)
    };
    Ok(found.best.iter().chain(&found.newest).any(same))
}

/// How often the move that was played was proposed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// Who proposes.
    pub(crate) proposer: String,
    /// Among which positions.
    pub(crate) group: String,
    /// How many there are.
    pub(crate) cases: usize,
    /// How often it was the first proposal.
    pub(crate) first: Estimate,
    /// How often it was among the first three.
    pub(crate) among_three: Estimate,
}

/// For one case: the chance that the move is first, and among the first three.
type Luck = (f64, f64);

/// Proposals from the similar positions that a variant of a run finds.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn similar(
    collection: &Collection,
    cases: &[Case],
    variant: &RunVariant,
    top: usize,
) -> Result<Vec<Luck>, SearchError> {
    let propose = |case: &Case| {
        let mut found = Vec::new();
        for hit in collection.search(&variant.query(case.position.clone(), top))? {
            let game = collection.game(hit.game)?;
            let looked_up = game.and_then(|it| ResolvedHit::new(hit, it));
            found.extend(looked_up.map(|it| (Reached::of_found(&it), it)));
        }
        let votes = found.iter().map(|(reached, found)| Vote {
            turned: &found.turned,
            similarity: found.hit.similarity,
            reached,
        });
        let table = reached::tally(&case.position, votes);
        Ok(case.luck(table.iter().map(|it| it.uci.as_str())))
    };
    cases.par_iter().map(propose).collect()
}

/// Lets the most frequent moves of exactly this position propose.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn exact(collection: &Collection, cases: &[Case]) -> Result<Vec<Luck>, SearchError> {
    let propose = |case: &Case| {
        let shards = collection.shards();
        let explored = explorer::explore(&shards, &case.position, &Filter::default())?;
        Ok(case.luck(explored.moves.iter().map(|it| it.uci.as_str())))
    };
    cases.par_iter().map(propose).collect()
}

/// Lets chance propose: every legal move is as likely.
pub(crate) fn chance(cases: &[Case]) -> Vec<Luck> {
    let luck = |case: &Case| {
        let moves = case.position.legal_moves().len().max(1) as f64;
        (1.0 / moves, (3.0 / moves).min(1.0))
    };
    cases.iter().map(luck).collect()
}

impl Case {
    /// The chance that the move is first among proposals, and among the first three.
    pub(crate) fn luck<'a>(&self, proposals: impl Iterator<Item = &'a str>) -> Luck {
        let at = proposals.take(3).position(|it| it == self.uci);
        let is = |condition: bool| f64::from(u8::from(condition));
        (is(at == Some(0)), is(at.is_some()))
    }
}

/// Rows over all cases, by phase and by rating.
pub(crate) fn rows(proposer: &str, cases: &[Case], luck: &[Luck], seed: u64) -> Vec<Row> {
    let row = |group: &str, admits: &dyn Fn(&Case) -> bool| {
        let admitted = cases.iter().zip(luck).filter(|it| admits(it.0));
        let (first, three): (Vec<f64>, Vec<f64>) = admitted.map(|it| *it.1).unzip();
        Row {
            proposer: proposer.to_owned(),
            group: group.to_owned(),
            cases: first.len(),
            first: Estimate::of(&first, seed),
            among_three: Estimate::of(&three, seed),
        }
    };
    let phases = [Phase::Early, Phase::Middle, Phase::Late];
    let ratings = [
        Rating::Unknown,
        Rating::Below2400,
        Rating::From2400,
        Rating::From2600,
    ];
    let mut rows = vec![row("all", &|_| true)];
    rows.extend(phases.map(|phase| row(phase.name(), &|it| it.phase == phase)));
    rows.extend(ratings.map(|rating| row(rating.name(), &|it| it.rating == rating)));
    rows.retain(|it| it.cases > 0);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    fn case() -> Case {
        let text = "[WhiteElo \"2500\"]\n\n1. e4 e5 2. Nf3 *";
        let game = pgn::read(text.as_bytes()).game.unwrap();
        draw(&game, 2, &mut Dice::new(1)).unwrap()
    }

    #[test]
    fn a_case_knows_its_move_and_its_group() {
        let case = case();
        assert_eq!(case.uci, "g1f3");
        assert_eq!((case.phase, case.rating), (Phase::Early, Rating::From2400));
        assert_eq!(case.luck(["g1f3", "f2f4"].into_iter()), (1.0, 1.0));
        assert_eq!(case.luck(["f2f4", "b1c3", "g1f3"].into_iter()), (0.0, 1.0));
        assert_eq!(case.luck(["a", "b", "c", "g1f3"].into_iter()), (0.0, 0.0));
        assert_eq!(
            chance(std::slice::from_ref(&case)),
            [(1.0 / 29.0, 3.0 / 29.0)]
        );
    }

    #[test]
    fn rows_are_of_groups_that_have_members() {
        let rows = rows("chance", &[case()], &[(0.0, 1.0)], 1);
        let groups: Vec<_> = rows.iter().map(|it| it.group.as_str()).collect();
        assert_eq!(groups, ["all", "27 to 32 pieces", "2400 to 2599"]);
        assert_eq!((rows[0].first.mean, rows[0].among_three.mean), (0.0, 1.0));
    }
}
