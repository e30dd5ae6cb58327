//! The numbers of the network, read from the file that is built in.

use std::sync::LazyLock;

/// Inputs: two owners, six roles, 64 squares.
pub(super) const INPUTS: usize = 768;
/// Cells of each side.
pub(super) const CELLS: usize = 128;
/// Outputs, by the number of pieces.
pub(super) const OUTPUTS: usize = 8;

/// One in a cell.
pub(super) const CELL: i16 = 255;
/// One in a weight of the last layer.
pub(super) const OUTPUT: i16 = 64;

/// A number for each cell of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Cells(pub(super) [i16; CELLS]);

impl Cells {
    // Sums of more pieces than a game has wrap around.
    pub(super) fn add(&mut self, row: &Cells) {
        for (cell, weight) in self.0.iter_mut().zip(&row.0) {
            *cell = cell.wrapping_add(*weight);
        }
    }

    pub(super) fn subtract(&mut self, row: &Cells) {
        for (cell, weight) in self.0.iter_mut().zip(&row.0) {
            *cell = cell.wrapping_sub(*weight);
        }
    }
}

/// All weights.
pub(super) struct Weights {
    /// What each input adds to the cells.
    pub(super) first: Vec<Cells>,
    pub(super) first_bias: Cells,
    /// For each output the weights of the cells of the side to move and of the other side.
    pub(super) last: [[Cells; 2]; OUTPUTS],
    pub(super) last_bias: [i32; OUTPUTS],
}

/// The file in the order of [`Weights`], little-endian: 16 bits a weight, 32 bits the last biases.
const FILE: &[u8; LENGTH] = include_bytes!("weights.bin");
const LENGTH: usize = 2 * CELLS * (INPUTS + 1 + 2 * OUTPUTS) + 4 * OUTPUTS;

/// The weights of the network.
pub(super) fn weights() -> &'static Weights {
    static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::read(FILE));
    &WEIGHTS
}

impl Weights {
    fn read(file: &[u8; LENGTH]) -> Weights {
        let (cells, biases) = file.split_at(LENGTH - 4 * OUTPUTS);
        let mut rows = cells.as_chunks::<{ 2 * CELLS }>().0.iter().map(row);
        let mut next = || rows.next().unwrap_or(Cells([0; CELLS]));
        let mut biases = biases.as_chunks::<4>().0.iter();
        Weights {
            first: (0..INPUTS).map(|_| next()).collect(),
            first_bias: next(),
            last: std::array::from_fn(|_| [next(), next()]),
            last_bias: std::array::from_fn(|_| {
                biases.next().map_or(0, |it| i32::from_le_bytes(*it))
            }),
        }
    }
}

fn row(bytes: &[u8; 2 * CELLS]) -> Cells {
    let numbers = bytes.as_chunks::<2>().0;
    Cells(std::array::from_fn(|it| i16::from_le_bytes(numbers[it])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sum_of_a_game_overflows() {
        let weights = weights();
        for cell in 0..CELLS {
            let greatest = |it: &Cells| i32::from(it.0[cell]).abs();
            let worst = weights.first.iter().map(greatest).max().unwrap();
            assert!(greatest(&weights.first_bias) + 32 * worst <= i32::from(i16::MAX));
        }
        for side in weights.last.iter().flatten() {
            let sizes = side.0.iter().map(|it| i32::from(it.abs()));
            assert!(sizes.clone().max() <= Some(i32::from(i16::MAX / CELL)));
            let one = i64::from(CELL) * i64::from(CELL);
            assert!(sizes.map(i64::from).sum::<i64>() * one <= i64::from(i32::MAX / 2));
        }
    }
}
