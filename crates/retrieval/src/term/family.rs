//! The five families of terms, and values kept for each of them.

use std::{
    fmt,
    ops::{Index, IndexMut},
};

/// A family of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// The piece stands on the square.
    Place,
    /// The piece could move to the square.
    Reach,
    /// A piece is attacked.
    Attack,
    /// A piece is defended.
    Defence,
    /// A piece is attacked through others.
    Ray,
}

impl Family {
    /// All five.
    pub const ALL: [Family; 5] = [
        Family::Place,
        Family::Reach,
        Family::Attack,
        Family::Defence,
        Family::Ray,
    ];

    /// The name used in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Place => "place",
            Family::Reach => "reach",
            Family::Attack => "attack",
            Family::Defence => "defence",
            Family::Ray => "ray",
        }
    }

    /// The family with this name.
    pub fn from_name(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
