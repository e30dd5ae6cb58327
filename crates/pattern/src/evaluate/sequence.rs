//! Lines and paths.
//!
//! A way is followed for all its ends at once: from the distances that are reached so far, an element
//! leads to others. So a line with any number of stars takes time, not ages.

use super::Look;
use crate::program::{Element, Sequence, Set};

impl Look<'_> {
    /// The length of a sequence from a position; `None` if there is no way.
    pub(super) fn length(&mut self, sequence: &Sequence, ply: usize) -> Option<usize> {
        if let Some(ban) = sequence.nest_ban
            && self.state.nest_bans[ban].is_some_and(|last| ply <= last)
        {
            return None;
        }
        let distance = self.distance(sequence, ply)?;
        let length = match sequence.counts_positions {
            true => distance / sequence.stride,
            false => distance,
        };
        if let Some((least, most)) = sequence.length
            && !(least as usize..=most as usize).contains(&length)
        {
            return None;
        }
        if let Some(ban) = sequence.nest_ban {
            self.state.nest_bans[ban] = Some(match sequence.counts_positions {
                true => ply + distance - sequence.stride,
                false => ply + distance,
            });
        }
        Some(length)
    }

    /// The last position of a sequence.
    pub(super) fn end(&mut self, sequence: &Sequence, ply: usize) -> Option<usize> {
        let distance = self.distance(sequence, ply)?;
        let plies = match sequence.counts_positions {
            true => distance - sequence.stride,
            false => distance,
        };
        match sequence.backward {
            true => ply.checked_sub(plies),
            false => Some(ply + plies),
        }
    }

    /// How far the way goes; an empty one is none.
    fn distance(&mut self, sequence: &Sequence, ply: usize) -> Option<usize> {
        let ends = self.advance(&sequence.elements, sequence, ply, vec![0]);
        let mut ends = ends.into_iter().filter(|&it| it > 0);
        match sequence.shortest {
            true => ends.min(),
            false => ends.next_back(),
        }
    }

    /// The distances that elements lead to from others; both are sorted.
    fn advance(
        &mut self,
        elements: &[Element],
        sequence: &Sequence,
        start: usize,
        mut from: Vec<usize>,
    ) -> Vec<usize> {
        for element in elements {
            if from.is_empty() {
                break;
            }
            from = self.advance_one(element, sequence, start, from);
        }
        from
    }

    fn advance_one(
        &mut self,
        element: &Element,
        sequence: &Sequence,
        start: usize,
        mut from: Vec<usize>,
    ) -> Vec<usize> {
        match element {
            Element::Step(truth) => {
                from.retain(|&it| {
                    let ply = position(sequence, start, it);
                    let ply = ply.filter(|&ply| ply <= self.last());
                    ply.is_some_and(|ply| self.truth(truth, ply))
                });
                from.iter_mut().for_each(|it| *it += sequence.stride);
                from
            }
            Element::Here(truth) => {
                from.retain(|&it| self.truth(truth, start + it));
                from
            }
            Element::Move(motion) => {
                let moves = from.into_iter().filter_map(|it| {
                    let ply = self.next_in_focus(sequence.focus.as_ref(), start, start + it)?;
                    self.moved(motion, ply).map(|_| ply + 1 - start)
                });
                let mut reached: Vec<usize> = moves.collect();
                reached.dedup();
                reached
            }
            Element::Group(elements, repeat) => {
                let mut reached = if repeat.least == 0 {
                    from.clone()
                } else {
                    Vec::new()
                };
                let mut times = 0;
                while times < repeat.most && !from.is_empty() {
                    let next = self.advance(elements, sequence, start, from.clone());
                    times += 1;
                    if times >= repeat.least {
                        let is_new = |it: &usize| reached.binary_search(it).is_err();
                        let new: Vec<usize> = next.into_iter().filter(is_new).collect();
                        reached.extend(&new);
                        reached.sort_unstable();
                        from = new;
                    } else if next == from {
                        // Filters alone lead nowhere, however often they are repeated.
                        times = repeat.least.saturating_sub(1).max(times);
                        from = next;
                    } else {
                        from = next;
                    }
                }
                reached
            }
        }
    }

    /// The first position from here on whose move counts. The way begins with such a move.
    fn next_in_focus(&mut self, focus: Option<&Set>, start: usize, ply: usize) -> Option<usize> {
        let Some(focus) = focus else {
            return Some(ply);
        };
        let last = if ply == start { ply + 1 } else { self.last() };
        (ply..last.min(self.last())).find(|&it| {
            let mv = self.sheet.mv(it);
            !mv.is_null() && self.set(focus, it) >> mv.origin() as u32 & 1 == 1
        })
    }
}

/// The position at a distance from the start.
fn position(sequence: &Sequence, start: usize, distance: usize) -> Option<usize> {
    match sequence.backward {
        true => start.checked_sub(distance),
        false => Some(start + distance),
    }
}
