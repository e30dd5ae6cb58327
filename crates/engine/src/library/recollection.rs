//! A recollection: what the library says about one position.

use shakmaty::{Chess, Move, Position, san::SanPlus, uci::UciMove};
use tabiya_chess::{CompactMove, Tags};
use tabiya_retrieval::{
    GameNumber,
    case::{Case, LOSS, OWN_LOSS, Reaction, WIN, reactions},
    explorer::Count,
};

use super::Memories;

/// What was played in exactly this position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The move.
    pub mv: Move,
    /// In how many games.
    pub games: u32,
    /// How many of them the side to move won.
    pub won: u32,
    /// How many were drawn.
    pub drawn: u32,
    /// How many have no known result.
    pub unknown: u32,
    /// How many the engine itself has lost, playing this side.
    pub own_lost: u32,
}

/// The cases and continuations that speak in a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recollection {
    /// How many cases passed the filters, whatever their reaction.
    pub cases: usize,
    /// The reactions that are legal here, the weightiest first.
    pub reactions: Vec<Reaction>,
    /// What was played in exactly this position, whatever led to it.
    pub continuations: Vec<Continuation>,
}

impl Recollection {
    /// What memories of all shards say about a position.
    pub fn new(position: &Chess, memories: &Memories) -> Recollection {
        let is_enough = memories.are_enough();
        let cases: &[Case] = if is_enough { &[] } else { &memories.cases };
        Recollection {
            cases: cases.len(),
            reactions: reactions(position, cases),
            continuations: continuations(position, memories),
        }
    }

    /// Whether nothing speaks for any move.
    pub fn is_empty(&self) -> bool {
        self.reactions.is_empty() && self.continuations.is_empty()
    }

    /// How much of the memory speaks for a move, from 0 to 1: its part of all
    /// weights, held back while there are few.
    pub fn support(&self, mv: Move) -> f64 {
        let all: f64 = self.weights().map(|it| it.1).sum();
        let own: f64 = self.weights().filter(|it| it.0 == mv).map(|it| it.1).sum();
        own / (all + FEW)
    }

    /// Whether anything speaks for a move but games that the engine itself has
    /// lost with it: those only say that it was tried.
    pub fn speaks_for(&self, mv: Move) -> bool {
        let mut exact = self.continuations.iter().filter(|it| it.mv == mv);
        let mut alike = self.reactions.iter().filter(|it| it.mv == mv);
        exact.any(|it| !it.is_own_loss()) || alike.any(|it| !it.is_own_loss())
    }

    /// Of the games that had exactly this position, the share that speaks for
    /// a move, and how much all of them know, both from 0 to 1. Nothing there
    /// speaks for a move that the engine has only lost with.
    pub fn exactly(&self, mv: Move) -> (f64, f64) {
        let games = self.continuations.iter();
        let all: f64 = games.clone().map(Continuation::weight).sum();
        let own = games.filter(|it| it.mv == mv && !it.is_own_loss());
        let own = own.map(Continuation::weight);
        let known = all / (all + FEW);
        (own.sum::<f64>() / all.max(f64::MIN_POSITIVE), known)
    }

    /// The moves that have any support, the best supported first.
    pub fn supported(&self) -> Vec<(Move, f64)> {
        let mut moves: Vec<Move> = Vec::new();
        for (mv, _) in self.weights() {
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        let mut moves: Vec<_> = moves.into_iter().map(|it| (it, self.support(it))).collect();
        moves.sort_by(|one, two| two.1.total_cmp(&one.1));
        moves
    }

    /// Each piece of evidence: a game that had exactly this position counts
    /// once, by its outcome as a case does; a case counts a fourth of its
    /// weight, for it was another position. Cases of the same position are
    /// among the former already.
    fn weights(&self) -> impl Iterator<Item = (Move, f64)> + '_ {
        let exact = self.continuations.iter().map(|it| (it.mv, it.weight()));
        let alike = self.reactions.iter().map(|it| (it.mv, it.weight * ALIKE));
        exact.chain(alike)
    }

