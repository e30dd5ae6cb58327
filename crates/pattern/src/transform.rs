//! Transforms: a filter with its board turned, shifted, or its colors exchanged.
//!
//! A transform stands for its variants, so it is spelled out before a query is compiled. A shift that
//! pushes a designator off the board is not a variant at all, wherever the designator stands.

use std::collections::HashSet;

use crate::{
    error::PatternError,
    syntax::{
        Constituent, DashMove, Designator, Direction, Filter, GameResult, Line, Node, Path,
        Rectangle, Remark, Step, StepKind, Tag, Transform,
    },
};

/// The most parts that a query may have when its transforms are spelled out.
const MOST_PARTS: usize = 200_000;

/// A way to change a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Exchanges colors and mirrors ranks.
    Colors,
    /// Turns the board: file and rank, counted from the middle, by a matrix of signs.
    Turn([[i8; 2]; 2]),
    /// Moves squares.
    Shift(i8, i8),
}

const QUARTER: Change = Change::Turn([[0, 1], [-1, 0]]);
const LEFT_RIGHT: Change = Change::Turn([[-1, 0], [0, 1]]);
const TOP_BOTTOM: Change = Change::Turn([[1, 0], [0, -1]]);
const NONE: Change = Change::Turn([[1, 0], [0, 1]]);

/// The changes that a transform tries.
fn changes(transform: Transform) -> Vec<Change> {
    let shifts = |files: i8, ranks: i8| {
        let each = move |files_by: i8| (-ranks..=ranks).map(move |it| Change::Shift(files_by, it));
        (-files..=files).flat_map(each).collect::<Vec<_>>()
    };
    let turns = |from: Change| {
        let mut turns = vec![from];
        for _ in 0..3 {
            turns.push(turns[turns.len() - 1].after(QUARTER));
        }
        turns
    };
    match transform {
        Transform::FlipColor => vec![NONE, Change::Colors],
        Transform::FlipVertical => vec![NONE, LEFT_RIGHT],
        Transform::FlipHorizontal => vec![NONE, TOP_BOTTOM],
        Transform::Rotate90 => turns(NONE),
        Transform::Flip => [turns(NONE), turns(LEFT_RIGHT)].concat(),
        Transform::Shift => shifts(7, 7),
        Transform::ShiftHorizontal => shifts(7, 0),
        Transform::ShiftVertical => shifts(0, 7),
        Transform::NoTransform => vec![NONE],
    }
}

impl Change {
    fn after(self, other: Change) -> Change {
        match (self, other) {
            (Change::Turn(one), Change::Turn(two)) => Change::Turn([0, 1].map(|row| {
                [0, 1].map(|column| two[row][0] * one[0][column] + two[row][1] * one[1][column])
            })),
            _ => self,
        }
    }

    fn step(self, (file, rank): (i8, i8)) -> (i8, i8) {
        match self {
            Change::Colors => (file, -rank),
            Change::Turn([[a, b], [c, d]]) => (a * file + b * rank, c * file + d * rank),
            Change::Shift(..) => (file, rank),
        }
    }

    /// Whether light squares become dark ones.
    fn changes_shade(self) -> bool {
        match self {
            Change::Colors => true,
            Change::Turn(rows) => rows.iter().flatten().filter(|&&it| it < 0).count() == 1,
            Change::Shift(..) => false,
        }
    }

    /// The rectangle after the change; `None` if nothing of it is left on the board.
    fn rectangle(self, it: Rectangle) -> Option<Rectangle> {
        if let Change::Shift(files, ranks) = self {
            let moved = |range: (i8, i8), by: i8| match range {
                (0, 7) => (0, 7),
                (first, last) => ((first + by).max(0), (last + by).min(7)),
            };
            let (files, ranks) = (moved(it.files, files), moved(it.ranks, ranks));
            let on_board = files.0 <= files.1 && ranks.0 <= ranks.1;
            return on_board.then_some(Rectangle { files, ranks });
        }
        // Corners in half squares from the middle, so that turning keeps the board.
        let corner = |file: i8, rank: i8| self.step((2 * file - 7, 2 * rank - 7));
        let one = corner(it.files.0, it.ranks.0);
        let two = corner(it.files.1, it.ranks.1);
        let range = |one: i8, two: i8| ((one.min(two) + 7) / 2, (one.max(two) + 7) / 2);
        Some(Rectangle {
            files: range(one.0, two.0),
            ranks: range(one.1, two.1),
        })
    }

