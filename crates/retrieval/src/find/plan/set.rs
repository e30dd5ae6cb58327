//! Sets.

use std::ops::Not;

use shakmaty::Bitboard;
use tabiya_pattern::{
    program::{Each, Pin, Ray, Set},
    syntax::{Direction, Kinds, PinPart},
};

use super::{Clue, Members, Planner};
use crate::{find::clue::relations, term::Family};

/// What is known of a set: its members, and what must be the case for it to have any.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) members: Members,
    pub(super) clue: Clue,
}

impl Bound {
    /// Members that are there without a condition.
    fn of(members: Members) -> Bound {
        Bound {
            members,
            clue: Clue::All,
        }
    }

    /// What must be the case for the set to have members.
    pub(super) fn some(self) -> Clue {
        Clue::and([Clue::some(self.members), self.clue])
    }
}

impl Planner {
    pub(super) fn set(&mut self, set: &Set) -> Bound {
        match set {
            Set::Squares(squares) => Bound::of(Members::on(*squares)),
            Set::Pieces(kinds, squares) => Bound::of(Members::on(*squares).among(*kinds)),
            Set::Variable(variable) | Set::Piece(variable) => Bound::of(self.known(*variable)),
            Set::Union(all) => self.union(all),
            Set::Intersection(all) => self.intersection(all),
            Set::Complement(it) => Bound::of(complement(it)),
            Set::Attacks(one, two) => self.attackers(one, two),
            Set::AttackedBy(one, two) => self.attacked(one, two),
            Set::Direction(direction, least, most, of) => {
                let of = self.set(of);
                let squares = spread(*direction, *least, *most, of.members.squares);
                Bound {
                    members: Members::on(squares),
                    clue: of.some(),
                }
            }
            Set::Ray(ray) => self.ray(ray),
            Set::Between(one, two) => Bound {
                members: Members::ANY,
                clue: Clue::and([self.set(one).some(), self.set(two).some()]),
            },
            Set::Pin(pin) => self.pin(pin),
            Set::Pawns(_) => Bound::of(Members::of(Kinds::PAWNS)),
            Set::Each(each) => self.each(each),
            Set::Legal(motion) => {
                let clue = self.motion(motion);
                let to = motion.to.as_ref().map(|it| self.set(it).members.squares);
                Bound {
                    members: Members::on(to.unwrap_or(Bitboard::FULL)),
                    clue,
                }
            }
            Set::Moved(motion) => Bound {
                members: Members::ANY,
                clue: self.motion(motion),
            },
            Set::At(place, it) => {
                let bound = self.elsewhere(|this| this.set(it));
                Bound {
                    members: Members::on(bound.members.squares),
                    clue: self.at(*place, bound.some()),
                }
            }
            Set::If(truth, set) => {
                let known = self.variables.len();
                let clue = self.truth(truth);
                self.learn(truth);
                let bound = self.set(set);
                self.variables.truncate(known);
                Bound {
                    clue: Clue::and([clue, bound.clue]),
                    ..bound
                }
            }
        }
    }

    /// What is known of a variable.
    fn known(&self, variable: usize) -> Members {
        let latest = self.variables.iter().rev().find(|it| it.0 == variable);
        latest.map_or(Members::ANY, |it| it.1)
    }

    fn attackers(&mut self, one: &Set, two: &Set) -> Bound {
        let (one, two) = (self.set(one), self.set(two));
        let clue = attack(one.members, two.members);
        Bound {
            members: one.members.among(Kinds::PIECES),
            clue: Clue::and([one.clue, two.clue, clue]),
        }
    }

    fn attacked(&mut self, one: &Set, two: &Set) -> Bound {
        let (one, two) = (self.set(one), self.set(two));
        let clue = attack(two.members, one.members);
        let members = match one.members.may_be_empty() {
            true => one.members,
            false => Members {
                by: Some(two.members.kinds & Kinds::PIECES),
                ..one.members
            },
        };
        Bound {
            members,
            clue: Clue::and([one.clue, two.some(), clue]),
        }
    }

    fn union(&mut self, all: &[Set]) -> Bound {
        let bounds: Vec<Bound> = all.iter().map(|it| self.set(it)).collect();
        let mut members = Members::on(Bitboard::EMPTY).among(Kinds::default());
        for bound in &bounds {
            members.kinds = members.kinds | bound.members.kinds;
            members.squares |= bound.members.squares;
        }
        let first = bounds.first().and_then(|it| it.members.by);
        members.by = first.filter(|_| bounds.iter().all(|it| it.members.by == first));
        Bound {
            members,
            clue: Clue::or(bounds.into_iter().map(Bound::some)),
        }
    }

    fn intersection(&mut self, all: &[Set]) -> Bound {
        let mut members = Members::ANY;
        let mut clues = Vec::new();
        for it in all {
            let bound = self.set(it);
            members = members.among(bound.members.kinds);
            members.squares &= bound.members.squares;
            members.by = members.by.or(bound.members.by);
            clues.push(bound.clue);
        }
        if members.may_be_empty() {
            members.by = None;
        }
        Bound {
            members,
            clue: Clue::and(clues),
        }
    }

