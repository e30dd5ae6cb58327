//! The five families of terms, and values kept for each of them.

use std::ops::{Index, IndexMut};

tabiya_chess::named! {
    /// A family of terms.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Family: "family" {
        /// The piece stands on the square.
        Place = "place",
        /// The piece could move to the square.
        Reach = "reach",
        /// A piece is attacked.
        Attack = "attack",
        /// A piece is defended; stored settings spell its name so.
        Defense = "defence",
        /// A piece is attacked through others.
        Ray = "ray",
    }
}

/// A value for each family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByFamily<T>([T; 5]);

impl<T: Copy> ByFamily<T> {
    /// The same value for all.
    pub const fn all(value: T) -> ByFamily<T> {
        ByFamily([value; 5])
    }

    /// The values with their families.
    pub fn iter(&self) -> impl Iterator<Item = (Family, T)> + '_ {
        Family::ALL.into_iter().map(|family| (family, self[family]))
    }
}

impl<T> Index<Family> for ByFamily<T> {
    type Output = T;

    fn index(&self, family: Family) -> &T {
        &self.0[family as usize]
    }
}

impl<T> IndexMut<Family> for ByFamily<T> {
    fn index_mut(&mut self, family: Family) -> &mut T {
        &mut self.0[family as usize]
    }
}