    fn designator(self, it: &Designator) -> Option<Designator> {
        let squares: Vec<_> = it
            .squares
            .iter()
            .filter_map(|&it| self.rectangle(it))
            .collect();
        if squares.is_empty() && !it.squares.is_empty() {
            return None;
        }
        let pieces = match self {
            Change::Colors => it.pieces.map(|it| it.swapped()),
            _ => it.pieces,
        };
        Some(Designator { pieces, squares })
    }

    /// The filter after the change; `None` if a designator has left the board.
    pub(crate) fn filter(self, filter: &Filter) -> Option<Filter> {
        if self == NONE {
            return Some(filter.clone());
        }
        Some(Filter {
            node: self.node(&filter.node)?,
            span: filter.span,
        })
    }

    fn inner(self, filter: &Filter) -> Option<Box<Filter>> {
        self.filter(filter).map(Box::new)
    }

    fn list(self, filters: &[Filter]) -> Option<Vec<Filter>> {
        filters.iter().map(|it| self.filter(it)).collect()
    }

    fn option(self, filter: &Option<Filter>) -> Option<Option<Filter>> {
        filter
            .as_ref()
            .map(|it| self.filter(it))
            .map_or(Some(None), |it| it.map(Some))
    }

    fn node(self, node: &Node) -> Option<Node> {
        let swaps = self == Change::Colors;
        let color = |it: shakmaty::Color| if swaps { !it } else { it };
        Some(match node {
            Node::Designator(it) => Node::Designator(self.designator(it)?),
            Node::Turn(it) => Node::Turn(color(*it)),
            Node::Elo(it) => Node::Elo(it.map(color)),
            Node::Tag(Tag::Player(it), text) => Node::Tag(Tag::Player(it.map(color)), text.clone()),
            Node::Result(it) => Node::Result(match it {
                GameResult::WhiteWins if swaps => GameResult::BlackWins,
                GameResult::BlackWins if swaps => GameResult::WhiteWins,
                other => *other,
            }),
            Node::Direction {
                direction,
                least,
                most,
                of,
            } => Node::Direction {
                direction: self.direction(*direction),
                least: *least,
                most: *most,
                of: self.inner(of)?,
            },
            Node::Ray {
                attacks,
                directions,
                sets,
            } => Node::Ray {
                attacks: *attacks,
                directions: directions.iter().map(|&it| self.direction(it)).collect(),
                sets: self.list(sets)?,
            },
            Node::Shade { light, of } => Node::Shade {
                light: *light != self.changes_shade(),
                of: self.inner(of)?,
            },
            Node::Transform(Transform::NoTransform, _) => node.clone(),
            Node::Line(line) => Node::Line(Line {
                steps: self.steps(&line.steps)?,
                ..line.clone()
            }),
            Node::Path(path) => Node::Path(Path {
                focus: match &path.focus {
                    Some(it) => Some(self.inner(it)?),
                    None => None,
                },
                parts: self.constituents(&path.parts)?,
                ..path.clone()
            }),
            Node::Legal(mv) => Node::Legal(self.dash(mv)?),
            Node::CountMoves(mv) => Node::CountMoves(self.dash(mv)?),
            Node::Dash(mv) => Node::Dash(self.dash(mv)?),
            Node::Previous(mv) => Node::Previous(self.dash(mv)?),
            Node::Move(mv) => {
                let mut mv = mv.clone();
                for (_, set) in &mut mv.parts {
                    *set = self.filter(set)?;
                }
                Node::Move(mv)
            }
            Node::Pin { parts } => {
                let mut parts = parts.clone();
                for (_, set) in &mut parts {
                    *set = self.filter(set)?;
                }
                Node::Pin { parts }
            }
            Node::Compare { first, rest } => {
                let mut rest = rest.clone();
                for (_, value) in &mut rest {
                    *value = self.filter(value)?;
                }
                let first = self.inner(first)?;
                Node::Compare { first, rest }
            }
            Node::Comment(parts) => {
                let mut parts = parts.clone();
                for part in &mut parts {
                    if let Remark::Value(value) = part {
                        *value = self.filter(value)?;
                    }
                }
                Node::Comment(parts)
            }
            _ => return self.plain(node),
        })
    }

