//! Rows of dots on one axis.

use plotters::prelude::*;

use super::palette::COLORS;
use super::{CAPTION, Drawn, Figure, LABEL, legend_entry};

/// Values of one kind, one a row.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// What the legend says.
    pub(crate) name: String,
    /// The value of each row, where there is one.
    pub(crate) values: Vec<Option<f64>>,
}

/// Rows of dots: one row a thing, one color a series, all on one axis.
#[derive(Clone, Debug)]
pub(crate) struct Dots {
    /// What stands above the figure.
    pub(crate) title: String,
    /// What the axis measures.
    pub(crate) axis: String,
    /// The ends of the axis.
    pub(crate) range: (f64, f64),
    /// The names of the rows, the topmost first.
    pub(crate) rows: Vec<String>,
    /// The series.
    pub(crate) series: Vec<Series>,
}

const WIDTH: u32 = 900;
const ROW: u32 = 22;
const NAMES: u32 = 290;

impl Figure for Dots {
    fn draw<'a>(&'a self, svg: &'a mut String) -> Drawn<'a> {
        let rows = self.rows.len() as u32;
        let height = 110 + ROW * rows + 18 * self.series.len() as u32;
        let area = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, CAPTION)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(NAMES)
            .margin_bottom(12 + 18 * self.series.len() as u32)
            .build_cartesian_2d(self.range.0..self.range.1, -0.5..f64::from(rows) - 0.5)?;
        let name = |row: &f64| -> String {
            let at = self.rows.len().checked_sub(1 + row.round() as usize);
            at.and_then(|it| self.rows.get(it))
                .cloned()
                .unwrap_or_default()
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(self.rows.len().max(1) * 2)
            .y_label_formatter(&|row| {
                if row.fract().abs() < 1e-9 {
                    name(row)
                } else {
                    String::new()
                }
            })
            .x_desc(&self.axis)
            .label_style(LABEL)
            .draw()?;
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let points =
                series.values.iter().enumerate().filter_map(|(row, value)| {
                    Some(((*value)?, f64::from(rows) - 1.0 - row as f64))
                });
            chart.draw_series(points.map(|point| Circle::new(point, 5, color.filled())))?;
        }
        for (number, (series, color)) in (0..).zip(self.series.iter().zip(COLORS.iter().cycle())) {
            let y = (height - 12) as i32 - 18 * (self.series.len() as i32 - 1 - number);
            legend_entry(&area, &series.name, color, (NAMES as i32 + 20, y - 4), 5)?;
        }
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_and_value_is_drawn() {
        let dots = Dots {
            title: "title".to_owned(),
            axis: "area".to_owned(),
            range: (0.5, 1.0),
            rows: vec!["first".to_owned(), "second".to_owned()],
            series: vec![
                Series {
                    name: "one".to_owned(),
                    values: vec![Some(0.6), Some(0.9)],
                },
                Series {
                    name: "two".to_owned(),
                    values: vec![None, Some(0.7)],
                },
            ],
        };
        let svg = dots.to_svg().unwrap();
        for word in [
            "title",
            "area",
            "first",
            "second",
            "one",
            "two",
            "prefers-color-scheme",
        ] {
            assert!(svg.contains(word), "{word} is missing");
        }
        // Three values and two marks of the legend.
        assert_eq!(svg.matches("<circle").count(), 5);
    }
}
