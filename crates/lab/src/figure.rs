//! Figures as SVG: points on two axes.

use plotters::prelude::*;

use crate::partial_depth::Plot;

/// Draws a plot; an empty one has axes only.
///
/// # Errors
/// If the drawing cannot be made.
pub fn draw(plot: &Plot) -> Result<String, String> {
    let mut svg = String::new();
    paint(plot, &mut svg).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn paint(plot: &Plot, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, (640, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let (x_most, y_most) = plot.points.iter().fold((1.0_f64, 1.0_f64), |most, it| {
        (most.0.max(it.0), most.1.max(it.1))
    });
    let mut builder = ChartBuilder::on(&area);
    builder
        .caption(plot.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64);
    let dots = || {
        plot.points
            .iter()
            .map(|&(x, y)| Circle::new((x, y.max(1.0)), 3, BLUE.filled()))
    };
    if plot.log {
        let mut chart =
            builder.build_cartesian_2d(0.0..x_most * 1.05, (1.0..y_most * 2.0).log_scale())?;
        chart
            .configure_mesh()
            .x_desc(plot.x)
            .y_desc(plot.y)
            .draw()?;
        chart.draw_series(dots())?;
    } else {
        let mut chart = builder.build_cartesian_2d(0.0..x_most * 1.05, 0.0..y_most * 1.1)?;
        chart
            .configure_mesh()
            .x_desc(plot.x)
            .y_desc(plot.y)
            .draw()?;
        chart.draw_series(dots())?;
    }
    area.present()?;
    Ok(())
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
