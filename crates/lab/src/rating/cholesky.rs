//! Systems of equations with a symmetric positive definite matrix.

/// The lower triangle L of a matrix A = L Lᵀ, row by row.
pub(crate) struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// Takes a matrix apart. It must be positive definite.
    pub(crate) fn of(matrix: &[Vec<f64>]) -> Cholesky {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (at, full) in matrix.iter().enumerate() {
            let mut row: Vec<f64> = Vec::with_capacity(at + 1);
            for (column, above) in rows.iter().enumerate() {
                row.push((full[column] - dot(&row, above)) / above[column]);
            }
            // Rounding may leave nothing of a small pivot.
            let pivot = (full[at] - dot(&row, &row)).max(f64::MIN_POSITIVE);
            row.push(pivot.sqrt());
            rows.push(row);
        }
        Cholesky(rows)
    }

    /// The x with A x = `right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = Vec::with_capacity(right.len());
        for (row, right) in self.0.iter().zip(right) {
            x.push((right - dot(row, &x)) / row[x.len()]);
        }
        for (at, row) in self.0.iter().enumerate().rev() {
            x[at] /= row[at];
            let known = x[at];
            for (x, entry) in x[..at].iter_mut().zip(row) {
                *x -= entry * known;
            }
        }
        x
    }

    /// A⁻¹.
    pub(crate) fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.0.len();
        let unit = |at: usize| (0..size).map(|it| f64::from(it == at)).collect::<Vec<_>>();
        (0..size).map(|it| self.solve(&unit(it))).collect()
    }
}

/// The sum of products, as far as both go.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = [
            vec![4.0, -2.0, 0.5],
            vec![-2.0, 5.0, 1.0],
            vec![0.5, 1.0, 3.0],
        ];
        let inverse = Cholesky::of(&matrix).inverse();
        for (at, row) in matrix.iter().enumerate() {
            for (column, other) in inverse.iter().enumerate() {
                // The inverse is symmetric, so its rows are its columns.
                let expected = f64::from(at == column);
                assert!((dot(row, other) - expected).abs() < 1e-12, "{inverse:?}");
            }
        }
        assert!(Cholesky::of(&[]).solve(&[]).is_empty());
    }
}
