//! Ratings from results: Bradley–Terry with draws and the advantage of White,
//! by maximum likelihood.
//!
//! The model is BayesElo's. With D the rating difference plus White's
//! advantage, White wins with probability 1/(1 + 10^((drawelo − D)/400)), Black
//! with 1/(1 + 10^((drawelo + D)/400)), and the rest is drawn. Errors come from
//! the curvature at the maximum, in all ratings at once: who met an anchor only
//! through others inherits their errors.

mod cholesky;
mod pairs;
mod reach;

use serde::Serialize;

use cholesky::Cholesky;
pub(crate) use pairs::{SPRT_BOUND, likelihood_ratio, paired};
pub(crate) use reach::Unrated;

/// Results of one pairing, first player's view, with the first player White.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Results {
    /// White's number.
    pub(crate) white: usize,
    /// Black's number.
    pub(crate) black: usize,
    /// Won by White, drawn, won by Black.
    pub(crate) counts: [u32; 3],
}

/// What the model assumes apart from ratings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// Elo that White has for moving first.
    pub(crate) advantage: f64,
    /// The greater, the more draws.
    pub(crate) draw: f64,
}

impl Default for Model {
    /// BayesElo's defaults.
    fn default() -> Model {
        Model {
            advantage: 32.8,
            draw: 97.3,
        }
    }
}

impl Model {
    /// Probabilities that White wins, that it is drawn, that Black wins.
    pub(crate) fn probabilities(&self, white: f64, black: f64) -> [f64; 3] {
        let difference = white - black + self.advantage;
        let wins = logistic(difference - self.draw);
        let losses = logistic(-difference - self.draw);
        [wins, (1.0 - wins - losses).max(1e-12), losses]
    }
}

fn logistic(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A player's rating.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Rating {
    /// On the anchors' scale.
    pub(crate) elo: f64,
    /// Half the width of the 95 % interval; 0 for anchors.
    pub(crate) error: f64,
}

/// Deviations of a normal distribution from its middle to the end of its 95 %.
const INTERVAL: f64 = 1.96;

/// The most likely ratings of some players.
#[derive(Clone, Debug)]
pub(crate) struct Ratings {
    elo: Vec<f64>,
    unrated: Vec<Option<Unrated>>,
    /// Of the ratings; 0 for anchors.
    covariance: Vec<Vec<f64>>,
}

impl Ratings {
    /// A player's rating, or why there is none.
    ///
    /// # Errors
    /// If the results do not determine the player's strength.
    pub(crate) fn of(&self, player: usize) -> Result<Rating, Unrated> {
        self.unrated[player].map_or(Ok(()), Err)?;
        Ok(Rating {
            elo: self.elo[player],
            error: INTERVAL * self.covariance[player][player].sqrt(),
        })
    }

    /// The likelihood that one player is stronger than another, if both are rated.
    pub(crate) fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let difference = self.of(one).ok()?.elo - self.of(other).ok()?.elo;
        let of = |a: usize, b: usize| self.covariance[a][b];
        let variance = of(one, one) + of(other, other) - 2.0 * of(one, other);
        Some(normal_below(difference / variance.max(1e-18).sqrt()))
    }
}

/// The most likely ratings, given that some are known.
///
/// `anchors[i]` is the known rating of player i. If none is known, the mean of
/// the greatest group that can be compared is 0, and errors are against it.
pub(crate) fn fit(results: &[Results], anchors: &[Option<f64>], model: Model) -> Ratings {
    if let Some(first) = stand_in(results, anchors) {
        let mut anchors = anchors.to_vec();
        anchors[first] = Some(0.0);
        return centered(fit(results, &anchors, model));
    }
    let is_anchor: Vec<bool> = anchors.iter().map(Option::is_some).collect();
    let unrated = reach::unrated(results, &is_anchor);
    let known: Vec<f64> = anchors.iter().flatten().copied().collect();
    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
    let mut ratings = Ratings {
        elo: anchors.iter().map(|it| it.unwrap_or(mean)).collect(),
        covariance: vec![vec![0.0; anchors.len()]; anchors.len()],
        unrated,
    };
    // A player without a rating is infinitely far from the others, who learn
    // nothing from such games.
    let is_rated = |it: usize| ratings.unrated[it].is_none();
    let between_rated = |it: &&Results| is_rated(it.white) && is_rated(it.black);
    let results: Vec<Results> = results.iter().filter(between_rated).cloned().collect();
    let free: Vec<usize> = (0..anchors.len())
        .filter(|&it| anchors[it].is_none() && is_rated(it))
        .collect();
    climb(&results, &mut ratings.elo, &free, model);
    let (_, information) = derivatives(&results, &ratings.elo, &free, model);
    let inverse = Cholesky::of(&information).inverse();
    for (&one, row) in free.iter().zip(inverse) {
        for (&other, covariance) in free.iter().zip(row) {
            ratings.covariance[one][other] = covariance;
        }
    }
    ratings
}

