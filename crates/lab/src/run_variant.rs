//! Variants of runs, which experiments on games compare.

use shakmaty::Chess;
use tabiya_chess::Symmetry;
use tabiya_retrieval::{Query, Run};

/// The paper's runs, in its order.
pub(crate) const PAPER: [Run; 6] = [
    Run::TruePos,
    Run::RchblePos,
    Run::Attk,
    Run::Def,
    Run::RayAttk,
    Run::CombAll,
];

/// A run with its own symmetries or with others.
#[derive(Clone, Debug)]
pub(crate) struct RunVariant {
    /// What tables call it.
    pub(crate) name: String,
    run: Run,
    symmetries: Vec<Symmetry>,
}

impl RunVariant {
    /// Every run as it is defined, and `CombAll` with the symmetries of `search`.
    pub(crate) fn all() -> Vec<RunVariant> {
        let turned = |name: &str, symmetries: &[Symmetry]| RunVariant {
            name: name.to_owned(),
            run: Run::CombAll,
            symmetries: symmetries.to_vec(),
        };
        let mut variants: Vec<RunVariant> = Run::ALL.map(RunVariant::of).into();
        let swap = turned("CombAll, swap", &[Symmetry::None, Symmetry::Swap]);
        let after_paper = PAPER.len();
        variants.insert(after_paper, swap);
        variants.insert(after_paper + 1, turned("CombAll, all", &Symmetry::ALL));
        variants
    }

    /// A run as it is defined.
    pub(crate) fn of(run: Run) -> RunVariant {
        RunVariant {
            name: run.name().to_owned(),
            run,
            symmetries: run.symmetries().to_vec(),
        }
    }

    /// The query for a position.
    pub(crate) fn query(&self, position: Chess, top: usize) -> Query {
        Query {
            symmetries: self.symmetries.clone(),
            ..self.run.query(position, top)
        }
    }
}
/// The paper indexes the boards after each move from the 25th ply on.
pub(crate) fn past_openings(mut query: Query) -> Query {
    query.filter.ply.from = Some(25.into());
    query
}
