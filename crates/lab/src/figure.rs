//! Figures as SVG: points on two axes.

use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::partial_depth::Plot;
use crate::scheme::{COLORS, with_schemes};

/// Draws a plot; an empty one has axes only.
///
/// # Errors
/// If the drawing cannot be made.
pub(crate) fn draw(plot: &Plot) -> Result<String, String> {
    let mut svg = String::new();
    paint(plot, &mut svg).map_err(|error| error.to_string())?;
    Ok(with_schemes(&svg))
}

fn paint<'a>(plot: &'a Plot, svg: &'a mut String) -> Result<(), Box<dyn std::error::Error + 'a>> {
    let area = SVGBackend::with_string(svg, (640, 400)).into_drawing_area();
    let (x_most, y_most) = plot.points.iter().fold((1.0_f64, 1.0_f64), |most, it| {
        (most.0.max(it.0), most.1.max(it.1))
    });
    let mut builder = ChartBuilder::on(&area);
    builder
        .caption(plot.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64);
    let x = 0.0..x_most * 1.05;
    if plot.log {
        let y = (decade_below(plot)..y_most * 2.0).log_scale();
        finish(builder.build_cartesian_2d(x, y)?, plot)?;
    } else {
        finish(builder.build_cartesian_2d(x, 0.0..y_most * 1.1)?, plot)?;
    }
    area.present()?;
    Ok(())
}

/// The axes and the points.
fn finish<'a, Y>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, Y>>,
    plot: &Plot,
) -> Result<(), Box<dyn std::error::Error + 'a>>
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
fn decade_below(plot: &Plot) -> f64 {
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
            let plot = Plot {
                name: "x",
                title: "t",
                x: "x",
                y: "y",
                log,
                points: vec![(1.0, 10.0), (2.0, 1000.0)],
            };
            let svg = draw(&plot).unwrap();
            assert!(
                svg.starts_with("<svg") && svg.matches("<circle").count() == 2,
                "{svg}"
            );
        }
        assert!(
            draw(&Plot {
                name: "x",
                title: "t",
                x: "x",
                y: "y",
                log: true,
                points: Vec::new()
            })
            .is_ok()
        );
    }
}
