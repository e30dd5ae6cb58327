//! Points on two axes.

use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::palette::COLORS;
use super::{CAPTION, Drawn, Figure};

/// Points on two axes; without any, the axes alone.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// The name of the file.
    pub(crate) name: &'static str,
    /// The caption.
    pub(crate) title: &'static str,
    /// The label of the horizontal axis.
    pub(crate) x: &'static str,
    /// The label of the vertical axis.
    pub(crate) y: &'static str,
    /// Whether the vertical axis is logarithmic.
    pub(crate) log: bool,
    /// The points.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Figure for Points {
    fn draw<'a>(&'a self, svg: &'a mut String) -> Drawn<'a> {
        let area = SVGBackend::with_string(svg, (640, 400)).into_drawing_area();
        let most = |of: fn(&(f64, f64)) -> f64| self.points.iter().map(of).fold(1.0, f64::max);
        let (x_most, y_most) = (most(|it| it.0), most(|it| it.1));
        let mut builder = ChartBuilder::on(&area);
        builder
            .caption(self.title, CAPTION)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(64);
        let x = 0.0..x_most * 1.05;
        if self.log {
            let y = (decade_below(self)..y_most * 2.0).log_scale();
            finish(builder.build_cartesian_2d(x, y)?, self)?;
        } else {
            finish(builder.build_cartesian_2d(x, 0.0..y_most * 1.1)?, self)?;
        }
        area.present()?;
        Ok(())
    }
}

/// The axes and the points.
fn finish<'a, Y>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, Y>>,
    plot: &Points,
) -> Drawn<'a>
where
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(plot.x)
        .y_desc(plot.y)
        .draw()?;
    let dot = |&(x, y): &(f64, f64)| Circle::new((x, y.max(1.0)), 3, COLORS[1].filled());
    chart.draw_series(plot.points.iter().map(dot))?;
    Ok(())
}

/// Where a logarithmic axis begins.
fn decade_below(plot: &Points) -> f64 {
    let least = plot
        .points
        .iter()
        .fold(f64::INFINITY, |least, it| least.min(it.1));
    if least.is_finite() {
        10_f64.powf(least.max(1.0).log10().floor())
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn() {
        for log in [false, true] {
            let plot = Points {
                name: "x",
                title: "t",
                x: "x",
                y: "y",
                log,
                points: vec![(1.0, 10.0), (2.0, 1000.0)],
            };
            let svg = plot.to_svg().unwrap();
            assert!(
                svg.starts_with("<svg") && svg.matches("<circle").count() == 2,
                "{svg}"
            );
        }
        let empty = Points {
            name: "x",
            title: "t",
            x: "x",
            y: "y",
            log: true,
            points: Vec::new(),
        };
        assert!(empty.to_svg().is_ok());
    }
}