    /// The cases behind a move in words, such as
    /// `Nf3: 7 of 9 cases (3-2-2), Karpov–Unzicker 1974, …`. Games are named by
    /// the tags of their numbers.
    pub fn words(
        &self,
        position: &Chess,
        mv: Move,
        tags: impl Fn(GameNumber) -> Option<Tags>,
    ) -> String {
        let mut words = SanPlus::from_move(position.clone(), mv).to_string();
        words.push(':');
        let total: u32 = self.continuations.iter().map(|it| it.games).sum();
        match self.continuations.iter().find(|it| it.mv == mv) {
            Some(it) => {
                let results = results([it.won, it.drawn, it.lost()]);
                words += &format!(" played here in {} of {total} games{results},", it.games);
            }
            None if total > 0 => words += &format!(" played here in none of {total} games,"),
            None => {}
        }
        let reaction = self.reactions.iter().find(|it| it.mv == mv);
        let Some(reaction) = reaction else {
            if self.cases > 0 {
                words += &format!(" 0 of {} cases", self.cases);
            }
            return words.trim_end_matches(',').to_owned();
        };
        words += &format!(
            " {} of {} cases{}",
            reaction.cases,
            self.cases,
            results([reaction.won, reaction.drawn, reaction.lost])
        );
        let named = reaction.games.iter().take(SPOKESMEN);
        for tags in named.filter_map(|it| tags(it.0)) {
            words += &format!(", {}", in_brief(&tags));
        }
        words
    }
}

/// Less evidence than this leaves more than half of the judgment to search.
const FEW: f64 = 3.0;

/// What a case counts beside a game that had exactly this position.
const ALIKE: f64 = 0.25;

/// How many games are named for a move.
const SPOKESMEN: usize = 3;

impl Continuation {
    fn lost(&self) -> u32 {
        self.games - self.won - self.drawn - self.unknown
    }

    /// What is unknown counts as a draw would.
    fn weight(&self) -> f64 {
        let others = self.lost().saturating_sub(self.own_lost);
        WIN * f64::from(self.won)
            + f64::from(self.drawn + self.unknown)
            + LOSS * f64::from(others)
            + OWN_LOSS * f64::from(self.own_lost)
    }

    /// Whether nothing more is known of it than that the engine lost with it.
    fn is_own_loss(&self) -> bool {
        self.own_lost == self.games
    }
}

fn continuations(position: &Chess, memories: &Memories) -> Vec<Continuation> {
    let losses_with = |mv: CompactMove| {
        let losses = memories.losses.iter().filter(move |it| it.0 == mv);
        losses.map(|it| it.1).sum()
    };
    let continuation = |uci: &str, count: &Count| {
        let mv = uci.parse::<UciMove>().ok()?.to_move(position).ok()?;
        Some(Continuation {
            mv,
            games: count.games(),
            won: position.turn().fold_wb(count.white, count.black),
            drawn: count.draws,
            unknown: count.unknown,
            own_lost: losses_with(mv.into()),
        })
    };
    let moves = memories.explored.moves.iter();
    moves
        .filter_map(|it| continuation(&it.uci, &it.count))
        .collect()
}

/// Known results, won-drawn-lost, in brackets; nothing if there are none.
fn results(known: [u32; 3]) -> String {
    let [won, drawn, lost] = known;
    match known {
        [0, 0, 0] => String::new(),
        _ => format!(" ({won}-{drawn}-{lost})"),
    }
}

/// A game as players name it: `Karpov–Unzicker 1974`.
fn in_brief(tags: &Tags) -> String {
    let surname = |name: &str| {
        let end = name.find([',', '(']).unwrap_or(name.len());
        name[..end].trim().to_owned()
    };
    let mut words = format!("{}–{}", surname(&tags.white), surname(&tags.black));
    if tags.date.year > 0 {
        words += &format!(" {}", tags.date.year);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_named_in_brief() {
        let mut tags = Tags {
            white: "Karpov,A".into(),
            black: "Unzicker, Wolfgang".into(),
            ..Tags::default()
        };
        assert_eq!(in_brief(&tags), "Karpov–Unzicker");
        tags.date.year = 1974;
        assert_eq!(in_brief(&tags), "Karpov–Unzicker 1974");
    }

    #[test]
    fn support_grows_with_evidence_and_success() {
        let position = Chess::default();
        let legal = position.legal_moves();
        let continuation = |index: usize, games, won, drawn| Continuation {
            mv: legal[index],
            games,
            won,
            drawn,
            unknown: 0,
            own_lost: 0,
        };
        let with = |continuations| Recollection {
            continuations,
            ..Recollection::default()
        };
        let few = with(vec![continuation(0, 1, 0, 1)]);
        let many = with(vec![continuation(0, 100, 0, 100)]);
        assert!(few.support(legal[0]) < 0.3 && many.support(legal[0]) > 0.9);
        assert_eq!(few.support(legal[1]), 0.0);
        let split = with(vec![continuation(0, 10, 1, 5), continuation(1, 10, 6, 4)]);
        assert_eq!(split.supported()[0].0, legal[1]);
        assert!(Recollection::default().is_empty());
    }
}
