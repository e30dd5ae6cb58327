//! What a base gives, one after another.

/// One game of a base, or what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A game. If its bytes are damaged, the text ends at the fault.
    Game {
        /// What is wrong with the game's bytes.
        fault: Option<String>,
    },
    /// A game that its owner has marked as deleted.
    Deleted,
    /// Something that is not a game, such as a text between games.
    Other,
}

/// What comes next in a base.
pub(crate) enum Step {
    Record(Record),
    End,
}
