//! The named pawn structures of a position.

use shakmaty::Chess;
use tabiya_pattern::{Named, Names, structures_of};

/// The part of the built-in patterns that are pawn structures.
const GROUP: &str = "structures";

/// The names of the pawn structures that a position has.
pub fn structure_names(position: &Chess) -> Vec<String> {
    let found = structures_of(Names::built_in(), position);
    let structures = found.filter(|it| it.group == GROUP);
    structures.map(|it| it.name.clone()).collect()
}

/// Reads the name of a pawn structure.
///
/// # Errors
///
/// When there is none; the error lists those that there are.
pub(crate) fn parse_structure(text: &str) -> Result<String, String> {
    let all = Names::built_in().iter().filter(|it| it.group == GROUP);
    let names: Vec<&str> = all.map(|it: &Named| it.name.as_str()).collect();
    match names.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(format!("the structures are {}", names.join(", "))),
    }
}