    /// A filter of which only its parts change.
    fn plain(self, node: &Node) -> Option<Node> {
        let mut changed = node.clone();
        let mut lost = false;
        changed.for_each_inner(&mut |inner| match self.filter(inner) {
            Some(filter) => *inner = filter,
            None => lost = true,
        });
        (!lost).then_some(changed)
    }

    fn direction(self, direction: Direction) -> Direction {
        direction.map(|it| self.step(it))
    }

    fn steps(self, steps: &[Step]) -> Option<Vec<Step>> {
        let step = |it: &Step| {
            let what = match &it.what {
                StepKind::Filter(filter) => StepKind::Filter(self.filter(filter)?),
                StepKind::Group(steps) => StepKind::Group(self.steps(steps)?),
            };
            Some(Step {
                what,
                repeat: it.repeat,
            })
        };
        steps.iter().map(step).collect()
    }

    fn constituents(self, parts: &[Constituent]) -> Option<Vec<Constituent>> {
        let part = |it: &Constituent| {
            Some(match it {
                Constituent::Filter(filter) => Constituent::Filter(self.filter(filter)?),
                Constituent::Move(mv, filters, repeat) => {
                    Constituent::Move(self.dash(mv)?, self.list(filters)?, *repeat)
                }
                Constituent::Group(parts, repeat) => {
                    Constituent::Group(self.constituents(parts)?, *repeat)
                }
            })
        };
        parts.iter().map(part).collect()
    }

    fn dash(self, mv: &DashMove) -> Option<Box<DashMove>> {
        Some(Box::new(DashMove {
            captures: mv.captures,
            from: self.option(&mv.from)?,
            to: self.option(&mv.to)?,
            promotion: mv.promotion,
            after: self.option(&mv.after)?,
        }))
    }
}

/// Spells out all transforms of a filter, innermost first.
///
/// # Errors
///
/// When there are too many variants.
pub(crate) fn expand(filter: &mut Filter) -> Result<(), PatternError> {
    let mut parts = 0;
    expand_counting(filter, &mut parts)
}

fn expand_counting(filter: &mut Filter, parts: &mut usize) -> Result<(), PatternError> {
    let mut result = Ok(());
    filter.node.for_each_inner(&mut |inner| {
        if result.is_ok() {
            result = expand_counting(inner, parts);
        }
    });
    result?;
    let span = filter.span;
    let Node::Transform(transform, inner) = &mut filter.node else {
        return Ok(());
    };
    if *transform == Transform::NoTransform {
        // Stays, so that outer transforms leave it alone.
        return Ok(());
    }
    let changes = changes(*transform);
    let size = size_of(inner);
    *parts += size * changes.len();
    if *parts > MOST_PARTS {
        let message = format!(
            "the transforms make more than {MOST_PARTS} parts; nest fewer of them, or put less into {}",
            transform.name()
        );
        return Err(PatternError::new(span, message));
    }
    let sources = match &inner.node {
        Node::Variants(variants) => variants.clone(),
        _ => vec![(**inner).clone()],
    };
    // A comment is written once for each variant, however alike they are.
    let comments = writes_comments(inner);
    let mut seen = HashSet::new();
    let mut variants = Vec::new();
    for change in changes {
        for variant in sources.iter().filter_map(|it| change.filter(it)) {
            if comments || seen.insert(variant.clone()) {
                variants.push(variant);
            }
        }
    }
    filter.node = match variants.len() {
        1 => variants.remove(0).node,
        _ => Node::Variants(variants),
    };
    Ok(())
}

