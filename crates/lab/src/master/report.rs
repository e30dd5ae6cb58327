//! How often each player would have played the master's move.

use serde::Serialize;

use super::Observation;

/// A part of the game, by the pieces on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// 26 pieces or more.
    Opening,
    /// 15 to 25 pieces.
    Middlegame,
    /// 14 pieces or fewer.
    Endgame,
}

impl Phase {
    /// All phases in the order of a game.
    pub(crate) const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase with a number of pieces.
    pub(crate) const fn with(pieces: u32) -> Phase {
        match pieces {
            26.. => Phase::Opening,
            15..=25 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }
}

/// How often the master's move is among the first one, three and five.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Ranks {
    /// Positions.
    pub(crate) positions: u32,
    /// The first choice.
    pub(crate) first: u32,
    /// Among the first three.
    pub(crate) three: u32,
    /// Among the first five.
    pub(crate) five: u32,
}

impl Ranks {
    fn add(&mut self, rank: Option<usize>) {
        self.positions += 1;
        self.first += u32::from(rank.is_some_and(|it| it < 1));
        self.three += u32::from(rank.is_some_and(|it| it < 3));
        self.five += u32::from(rank.is_some_and(|it| it < 5));
    }

    /// A count as a part of the positions.
    pub(crate) fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.positions.max(1))
    }

    /// The standard error of the share of first choices.
    pub(crate) fn error(&self) -> f64 {
        let share = self.share(self.first);
        (share * (1.0 - share) / f64::from(self.positions.max(1))).sqrt()
    }
}

/// What came out for one player.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Who.
    pub(crate) player: String,
    /// Positions in which the player has any opinion.
    pub(crate) covered: u32,
    /// Over all positions.
    pub(crate) all: Ranks,
    /// By phase.
    pub(crate) phases: Vec<(Phase, Ranks)>,
}

/// Judges the library alone, search alone, and players whose rates of all moves
/// are given, by name.
pub(crate) fn report(
    observations: &[Observation],
    others: &[(&str, Vec<Vec<f64>>)],
) -> Vec<Report> {
    let support = |it: &Observation| {
        let support = it.moves.iter().map(|it| it.support);
        // Without any support there is no rank.
        let rate = |it: f64| if it > 0.0 { it } else { f64::NEG_INFINITY };
        support.map(rate).collect()
    };
    let score = |it: &Observation| it.moves.iter().map(|it| it.score).collect();
    let rates = |rate: &dyn Fn(&Observation) -> Vec<f64>| -> Vec<Vec<f64>> {
        observations.iter().map(rate).collect()
    };
    let mut reports = vec![
        judge("library alone", observations, &rates(&support)),
        judge("search alone", observations, &rates(&score)),
    ];
    for (name, rates) in others {
        reports.push(judge(name, observations, rates));
    }
    reports
}

fn judge(player: &str, observations: &[Observation], rates: &[Vec<f64>]) -> Report {
    let mut report = Report {
        player: player.to_owned(),
        covered: 0,
        all: Ranks::default(),
        phases: Phase::ALL.map(|it| (it, Ranks::default())).to_vec(),
    };
    for (observation, rates) in observations.iter().zip(rates) {
        let rank = rank(rates, observation.played);
        report.covered += u32::from(rates.iter().any(|it| it.is_finite()));
        report.all.add(rank);
        let phase = Phase::with(observation.pieces);
        for (it, ranks) in &mut report.phases {
            if *it == phase {
                ranks.add(rank);
            }
        }
    }
    report
}

/// How many moves come before one; `None` if it has no support. Moves
/// rated alike come in their order.
fn rank(rates: &[f64], played: usize) -> Option<usize> {
    let own = *rates.get(played)?;
    let is_before = |(at, &it): (usize, &f64)| it > own || (it == own && at < played);
    own.is_finite().then(|| {
        let others = rates.iter().enumerate();
        others.filter(|&it| is_before(it)).count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::master::{Model, model::tests::simulated};

    #[test]
    fn ranks_are_counted_from_the_best() {
        assert_eq!(rank(&[1.0, 3.0, 2.0], 1), Some(0));
        assert_eq!(rank(&[1.0, 3.0, 3.0], 2), Some(1));
        assert_eq!(rank(&[1.0, f64::NEG_INFINITY], 1), None);
    }

    #[test]
    fn a_model_that_knows_the_choice_is_first() {
        let mut observations = simulated(&[1.0], 50);
        for it in &mut observations {
            for (at, one) in it.moves.iter_mut().enumerate() {
                one.features = vec![f32::from(u8::from(at == it.played))];
            }
        }
        let model = Model { weights: vec![1.0] };
        let rates = observations.iter().map(|it| model.rate(it)).collect();
        let reports = report(&observations, &[("both", rates)]);
        assert_eq!(reports[2].all.first, 50);
        assert_eq!(reports[2].phases[1].1.positions, 50);
        // Nobody remembers anything here.
        assert_eq!((reports[0].covered, reports[0].all.five), (0, 0));
        assert!(reports[1].all.first < 30);
    }
}
