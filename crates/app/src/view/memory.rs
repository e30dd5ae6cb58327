//! What the player remembered, as the terminal, JSON and the page show it.

use serde::Serialize;
use shakmaty::{Chess, Move, san::SanPlus, uci::UciMove};
use tabiya_answer::json;
use tabiya_engine::{Choice, library::Library};
use tabiya_retrieval::index::FormatError;
use utoipa::ToSchema;

/// The cases behind a move.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Memory {
    /// Search has set the remembered moves aside.
    pub(crate) overruled: bool,
    /// How many cases passed the filters.
    pub(crate) cases: usize,
    /// What speaks for the move, in words.
    pub(crate) because: Option<String>,
    /// Moves that the memory speaks for, the best supported first.
    pub(crate) remembered: Vec<Remembered>,
    /// Games in which the move was a reaction, the most alike first.
    pub(crate) games: Vec<Witness>,
}

/// A move that the memory speaks for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Remembered {
    uci: String,
    pub(crate) san: String,
    /// How much of the memory speaks for it, from 0 to 1.
    pub(crate) support: f64,
    pub(crate) cases: u32,
    /// Games that had exactly this position and went on so.
    pub(crate) games: u32,
}

/// A game that speaks for the move.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Witness {
    /// How many half-moves were played before the reaction.
    ply: u16,
    game: json::Game,
}

impl Memory {
    /// What was remembered when a move was chosen.
    ///
    /// # Errors
    ///
    /// When a segment is damaged.
    pub(crate) fn behind(
        choice: &Choice,
        position: &Chess,
        library: Option<&Library>,
    ) -> Result<Memory, FormatError> {
        let Some(library) = library else {
            return Ok(Memory::default());
        };
        let memory = &choice.memory;
        let remembered = memory.supported().into_iter();
        Ok(Memory {
            overruled: choice.overruled,
            cases: memory.cases,
            because: choice.words(position, |it| library.tags(it)),
            remembered: remembered
                .map(|(mv, support)| Remembered::new(choice, position, mv, support))
                .collect(),
            games: witnesses(choice, library)?,
        })
    }
}

impl Remembered {
    fn new(choice: &Choice, position: &Chess, mv: Move, support: f64) -> Remembered {
        let reactions = &choice.memory.reactions;
        let continuations = &choice.memory.continuations;
        let reaction = reactions.iter().find(|it| it.mv == mv);
        let continuation = continuations.iter().find(|it| it.mv == mv);
        Remembered {
            uci: UciMove::from_standard(mv).to_string(),
            san: SanPlus::from_move(position.clone(), mv).to_string(),
            support,
            cases: reaction.map_or(0, |it| it.cases),
            games: continuation.map_or(0, |it| it.games),
        }
    }
}

fn witnesses(choice: &Choice, library: &Library) -> Result<Vec<Witness>, FormatError> {
    let reactions = &choice.memory.reactions;
    let chosen = reactions
        .iter()
        .find(|it| Some(it.mv) == choice.result.best);
    let mut witnesses = Vec::new();
    for &(number, ply) in chosen.into_iter().flat_map(|it| &it.games) {
        if let Some(tags) = library.collection().tags(number)? {
            let game = json::Game::new(number, &tags);
            witnesses.push(Witness { ply, game });
        }
    }
    Ok(witnesses)
}