fn writes_comments(filter: &mut Filter) -> bool {
    let mut found = matches!(filter.node, Node::Comment(_));
    filter
        .node
        .for_each_inner(&mut |it| found = found || writes_comments(it));
    found
}

fn size_of(filter: &Filter) -> usize {
    let mut size = 1;
    let mut copy = filter.clone();
    copy.node.for_each_inner(&mut |it| size += size_of(it));
    size
}

impl Node {
    /// Visits the filters directly within this one.
    pub(crate) fn for_each_inner(&mut self, visit: &mut dyn FnMut(&mut Filter)) {
        match self {
            Node::Complement(it)
            | Node::Count(it)
            | Node::Power(it)
            | Node::Rank(it)
            | Node::File(it)
            | Node::Absolute(it)
            | Node::Not(it)
            | Node::At(_, it)
            | Node::Transform(_, it)
            | Node::Direction { of: it, .. }
            | Node::Shade { of: it, .. }
            | Node::Find { what: it, .. }
            | Node::Sort { value: it, .. }
            | Node::Assign { value: it, .. } => visit(it),
            Node::Attacks(one, two)
            | Node::AttackedBy(one, two)
            | Node::Between(one, two)
            | Node::Arithmetic(_, one, two)
            | Node::Loop {
                within: one,
                body: two,
                ..
            } => {
                visit(one);
                visit(two);
            }
            Node::Union(all)
            | Node::Intersection(all)
            | Node::Arrows { sets: all, .. }
            | Node::Ray { sets: all, .. }
            | Node::Or(all)
            | Node::And(all)
            | Node::Block(all)
            | Node::Variants(all) => all.iter_mut().for_each(visit),
            Node::Pin { parts } => parts.iter_mut().for_each(|it| visit(&mut it.1)),
            Node::Move(mv) => mv.parts.iter_mut().for_each(|it| visit(&mut it.1)),
            Node::Compare { first, rest } => {
                visit(first);
                rest.iter_mut().for_each(|it| visit(&mut it.1));
            }
            Node::Legal(mv) | Node::CountMoves(mv) | Node::Dash(mv) | Node::Previous(mv) => {
                mv.for_each_inner(visit);
            }
            Node::Comment(parts) => {
                for part in parts {
                    if let Remark::Value(value) = part {
                        visit(value);
                    }
                }
            }
            Node::Line(line) => for_each_in_steps(&mut line.steps, visit),
            Node::Path(path) => {
                if let Some(focus) = &mut path.focus {
                    visit(focus);
                }
                for_each_in_constituents(&mut path.parts, visit);
            }
            Node::Designator(_)
            | Node::Variable(_)
            | Node::Pawns(_)
            | Node::Integer(_)
            | Node::Ply
            | Node::MoveNumber
            | Node::Year
            | Node::Elo(_)
            | Node::Turn(_)
            | Node::Check
            | Node::Mate
            | Node::Stalemate
            | Node::Initial
            | Node::Terminal
            | Node::Boolean(_)
            | Node::Tag(..)
            | Node::Result(_)
            | Node::Castle(_)
            | Node::CurrentPosition
            | Node::Named(_) => {}
        }
    }
}

impl DashMove {
    fn for_each_inner(&mut self, visit: &mut dyn FnMut(&mut Filter)) {
        let parts = [&mut self.from, &mut self.to, &mut self.after];
        parts.into_iter().flatten().for_each(visit);
    }
}

fn for_each_in_steps(steps: &mut [Step], visit: &mut dyn FnMut(&mut Filter)) {
    for step in steps {
        match &mut step.what {
            StepKind::Filter(filter) => visit(filter),
            StepKind::Group(steps) => for_each_in_steps(steps, visit),
        }
    }
}

fn for_each_in_constituents(parts: &mut [Constituent], visit: &mut dyn FnMut(&mut Filter)) {
    for part in parts {
        match part {
            Constituent::Filter(filter) => visit(filter),
            Constituent::Move(mv, filters, _) => {
                mv.for_each_inner(visit);
                filters.iter_mut().for_each(&mut *visit);
            }
            Constituent::Group(parts, _) => for_each_in_constituents(parts, visit),
        }
    }
}
