//! Lines over two axes.

use plotters::prelude::*;

use super::palette::COLORS;
use super::{CAPTION, Drawn, Figure, LABEL, legend_entry};

/// A line through points, in the order of their first coordinate.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// What the legend says.
    pub(crate) name: String,
    /// The points.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// What stands above the figure.
    pub(crate) title: String,
    /// What the first axis measures.
    pub(crate) x: String,
    /// What the second axis measures.
    pub(crate) y: String,
    /// The lines.
    pub(crate) lines: Vec<Line>,
}

const SIZE: (u32, u32) = (760, 420);
const LEGEND: i32 = 150;

impl Figure for Lines {
    fn draw<'a>(&'a self, svg: &'a mut String) -> Drawn<'a> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let (x, y) = (self.range(|it| it.0), self.range(|it| it.1));
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, CAPTION)
            .margin(12)
            .margin_right(LEGEND)
            .x_label_area_size(40)
            .y_label_area_size(58)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .light_line_style(TRANSPARENT)
            .label_style(LABEL)
            .draw()?;
        for (line, color) in self.lines.iter().zip(COLORS.iter().cycle()) {
            let points = || line.points.iter().copied();
            chart.draw_series(LineSeries::new(points(), color.stroke_width(2)))?;
            chart.draw_series(points().map(|it| Circle::new(it, 3, color.filled())))?;
        }
        for (at, (line, color)) in (0..).zip(self.lines.iter().zip(COLORS.iter().cycle())) {
            let place = (SIZE.0 as i32 - LEGEND + 16, 48 + 18 * at);
            legend_entry(&area, &line.name, color, place, 4)?;
        }
        area.present()?;
        Ok(())
    }
}

impl Lines {
    /// The ends of an axis, with some room on both sides.
    fn range(&self, of: fn(&(f64, f64)) -> f64) -> std::ops::Range<f64> {
        let values = || self.lines.iter().flat_map(|it| it.points.iter().map(of));
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(f64::NEG_INFINITY, f64::max);
        if !(least.is_finite() && most.is_finite()) {
            return 0.0..1.0;
        }
        let room = ((most - least) * 0.06).max(1e-3);
        least - room..most + room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_and_point_is_drawn() {
        let line = |name: &str| Line {
            name: name.to_owned(),
            points: vec![(0.0, 0.1), (1.0, 0.4), (2.0, 0.2)],
        };
        let mut lines = Lines {
            title: "title".to_owned(),
            x: "k1".to_owned(),
            y: "nDCG".to_owned(),
            lines: vec![line("b = 0"), line("b = 1")],
        };
        let svg = lines.to_svg().unwrap();
        for word in [
            "title",
            "k1",
            "nDCG",
            "b = 0",
            "b = 1",
            "prefers-color-scheme",
        ] {
            assert!(svg.contains(word), "{word} is missing");
        }
        // Six points and two marks of the legend.
        assert_eq!(svg.matches("<circle").count(), 8);
        lines.lines.clear();
        assert!(lines.to_svg().is_ok());
    }
}
