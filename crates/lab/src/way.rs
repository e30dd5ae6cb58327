//! Ways to search a collection of games that experiments compare.

use shakmaty::Chess;
use tabiya_chess::Symmetry;
use tabiya_retrieval::{Query, Run};

/// A run, turned in its own or in other ways.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// What tables call it.
    pub(crate) name: String,
    run: Run,
    symmetries: Vec<Symmetry>,
}

impl Way {
    /// Every run as it is defined, and `CombAll` with the symmetries of `search`.
    pub(crate) fn all() -> Vec<Way> {
        let turned = |name: &str, symmetries: &[Symmetry]| Way {
            name: name.to_owned(),
            run: Run::CombAll,
            symmetries: symmetries.to_vec(),
        };
        let mut ways: Vec<Way> = Run::ALL.map(Way::of).into();
        let swap = turned("CombAll, swap", &[Symmetry::None, Symmetry::Swap]);
        let after_paper = Run::PAPER.len();
        ways.insert(after_paper, swap);
        ways.insert(after_paper + 1, turned("CombAll, all", &Symmetry::ALL));
        ways
    }

    /// A run as it is defined.
    pub(crate) fn of(run: Run) -> Way {
        Way {
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