/// Without any anchor, the first player of the greatest group takes its place.
fn stand_in(results: &[Results], anchors: &[Option<f64>]) -> Option<usize> {
    if anchors.iter().any(Option::is_some) {
        return None;
    }
    let group = |player: usize| {
        let is_anchor: Vec<bool> = (0..anchors.len()).map(|it| it == player).collect();
        let unrated = reach::unrated(results, &is_anchor);
        unrated.iter().filter(|it| it.is_none()).count()
    };
    // Of equals the last of the turned order is the first player.
    (0..anchors.len()).rev().max_by_key(|&it| group(it))
}

/// The same ratings around their mean.
fn centered(mut ratings: Ratings) -> Ratings {
    let rated: Vec<usize> = (0..ratings.elo.len())
        .filter(|&it| ratings.unrated[it].is_none())
        .collect();
    let mean =
        |values: &[f64]| rated.iter().map(|&it| values[it]).sum::<f64>() / rated.len() as f64;
    let middle = mean(&ratings.elo);
    let rows: Vec<f64> = ratings.covariance.iter().map(|it| mean(it)).collect();
    let whole = mean(&rows);
    for &one in &rated {
        ratings.elo[one] -= middle;
        for &other in &rated {
            ratings.covariance[one][other] += whole - rows[one] - rows[other];
        }
    }
    ratings
}

/// Elo in units of the natural logarithm.
const NATURAL: f64 = std::f64::consts::LN_10 / 400.0;
/// Far more steps than it takes: from far off a dozen suffice.
const MOST_STEPS: usize = 1_000;

/// Moves the free ratings to the maximum of the likelihood.
///
/// Newton's method for all at once. A step is shortened so that the likelihood
/// cannot fall: the third derivative of a logistic is at most its second, and
/// for such functions ln(1 + s)/s of a step with greatest change s is safe (Sun
/// and Tran-Dinh, "Generalized self-concordant functions", 2019). Small steps
/// stay nearly whole, so the end is quadratic.
fn climb(results: &[Results], elo: &mut [f64], free: &[usize], model: Model) {
    for _ in 0..MOST_STEPS {
        let (slope, information) = derivatives(results, elo, free, model);
        let step = Cholesky::of(&information).solve(&slope);
        let greatest = step.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        if greatest < 1e-9 {
            break;
        }
        // Two players may move apart, each by as much.
        let change = 2.0 * NATURAL * greatest;
        for (&player, step) in free.iter().zip(step) {
            elo[player] += step * change.ln_1p() / change;
        }
    }
}

/// The slope of the log-likelihood by the free ratings, and minus its second
/// derivatives.
///
/// A draw has a constant times the probability of a win times that of a loss,
/// so it counts as one of each.
fn derivatives(
    results: &[Results],
    elo: &[f64],
    free: &[usize],
    model: Model,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut slope = vec![0.0; free.len()];
    let mut information = vec![vec![0.0; free.len()]; free.len()];
    let mut place = vec![None; elo.len()];
    for (at, &player) in free.iter().enumerate() {
        place[player] = Some(at);
    }
    for it in results {
        let [won, drawn, lost] = it.counts.map(f64::from);
        let difference = elo[it.white] - elo[it.black] + model.advantage;
        let (up, down) = (difference - model.draw, -difference - model.draw);
        let first = NATURAL * ((won + drawn) * logistic(-up) - (drawn + lost) * logistic(-down));
        let second = NATURAL.powi(2)
            * ((won + drawn) * logistic(up) * logistic(-up)
                + (drawn + lost) * logistic(down) * logistic(-down));
        let sides = [(place[it.white], 1.0), (place[it.black], -1.0)];
        for (one, sign) in sides {
            let Some(one) = one else { continue };
            slope[one] += sign * first;
            for (other, other_sign) in sides {
                if let Some(other) = other {
                    information[one][other] += sign * other_sign * second;
                }
            }
        }
    }
    (slope, information)
}

