//! A matrix of all pairs as a heat map, in the order of strongly connected components.
//!
//! Where there are more vertices than pixels a pixel is the mean of those of its pairs that have a
//! path. O(n²) time; beside a bit for each pair, memory for the pixels only, for the rows are read
//! one by one, twice.

use closure::ComponentOrder;
use colorous::Color;
use graph_formats::VertexId;
use paths::Closure;
use pictures::{Axis, BLACK, Frame, Page, Row, SINGLE, Sign, WHITE, hex, rectangle, sequence};

use super::bands::Bands;
use super::layer::Layer;
use super::picture::Size;
use crate::report::grouped;

/// Vertices that have their names at the axes.
const MAX_NAMED: usize = 40;
/// Pixels that a name takes.
const MIN_NAMED: f64 = 13.0;
/// Components of fewer pixels have no outline.
const MIN_OUTLINE: f64 = 6.0;

/// A square matrix that is read row by row.
pub(crate) trait Rows {
    fn n_vertices(&self) -> usize;

    /// That of `source`: an entry for each target, `None` without a path.
    fn row(&mut self, source: VertexId) -> anyhow::Result<Vec<Option<f64>>>;
}

/// Reads all rows in order.
pub(crate) fn for_each_row(
    rows: &mut dyn Rows,
    mut visit: impl FnMut(VertexId, &[Option<f64>]),
) -> anyhow::Result<()> {
    for source in 0..rows.n_vertices() as VertexId {
        crate::progress::check_interrupt()?;
        visit(source, &rows.row(source)?);
    }
    Ok(())
}

/// Which vertices have an entry for which, each for itself besides.
pub(crate) fn reached(rows: &mut dyn Rows) -> anyhow::Result<Closure> {
    let mut reached = Closure::without_pairs(rows.n_vertices());
    for_each_row(rows, |source, row| {
        reached.insert(source, source);
        let targets = (0..).zip(row).filter(|(_, entry)| entry.is_some());
        targets.for_each(|(target, _)| reached.insert(source, target));
    })?;
    Ok(reached)
}

/// What is drawn.
pub(crate) struct Heat<'a> {
    pub(crate) title: String,
    /// What the colours say, with its unit.
    pub(crate) quantity: String,
    pub(crate) order: &'a ComponentOrder,
    /// `None` for a closure, whose entries say no more than that there is a path.
    pub(crate) bands: Option<&'a Bands>,
    /// Pairs in each band; in a closure, with a path.
    pub(crate) counts: &'a [usize],
    /// Pairs without a path.
    pub(crate) without: usize,
    pub(crate) name: &'a dyn Fn(VertexId) -> String,
}

impl Heat<'_> {
    /// Draws it: an SVG document.
    pub(crate) fn draw(&self, rows: &mut dyn Rows, size: Size) -> anyhow::Result<String> {
        let n = self.order.vertices.len();
        let mut page = Page::new(size.width, size.height, &self.title);
        let room = page.legend(self.legend());
        // names where they have room, else numbers
        let with = |names: bool| {
            let (up, across) = (self.axis("from", true, names), self.axis("to", false, names));
            let room = room.right_of(&up).above(&across);
            let side = room.width.min(room.height).floor().max(1.0);
            (up, across, Frame { width: side, height: side, ..room })
        };
        let (up, across, panel) = match with(n <= MAX_NAMED) {
            (_, _, panel) if panel.width < n as f64 * MIN_NAMED => with(false),
            fitting => fitting,
        };
        let side = panel.width;
        let (layer, colours) = self.layer(rows, side as usize)?;
        page.add(layer.image(panel, &colours)?);
        for ends in self.order.starts.windows(2) {
            let at = |place: usize| place as f64 / n as f64 * side;
            let (start, length) = (at(ends[0]), at(ends[1] - ends[0]));
            if ends[1] - ends[0] > 1 && length >= MIN_OUTLINE {
                let (x, y) = (panel.x + start, panel.y + start);
                let outline = rectangle(Frame { x, y, width: length, height: length });
                let outline = outline.set("class", "component").set("fill", "none");
                page.add(outline.clone().set("stroke", hex(WHITE)).set("stroke-width", 4));
                page.add(outline.set("stroke", hex(BLACK)).set("stroke-width", 1.5));
            }
        }
        page.axes(panel, &across, &up);
        Ok(page.finish())
    }

    fn axis(&self, title: &str, is_vertical: bool, names: bool) -> Axis {
        if !names {
            let title = format!("{title}, by place in the order of components");
            return Axis::places(self.order.vertices.len(), title, is_vertical);
        }
        let names = self.order.vertices.iter().map(|&vertex| (self.name)(vertex));
        Axis::names(names, format!("{title}, in the order of components"), is_vertical)
    }

    fn legend(&self) -> Vec<Row> {
        let count = |n: usize| grouped(n as u64);
        let mut rows = vec![Row::new(Sign::None, self.quantity.as_str(), "pairs")];
        rows.extend(self.counts.iter().enumerate().map(|(band, &pairs)| {
            let text = self.bands.map_or("a path".to_owned(), |bands| bands.label(band));
            Row::new(Sign::Colour(self.colour(band)), text, count(pairs))
        }));
        rows.push(Row::new(Sign::Colour(WHITE), "no path", count(self.without)));
        let components = grouped(self.order.n_components() as u64);
        rows.push(Row::new(Sign::Outline, format!("component, of {components}"), ""));
        rows
    }

    fn colour(&self, band: usize) -> Color {
        if self.bands.is_some() { sequence(band, self.counts.len()) } else { SINGLE }
    }

    /// The image of the matrix, of at most this many pixels a side, and its colours.
    fn layer(&self, rows: &mut dyn Rows, most: usize) -> anyhow::Result<(Layer, Vec<Color>)> {
        let n = self.order.vertices.len();
        let side = n.clamp(1, most);
        let places = self.order.places();
        let pixel = |vertex: usize| places[vertex] * side / n;
        let (mut sums, mut counts) = (vec![0.0; side * side], vec![0u32; side * side]);
        for_each_row(rows, |source, row| {
            let start = pixel(source as usize) * side;
            for (target, entry) in row.iter().enumerate() {
                if let Some(entry) = entry {
                    let at = start + pixel(target);
                    counts[at] += 1;
                    // the mean so far, which cannot overflow as a sum may
                    sums[at] += (entry - sums[at]) / f64::from(counts[at]);
                }
            }
        })?;
        let mut layer = Layer::new(side, side);
        for (at, (&mean, _)) in sums.iter().zip(&counts).enumerate().filter(|(_, (_, c))| **c > 0) {
            let colour = self.bands.map_or(0, |bands| bands.band_of(mean));
            layer.paint(at % side, at / side, colour);
        }
        Ok((layer, (0..self.counts.len()).map(|band| self.colour(band)).collect()))
    }
}
