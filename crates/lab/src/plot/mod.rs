//! Figures as SVG that can be read on light and on dark pages, one kind a file.

mod dots;
mod lines;
mod palette;
mod points;

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

pub(crate) use dots::{Dots, Series};
pub(crate) use lines::{Line, Lines};
pub(crate) use points::Points;

const CAPTION: (&str, u32) = ("sans-serif", 18);
const LABEL: (&str, u32) = ("sans-serif", 12);

/// What a drawing step returns; errors of the drawing library borrow its canvas.
type Drawn<'a> = Result<(), Box<dyn Error + 'a>>;

/// A figure.
pub(crate) trait Figure {
    /// Draws into a text.
    fn draw<'a>(&'a self, svg: &'a mut String) -> Drawn<'a>;

    /// The figure as SVG.
    ///
    /// # Errors
    ///
    /// If the drawing library refuses, for example because an axis is empty.
    fn to_svg(&self) -> anyhow::Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg)
            .map_err(|error| anyhow::anyhow!("cannot draw the figure: {error}"))?;
        Ok(palette::with_schemes(&svg))
    }
}

/// Draws an entry of a legend: a mark, and a name beside it.
fn legend_entry<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    name: &str,
    color: &RGBColor,
    (x, y): (i32, i32),
    radius: i32,
) -> Drawn<'a> {
    area.draw(&Circle::new((x, y), radius, color.filled()))?;
    let place = (x + 2 * radius + 4, y - 6);
    area.draw(&Text::new(name.to_owned(), place, LABEL))?;
    Ok(())
}