    fn each(&mut self, each: &Each) -> Bound {
        let within = self.set(&each.within);
        let known = self.variables.len();
        self.variables.push((each.variable, within.members));
        // A round of the loop may set what the next one reads.
        self.forget(&each.body);
        let body = self.truth(&each.body);
        self.variables.truncate(known);
        Bound {
            clue: Clue::and([within.clue, body]),
            ..within
        }
    }

    fn ray(&mut self, ray: &Ray) -> Bound {
        let bounds: Vec<Bound> = ray.sets.iter().map(|it| self.set(it)).collect();
        let mut clues: Vec<Clue> = bounds.iter().map(|it| it.clone().some()).collect();
        if ray.attacks
            && let [first, middle @ .., last] = &bounds[..]
        {
            let next = middle.first().unwrap_or(last);
            if !next.members.may_be_empty() {
                clues.push(attack(first.members, next.members));
            }
            let through = middle.iter().any(|it| !it.members.may_be_empty());
            if through {
                clues.extend(seen_through(first.members, last.members));
            }
        }
        let members = match ray.first {
            true => bounds.first().map(|it| it.members),
            false => bounds.last().map(|it| Members {
                by: None,
                ..it.members
            }),
        };
        Bound {
            members: members.unwrap_or(Members::ANY),
            clue: Clue::and(clues),
        }
    }

    fn pin(&mut self, pin: &Pin) -> Bound {
        let mut part = |it: &Option<Set>, default: Kinds| match it {
            Some(set) => self.set(set),
            None => Bound::of(Members::of(default)),
        };
        let (from, through, to) = (
            part(&pin.from, Kinds::PIECES),
            part(&pin.through, Kinds::PIECES),
            part(&pin.to, Kinds::KINGS),
        );
        let each = [Kinds::WHITE, Kinds::BLACK].map(|color| {
            let pinner = from.members.among(color);
            let pinned = through.members.among(color.swapped());
            let mut clues = vec![attack(pinner, pinned)];
            if !to.members.may_be_empty() {
                clues.extend(seen_through(pinner, to.members.among(color.swapped())));
            }
            Clue::and(clues)
        });
        let value = match pin.value {
            PinPart::From => from.members,
            PinPart::Through => through.members,
            PinPart::To => to.members,
        };
        Bound {
            members: Members { by: None, ..value },
            clue: Clue::and([from.clue, through.clue, to.clue, Clue::or(each)]),
        }
    }
}

/// A piece of one set attacks a square of another.
fn attack(actors: Members, targets: Members) -> Clue {
    let actors = actors.among(Kinds::PIECES);
    if actors.kinds == Kinds::default() {
        return Clue::None;
    }
    if !targets.may_be_empty() {
        return Clue::some(Members {
            by: Some(actors.kinds),
            ..targets
        });
    }
    // An empty square is attacked by what could move there, but for pawns.
    let few = targets.squares.count() <= 4;
    if few && !actors.kinds.meets(Kinds::PAWNS) {
        return Clue::Reach(actors.kinds, targets.squares);
    }
    Clue::some(actors)
}

/// A slider of one set looks through something at an enemy of another; `None` if the index cannot tell.
fn seen_through(actors: Members, targets: Members) -> Option<Clue> {
    let own = |color| actors.kinds.meets(color) && targets.kinds.meets(color);
    if targets.may_be_empty() || own(Kinds::WHITE) || own(Kinds::BLACK) {
        return None;
    }
    let terms = relations(&[Family::Ray], actors.kinds, targets.kinds, targets.squares);
    Some(if terms.is_empty() {
        Clue::None
    } else {
        Clue::Terms(terms)
    })
}

fn spread(direction: Direction, least: u8, most: u8, squares: Bitboard) -> Bitboard {
    let mut all = Bitboard::EMPTY;
    for square in squares {
        for (file, rank) in direction.steps() {
            for distance in least..=most {
                let by =
                    |start: u32, step: i8| start as i32 + i32::from(step) * i32::from(distance);
                let (file, rank) = (
                    by(square.file().into(), file),
                    by(square.rank().into(), rank),
                );
                if (0..8).contains(&file) && (0..8).contains(&rank) {
                    all |= Bitboard(1 << (rank * 8 + file));
                }
            }
        }
    }
    all
}

/// What is known of the squares that are not in a set.
fn complement(set: &Set) -> Members {
    match set {
        Set::Squares(squares) => Members::on(!*squares),
        _ => whole_kinds(set).map_or(Members::ANY, |kinds| Members::of(!kinds)),
    }
}

/// The kinds of a set that holds all pieces of some kinds and nothing else.
fn whole_kinds(set: &Set) -> Option<Kinds> {
    match set {
        Set::Pieces(kinds, Bitboard::FULL) => Some(*kinds),
        Set::Union(all) => {
            let none = Kinds::default();
            all.iter()
                .try_fold(none, |all, it| Some(all | whole_kinds(it)?))
        }
        Set::Intersection(all) => {
            let kinds = |it: &Set| match it {
                Set::Complement(inner) => whole_kinds(inner).map(Kinds::not),
                other => whole_kinds(other),
            };
            all.iter()
                .try_fold(Kinds::ALL, |all, it| Some(all & kinds(it)?))
        }
        _ => None,
    }
}

/// Whether a set holds all pieces of the kinds that its members have.
pub(super) fn is_all_pieces(set: &Set) -> bool {
    whole_kinds(set).is_some_and(|it| !it.meets(Kinds::EMPTY))
}