/// How badly the model fits one player's results against an opponent: Pearson's
/// χ² of wins, draws and losses over both colors. `None` if one is not rated.
pub(crate) fn misfit(
    results: &[Results],
    ratings: &Ratings,
    model: Model,
    player: usize,
    opponent: usize,
) -> Option<f64> {
    let own = ratings.of(player).ok()?.elo;
    let other = ratings.of(opponent).ok()?.elo;
    let (mut expected, mut seen) = ([0.0; 3], [0.0; 3]);
    for it in results {
        let with_white = (it.white, it.black) == (player, opponent);
        if !with_white && (it.black, it.white) != (player, opponent) {
            continue;
        }
        let played = f64::from(it.counts.iter().sum::<u32>());
        let (white, black) = if with_white {
            (own, other)
        } else {
            (other, own)
        };
        let probabilities = model.probabilities(white, black);
        for (outcome, (chance, &count)) in probabilities.into_iter().zip(&it.counts).enumerate() {
            let own = if with_white { outcome } else { 2 - outcome };
            expected[own] += chance * played;
            seen[own] += f64::from(count);
        }
    }
    let terms = expected.iter().zip(seen).filter(|it| *it.0 > 0.0);
    Some(
        terms
            .map(|(expected, seen)| (seen - expected).powi(2) / expected)
            .sum(),
    )
}

