//! What each value of a feature is worth.

use super::feature::Feature;

/// More than any sum.
pub(super) const TOP: f64 = 1e6;

/// What a feature adds to the score.
pub(super) fn worth(feature: Feature, value: f32) -> f64 {
    // Provisional, until the trained table is here.
    let weight = match feature {
        Feature::Squares => 6.0,
        Feature::Place | Feature::Material | Feature::Mate | Feature::Win => 2.0,
        Feature::Force | Feature::Balance | Feature::Count | Feature::PawnCount => 0.2,
        Feature::TheirKing | Feature::OurKing | Feature::Wings => 0.1,
        Feature::Shared => 0.02,
        _ => 0.5,
    };
    weight * f64::from(value)
}

/// The chance that a hit with this score is of the best grade.
pub(super) fn similarity(score: f64) -> f64 {
    let part = 1.0 / (1.0 + (10.0 - score).exp());
    part.min(0.999)
}
