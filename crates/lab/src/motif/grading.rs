//! How relevant one puzzle is to another, by the motifs they share.

use super::theme::{MOTIFS, Motifs};

/// A rule that grades a document for a query from 0 to 4.
#[derive(Clone, Debug)]
pub(crate) enum Grading {
    /// What part of the query's motifs the document shares, rare ones counting
    /// more: four times the part, rounded down. The weight of a motif that n of N
    /// puzzles have is log2(N/n).
    Weighted(Vec<f64>),
    /// How many motifs they share, 3 at most.
    Counted,
}

impl Grading {
    /// The weighted rule with the frequencies of a collection.
    pub(crate) fn weighted(collection: &[Motifs]) -> Grading {
        let weight = |motif: usize| {
            let having = collection.iter().filter(|it| it.contains(motif)).count();
            (collection.len().max(1) as f64 / having.max(1) as f64).log2()
        };
        Grading::Weighted((0..MOTIFS.len()).map(weight).collect())
    }

    /// The grade of a document for a query.
    pub(crate) fn grade(&self, query: Motifs, document: Motifs) -> i32 {
        let shared = query.shared(document);
        match self {
            Grading::Counted => shared.len().min(3) as i32,
            Grading::Weighted(weights) => {
                let sum = |set: Motifs| set.iter().map(|it| weights[it]).sum::<f64>();
                if shared.is_empty() || sum(query) <= 0.0 {
                    return 0;
                }
                // All of them must be all of them, whatever the rounding.
                (4.0 * sum(shared) / sum(query) + 1e-9).floor() as i32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motifs(text: &str) -> Motifs {
        Motifs::of(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn rare_motifs_count_more() {
        let mut collection = vec![motifs("mate"); 4];
        collection.push(motifs("mate smotheredMate"));
        collection.extend([motifs("fork"), motifs("pin"), motifs("short")]);
        // Weights: mate log2(8/5), fork, pin and smotheredMate log2(8).
        let grading = Grading::weighted(&collection);
        let grade = |one, two| grading.grade(motifs(one), motifs(two));
        assert_eq!(grade("mate smotheredMate", "mate smotheredMate fork"), 4);
        assert_eq!(grade("mate smotheredMate", "smotheredMate"), 3);
        assert_eq!(grade("mate smotheredMate", "mate"), 0);
        assert_eq!(grade("fork pin", "pin mate"), 2);
        assert_eq!(grade("short", "short"), 0);
        let counted = |one, two| Grading::Counted.grade(motifs(one), motifs(two));
        assert_eq!(
            counted("fork pin mate sacrifice", "fork pin mate sacrifice"),
            3
        );
        assert_eq!(counted("fork", "fork pin"), 1);
    }
}