/// The standard normal distribution function (Abramowitz and Stegun 7.1.26).
fn normal_below(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let tail = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let error = 1.0 - tail * (-x * x).exp();
    if z >= 0.0 {
        f64::midpoint(1.0, error)
    } else {
        (1.0 - error) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_bayes_elos() {
        // Equal players: White wins with 1/(1+10^((97.3-32.8)/400)).
        let [wins, draws, losses] = Model::default().probabilities(0.0, 0.0);
        assert!((wins - 0.408_2).abs() < 1e-3 && (losses - 0.320_8).abs() < 1e-3);
        assert!((wins + draws + losses - 1.0).abs() < 1e-12);
    }

    fn pairing(white: usize, black: usize, counts: [u32; 3]) -> Results {
        Results {
            white,
            black,
            counts,
        }
    }

    /// The fit as it is defined: one rating at a time to where its slope is
    /// zero, over and over, with derivatives by differences. Slow when two
    /// players met each other far more often than others. The error is of each
    /// rating with all others known.
    fn one_at_a_time(results: &[Results], anchors: &[Option<f64>], model: Model) -> Vec<Rating> {
        const SHIFT: f64 = 0.5;
        let likelihood = |elo: &[f64], player: usize, shift: f64| -> f64 {
            let moved = |of: usize| elo[of] + if of == player { shift } else { 0.0 };
            let of_pairing = |it: &Results| -> f64 {
                let chances = model.probabilities(moved(it.white), moved(it.black));
                let terms = it.counts.iter().zip(chances);
                terms
                    .map(|(&count, chance)| f64::from(count) * chance.ln())
                    .sum()
            };
            results.iter().map(of_pairing).sum()
        };
        let mut elo: Vec<f64> = anchors.iter().map(|it| it.unwrap_or(2000.0)).collect();
        let mut bends = vec![f64::NEG_INFINITY; elo.len()];
        for _ in 0..2_000 {
            for player in (0..elo.len()).filter(|&it| anchors[it].is_none()) {
                let [below, here, above] =
                    [-SHIFT, 0.0, SHIFT].map(|it| likelihood(&elo, player, it));
                bends[player] = (above - 2.0 * here + below) / (SHIFT * SHIFT);
                let slope = (above - below) / (2.0 * SHIFT);
                elo[player] += (-slope / bends[player]).clamp(-200.0, 200.0);
            }
        }
        let rating = |(elo, bend): (f64, f64)| Rating {
            elo,
            error: INTERVAL / (-bend).sqrt(),
        };
        elo.into_iter().zip(bends).map(rating).collect()
    }

    /// Games of everybody with White against everybody, drawn by lot.
    fn played(
        model: Model,
        truth: &[f64],
        games: usize,
        dice: &mut impl FnMut() -> f64,
    ) -> Vec<Results> {
        let mut results = Vec::new();
        for white in 0..truth.len() {
            for black in (0..truth.len()).filter(|&it| it != white) {
                let [wins, draws, _] = model.probabilities(truth[white], truth[black]);
                let mut counts = [0; 3];
                for _ in 0..games {
                    let at = dice();
                    counts[usize::from(at > wins) + usize::from(at > wins + draws)] += 1;
                }
                results.push(pairing(white, black, counts));
            }
        }
        results
    }

    fn dice() -> impl FnMut() -> f64 {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    #[test]
    fn one_free_player_is_rated_as_the_definition_says() {
        // 200 games against each of four anchors, half of them with each color.
        let mut results = Vec::new();
        for (anchor, [won, drawn, lost]) in
            (1..).zip([[131, 18, 51], [167, 9, 24], [183, 6, 11], [196, 1, 3]])
        {
            let half = [won / 2, drawn / 2, lost / 2];
            results.push(pairing(0, anchor, half));
            results.push(pairing(
                anchor,
                0,
                [lost - half[2], drawn - half[1], won - half[0]],
            ));
        }
        let anchors = [None, Some(2500.0), Some(2300.0), Some(2100.0), Some(1900.0)];
        let model = Model::default();
        let rating = fit(&results, &anchors, model).of(0).unwrap();
        let slow = one_at_a_time(&results, &anchors, model)[0];
        assert!((rating.elo - slow.elo).abs() < 0.01, "{rating:?} {slow:?}");
        assert!(
            (rating.error - slow.error).abs() < 0.01,
            "{rating:?} {slow:?}"
        );
        // docs/engine.md says 2665 ± 36; here the colors are only nearly those of its games.
        assert!((rating.elo - 2665.0).abs() < 2.0, "{rating:?}");
        assert!((rating.error - 36.0).abs() < 0.5, "{rating:?}");
    }

    #[test]
    fn many_free_players_are_rated_as_the_definition_says() {
        let model = Model::default();
        let results = played(model, &[2000.0, 2100.0, 1900.0, 2500.0], 50, &mut dice());
        let anchors = [Some(2000.0), None, None, None];
        let ratings = fit(&results, &anchors, model);
        for (player, slow) in one_at_a_time(&results, &anchors, model).iter().enumerate() {
            let rating = ratings.of(player).unwrap();
            assert!((rating.elo - slow.elo).abs() < 0.01, "{rating:?} {slow:?}");
            // Others that are not known make it less sure.
            assert!(rating.error >= slow.error - 0.01, "{rating:?} {slow:?}");
        }
    }

    #[test]
    fn who_met_the_anchor_through_another_inherits_the_error() {
        let results = [
            pairing(0, 1, [3, 0, 1]),
            pairing(1, 0, [1, 0, 3]),
            pairing(1, 2, [500, 0, 500]),
            pairing(2, 1, [500, 0, 500]),
        ];
        let ratings = fit(&results, &[Some(2500.0), None, None], Model::default());
        let [one, other] = [1, 2].map(|it| ratings.of(it).unwrap());
        assert!(
            (one.elo - 2249.0).abs() < 1.0 && (other.elo - one.elo).abs() < 1e-6,
            "{one:?}"
        );
        assert!(
            (one.error - 283.0).abs() < 1.0 && other.error > one.error,
            "{one:?} {other:?}"
        );
        // What they share says nothing of which of the two is the stronger.
        let close = [&results[..2], &[pairing(1, 2, [1_100, 0, 900])]].concat();
        let model = Model {
            advantage: 0.0,
            ..Model::default()
        };
        let ratings = fit(&close, &[Some(2500.0), None, None], model);
        assert!(ratings.superiority(1, 2).unwrap() > 0.999);
        assert!(ratings.superiority(0, 1).unwrap() < 0.99);
    }

    #[test]
    fn nineteen_in_twenty_intervals_hold_the_truth() {
        let (model, truth, mut dice) = (Model::default(), [0.0, 80.0, -150.0], dice());
        let (mut held, mut apart) = ([0, 0], 0);
        for _ in 0..400 {
            let mut results = played(model, &truth, 60, &mut dice);
            // The third never met the anchor.
            results.retain(|it| it.white + it.black != 2);
            let ratings = fit(&results, &[Some(0.0), None, None], model);
            for (held, player) in held.iter_mut().zip([1, 2]) {
                let rating = ratings.of(player).unwrap();
                *held += usize::from((rating.elo - truth[player]).abs() < rating.error);
            }
            apart += usize::from(ratings.superiority(1, 2).unwrap() > 0.975);
        }
        assert!(held.iter().all(|it| (364..=394).contains(it)), "{held:?}");
        assert_eq!(apart, 400);
    }

    #[test]
    fn without_anchors_the_mean_is_zero() {
        let (model, truth) = (Model::default(), [-100.0, 0.0, 100.0]);
        let mut results = played(model, &truth, 1_000, &mut dice());
        // A pair that met nobody else.
        results.push(pairing(3, 4, [1, 1, 1]));
        let ratings = fit(&results, &[None; 5], model);
        let rated = [0, 1, 2].map(|it| ratings.of(it).unwrap());
        assert!(rated.iter().map(|it| it.elo).sum::<f64>().abs() < 1e-6);
        for (rating, truth) in rated.iter().zip(truth) {
            assert!(
                (rating.elo - truth).abs() < 1.5 * rating.error,
                "{rating:?}"
            );
            // Closer to the mean of three than to one of the others.
            let anchored = fit(&results, &[Some(0.0), None, None, None, None], model);
            assert!(rating.error > 0.0 && rating.error < anchored.of(1).unwrap().error);
        }
        assert_eq!(ratings.of(3).unwrap_err(), Unrated::Apart);
        assert!(ratings.superiority(0, 3).is_none());
        assert!(fit(&[], &[None], model).of(0).unwrap().error == 0.0);
        fit(&[], &[], model);
    }

    #[test]
    fn who_has_no_rating_does_not_move_the_others() {
        let model = Model::default();
        let mut results = vec![pairing(0, 1, [10, 5, 5])];
        let alone = fit(&results, &[Some(2000.0), None], model).of(1).unwrap();
        results.push(pairing(2, 1, [10, 0, 0]));
        results.push(pairing(2, 2, [1, 0, 0]));
        let ratings = fit(&results, &[Some(2000.0), None, None], model);
        assert_eq!(ratings.of(2).unwrap_err(), Unrated::NothingLost);
        assert!((ratings.of(1).unwrap().elo - alone.elo).abs() < 1e-6);
        assert!(misfit(&results, &ratings, model, 2, 1).is_none());
    }

    #[test]
    fn far_anchors_are_reached() {
        let results = [pairing(0, 1, [99_999, 0, 1]), pairing(2, 0, [1, 0, 1])];
        let anchors = [None, Some(-9_000.0), Some(9_000.0)];
        let rating = fit(&results, &anchors, Model::default()).of(0).unwrap();
        assert!(
            rating.elo.is_finite() && rating.error.is_finite(),
            "{rating:?}"
        );
    }

    #[test]
    fn known_ratings_are_recovered_from_expected_results() {
        let model = Model::default();
        let truth = [2000.0, 2150.0, 2400.0];
        let mut results = Vec::new();
        for (white, black) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let counts = model
                .probabilities(truth[white], truth[black])
                .map(|it| (it * 100_000.0).round() as u32);
            results.push(pairing(white, black, counts));
        }
        let ratings = fit(&results, &[Some(2000.0), None, None], model);
        for (player, truth) in truth.into_iter().enumerate() {
            let rating = ratings.of(player).unwrap();
            assert!((rating.elo - truth).abs() < 0.5, "{rating:?} {truth}");
            assert_eq!(rating.error > 0.0, player > 0);
            assert!(rating.error < 3.0);
        }
        assert!(misfit(&results, &ratings, model, 1, 0).unwrap() < 0.1);
    }

    #[test]
    fn known_ratings_are_recovered_from_played_games() {
        let (model, truth) = (Model::default(), [2000.0, 2100.0, 2250.0, 2500.0]);
        let results = played(model, &truth, 400, &mut dice());
        let ratings = fit(&results, &[Some(2000.0), None, None, None], model);
        for (player, truth) in truth.into_iter().enumerate().skip(1) {
            let rating = ratings.of(player).unwrap();
            let off = (rating.elo - truth).abs();
            assert!(off < 1.5 * rating.error && off > 0.0, "{rating:?} {truth}");
        }
        assert!(ratings.superiority(3, 2).unwrap() > 0.999);
        assert!((ratings.superiority(1, 1).unwrap() - 0.5).abs() < 1e-6);
    }

    #[test]
    fn the_error_is_that_of_a_simple_match() {
        // 100 wins and 100 losses, no draws possible: the curvature is N p (1-p) (ln 10/400)².
        let model = Model {
            advantage: 0.0,
            draw: 0.0,
        };
        let results = [pairing(0, 1, [100, 0, 100])];
        let rating = fit(&results, &[None, Some(0.0)], model).of(0).unwrap();
        let expected = 1.96 / (200.0_f64 * 0.25).sqrt() * 400.0 / std::f64::consts::LN_10;
        assert!(
            rating.elo.abs() < 1e-6 && (rating.error - expected).abs() < 0.1,
            "{rating:?} {expected}"
        );
    }
}
