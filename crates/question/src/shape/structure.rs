//! The named pawn structures of a position.

use shakmaty::Chess;
use tabiya_pattern::{Named, Names, Pattern, structures_of};

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

/// The pattern of a pawn structure; `None` if there is no such structure. A structure is the same
/// for both colors, so it does not matter whether the position is turned by swapping them.
pub(crate) fn structure_pattern(name: &str) -> Option<Pattern> {
    let names = Names::built_in();
    Pattern::read(&names.get(name)?.query, names).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::{Symmetry, position};
    use tabiya_retrieval::played::turn;

    #[test]
    fn structures_are_the_same_for_both_colors() {
        for (fen, name) in [
            (
                "r2qr1k1/pp1nbppp/2p2n2/3p2B1/3P2b1/2NBP3/PPQ1NPPP/R4RK1 w - - 0 12",
                "carlsbad",
            ),
            (
                "r1bq1rk1/pp2bppp/2n1pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 b - - 0 12",
                "iqp",
            ),
            (
                "rnbqkb1r/ppp2ppp/5n2/3p4/3P4/3B4/PPP2PPP/RNBQK1NR w KQkq - 2 5",
                "exchange-french",
            ),
        ] {
            let position = position::parse(fen).unwrap();
            let names = structure_names(&position);
            assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
            let swapped = turn(&position, Symmetry::Swap).unwrap();
            assert_eq!(structure_names(&swapped), names);
        }
        let all = Names::built_in().iter().filter(|it| it.group == GROUP);
        for it in all {
            let closed = it.query.starts_with("flipcolor") || it.name == "exchange-french";
            assert!(
                closed && structure_pattern(&it.name).is_some(),
                "{}",
                it.name
            );
        }
    }
}
