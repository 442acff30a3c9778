//! A map: each vertex where it lies, in the colour of its distance from a source.
//!
//! Vertices are marks of a size that their number leaves room for. Where marks overlap, the one
//! with the smaller distance is on top, so that the picture does not depend on the order of the
//! vertices. Beyond [`MAX_MARKS`] they are painted into one image. O(n), and for arcs
//! their length in pixels besides.

use graph_formats::VertexId;
use pictures::{
    Axis, BLACK, Frame, Page, Row, Sign, UNREACHED, WHITE, hex, rounded, sequence, source_sign,
    target_sign,
};
use svg::node::Node;
use svg::node::element::{Circle, Group, Image, Path};

use super::bands::Bands;
use super::layer::Layer;
use super::picture::Size;
use crate::progress::check_interrupt;
use crate::report::grouped;

/// Marks that are drawn one by one.
pub(crate) const MAX_MARKS: usize = 20_000;
/// Room between the outermost vertices and the frame.
const PADDING: f64 = 10.0;
/// Radius of a mark at most.
const MAX_RADIUS: f64 = 7.0;

/// Arcs between two looks at whether the user pressed Ctrl-C.
const ARCS_PER_CHECK: usize = 1 << 16;

/// What is drawn.
pub(crate) struct Map<'a> {
    pub(crate) title: String,
    /// What the colours say, with its unit.
    pub(crate) quantity: String,
    /// Where each vertex lies.
    pub(crate) positions: &'a [[f64; 2]],
    /// Titles of the axes.
    pub(crate) axes: [String; 2],
    /// How much longer a unit of y is than one of x.
    pub(crate) stretch: f64,
    /// The distance of each vertex, if it has one.
    pub(crate) distances: &'a [Option<f64>],
    pub(crate) bands: &'a Bands,
    /// Arcs that are drawn as lines, each in the colour of its farther end.
    pub(crate) arcs: &'a [(VertexId, VertexId)],
    pub(crate) source: (VertexId, String),
    /// The target, and the path there with what the legend says of it.
    pub(crate) target: Option<Target>,
}

/// Where a path leads.
pub(crate) struct Target {
    pub(crate) vertex: VertexId,
    pub(crate) name: String,
    pub(crate) path: Option<Vec<VertexId>>,
    /// What the legend says of the path, or that there is none.
    pub(crate) legend: String,
}

/// How many vertices each band has, and how many are unreached.
pub(crate) fn census(distances: &[Option<f64>], bands: &Bands) -> (Vec<usize>, usize) {
    let mut counts = vec![0; bands.len()];
    let mut unreached = 0;
    for distance in distances {
        match distance {
            Some(distance) => counts[bands.band_of(*distance)] += 1,
            None => unreached += 1,
        }
    }
    (counts, unreached)
}

impl Map<'_> {
    /// Draws it: an SVG document.
    pub(crate) fn draw(&self, size: Size) -> anyhow::Result<String> {
        let mut page = Page::new(size.width, size.height, &self.title);
        let room = page.legend(self.legend());
        // the width of the panel depends on the numbers beside it, and they on its height alone
        let guess = self.projection(room);
        let up = Axis::vertical(guess.y_ends(), room.height, self.axes[1].clone());
        let panel = room.right_of(&up);
        let projection = self.projection(panel);
        let up = Axis::vertical(projection.y_ends(), panel.height, self.axes[1].clone());
        let across = Axis::horizontal(projection.x_ends(), panel.width, self.axes[0].clone());
        if self.positions.len().max(self.arcs.len()) > MAX_MARKS {
            page.add(self.layer(&projection)?);
        } else {
            self.lines(&projection).into_iter().for_each(|path| page.add(path));
            self.marks(&projection).into_iter().for_each(|group| page.add(group));
        }
        self.path(&projection).into_iter().for_each(|path| page.add(path));
        page.axes(panel, &across, &up);
        let place = |vertex: VertexId| projection.place(self.positions[vertex as usize]);
        if let Some(target) = &self.target {
            page.add(target_sign(place(target.vertex)));
        }
        page.add(source_sign(place(self.source.0)));
        Ok(page.finish())
    }

    fn projection(&self, frame: Frame) -> Projection {
        let ends = |axis: usize| {
            let values = self.positions.iter().map(|position| position[axis]);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        Projection::new(frame, ends(0), ends(1), self.stretch)
    }

    fn legend(&self) -> Vec<Row> {
        let (counts, unreached) = census(self.distances, self.bands);
        let count = |n: usize| grouped(n as u64);
        let mut rows = vec![Row::new(Sign::None, self.quantity.as_str(), "vertices")];
        rows.extend(counts.iter().enumerate().map(|(band, &n)| {
            let sign = Sign::Colour(sequence(band, self.bands.len()));
            Row::new(sign, self.bands.label(band), count(n))
        }));
        if unreached > 0 {
            rows.push(Row::new(Sign::Colour(UNREACHED), "unreached", count(unreached)));
        }
        rows.push(Row::new(Sign::Source, format!("source {}", self.source.1), ""));
        if let Some(Target { name, path, legend, .. }) = &self.target {
            rows.push(Row::new(Sign::Target, format!("target {name}"), ""));
            let sign = if path.is_some() { Sign::Path } else { Sign::None };
            rows.push(Row::new(sign, legend.as_str(), ""));
        }
        rows
    }

    /// The number of the colour of a vertex: its band, or the one after all.
    fn colour_of(&self, distance: Option<f64>) -> usize {
        distance.map_or(self.bands.len(), |distance| self.bands.band_of(distance))
    }

    fn colours(&self) -> Vec<colorous::Color> {
        let n = self.bands.len();
        (0..n).map(|band| sequence(band, n)).chain([UNREACHED]).collect()
    }

    /// A group of marks for each colour, the farthest first.
    fn marks(&self, projection: &Projection) -> Vec<Group> {
        let share = if self.arcs.is_empty() { 0.5 } else { 0.3 };
        let radius = rounded(share * projection.spacing(self.positions.len()));
        let mut groups: Vec<_> = self
            .colours()
            .into_iter()
            .enumerate()
            .map(|(band, colour)| {
                let class = if band == self.bands.len() { "unreached" } else { "band" };
                Group::new().set("class", class).set("fill", hex(colour))
            })
            .collect();
        for (position, &distance) in self.positions.iter().zip(self.distances) {
            let (x, y) = projection.place(*position);
            let mark = Circle::new().set("cx", rounded(x)).set("cy", rounded(y)).set("r", radius);
            groups[self.colour_of(distance)].append(mark);
        }
        groups.reverse();
        groups
    }

    /// The colour of an arc and its ends in pixels.
    fn arc(
        &self,
        projection: &Projection,
        (u, v): (VertexId, VertexId),
    ) -> (usize, [(f64, f64); 2]) {
        let [u, v] = [u as usize, v as usize];
        let colour = self.colour_of(self.distances[u]).max(self.colour_of(self.distances[v]));
        (colour, [u, v].map(|end| projection.place(self.positions[end])))
    }

    /// The arcs of each colour as one path, the farthest first.
    fn lines(&self, projection: &Projection) -> Vec<Path> {
        let mut data = vec![String::new(); self.bands.len() + 1];
        for &arc in self.arcs {
            let (colour, ends) = self.arc(projection, arc);
            let [(x1, y1), (x2, y2)] = ends.map(|(x, y)| (rounded(x), rounded(y)));
            data[colour] += &format!("M{x1} {y1}l{} {}", rounded(x2 - x1), rounded(y2 - y1));
        }
        let drawn = data.into_iter().zip(self.colours()).rev().filter(|(data, _)| !data.is_empty());
        let path = |(data, colour)| {
            Path::new().set("class", "arcs").set("d", data).set("stroke", hex(colour))
        };
        drawn.map(path).collect()
    }

    /// The same as an image.
    fn layer(&self, projection: &Projection) -> anyhow::Result<Image> {
        let Frame { x, y, width, height } = projection.frame;
        let frame = Frame { x, y, width: width.floor(), height: height.floor() };
        Ok(self.painted(projection)?.image(frame, &self.colours())?)
    }

    /// The pixels of that image.
    fn painted(&self, projection: &Projection) -> anyhow::Result<Layer> {
        let Frame { x, y, width, height } = projection.frame;
        let mut layer = Layer::new(width as usize, height as usize);
        for (i, &arc) in self.arcs.iter().enumerate() {
            if i % ARCS_PER_CHECK == 0 {
                check_interrupt()?;
            }
            let (colour, ends) = self.arc(projection, arc);
            layer.paint_line(ends.map(|(at_x, at_y)| (at_x - x, at_y - y)), colour);
        }
        // without lines between them, random places would leave specks
        let (share, least) = if self.arcs.is_empty() { (1.5, 2.0) } else { (0.75, 1.0) };
        let side = (share * projection.spacing(self.positions.len())).ceil().max(least);
        for (position, &distance) in self.positions.iter().zip(self.distances) {
            let (at_x, at_y) = projection.place(*position);
            layer.paint_square((at_x - x, at_y - y), side, self.colour_of(distance));
        }
        Ok(layer)
    }

    /// The path to the target: a black line with a white rim, which stands out from any colour.
    fn path(&self, projection: &Projection) -> Vec<Path> {
        let Some(path) = self.target.as_ref().and_then(|target| target.path.as_ref()) else {
            return Vec::new();
        };
        let places = path.iter().map(|&vertex| projection.place(self.positions[vertex as usize]));
        let mut data = String::new();
        let mut last = None;
        for (x, y) in places.map(|(x, y)| (rounded(x), rounded(y))) {
            if last != Some((x, y)) {
                data += &format!("{}{x} {y}", if last.is_none() { "M" } else { "L" });
                last = Some((x, y));
            }
        }
        let stroke = |colour, width: f64| {
            Path::new()
                .set("class", "path")
                .set("d", data.as_str())
                .set("fill", "none")
                .set("stroke", hex(colour))
                .set("stroke-width", width)
                .set("stroke-linejoin", "round")
        };
        vec![stroke(WHITE, 5.0), stroke(BLACK, 2.0)]
    }
}

/// From positions to pixels: the same scale both ways, x to the right and y up.
struct Projection {
    frame: Frame,
    centre: [f64; 2],
    /// Pixels for a unit of y; one of x has fewer by the stretch.
    scale: f64,
    stretch: f64,
    /// Pixels that the positions span.
    spanned: (f64, f64),
}

impl Projection {
    fn new(frame: Frame, x: (f64, f64), y: (f64, f64), stretch: f64) -> Self {
        // halves, for the difference of the greatest numbers is none
        let half = |(low, high): (f64, f64)| (high / 2.0 - low / 2.0).max(0.0);
        let (half_x, half_y) = (half(x) / stretch, half(y));
        let (room_x, room_y) = (frame.width / 2.0 - PADDING, frame.height / 2.0 - PADDING);
        let scale = (room_x / half_x).min(room_y / half_y).min(f64::MAX);
        let centre = [x, y].map(|(low, high)| low + half((low, high)));
        let spanned = (2.0 * half_x * scale, 2.0 * half_y * scale);
        Self { frame, centre, scale, stretch, spanned }
    }

    fn place(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        let Frame { x: left, y: top, width, height } = self.frame;
        let across = (x - self.centre[0]) / self.stretch * self.scale;
        let up = (y - self.centre[1]) * self.scale;
        (left + width / 2.0 + across, top + height / 2.0 - up)
    }

    /// Pixels between two of so many vertices, were they spread evenly.
    fn spacing(&self, n_vertices: usize) -> f64 {
        let (x, y) = (self.spanned.0.max(1.0), self.spanned.1.max(1.0));
        (x * y / n_vertices.max(1) as f64).sqrt().clamp(0.5, 2.0 * MAX_RADIUS)
    }

    /// The least x in the frame, and the greatest.
    fn x_ends(&self) -> (f64, f64) {
        let half = self.frame.width / 2.0 / self.scale * self.stretch;
        (self.centre[0] - half, self.centre[0] + half)
    }

    fn y_ends(&self) -> (f64, f64) {
        let half = self.frame.height / 2.0 / self.scale;
        (self.centre[1] - half, self.centre[1] + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spiral of places, whose distances ascend but for some that are unreached.
    fn spiral(n: usize) -> (Vec<[f64; 2]>, Vec<Option<f64>>) {
        let places = (0..n).map(|i| f64::from(i as u32) / 9.0);
        let positions = places.map(|turn| [turn * turn.cos(), turn * turn.sin()]).collect();
        let distances = (0..n).map(|i| (i % 17 != 3).then_some(i as f64)).collect();
        (positions, distances)
    }

    #[test]
    fn a_pixel_of_the_image_is_of_the_nearest_band_there() {
        let (positions, distances) = spiral(400);
        let bands = Bands::new(distances.iter().copied().flatten(), None, true).unwrap();
        let arcs: Vec<_> = (1..400).map(|v| (v - 1, v)).collect();
        let map = |arcs| Map {
            title: String::new(),
            quantity: String::new(),
            positions: &positions,
            axes: [String::new(), String::new()],
            stretch: 1.0,
            distances: &distances,
            bands: &bands,
            arcs,
            source: (0, String::new()),
            target: None,
        };
        let frame = Frame { x: 31.0, y: 20.0, width: 300.0, height: 200.0 };
        for arcs in [&[][..], &arcs] {
            let map = map(arcs);
            let projection = map.projection(frame);
            let layer = map.painted(&projection).unwrap();
            for (&position, &distance) in positions.iter().zip(&distances) {
                let (x, y) = projection.place(position);
                assert!((31.0..331.0).contains(&x) && (20.0..220.0).contains(&y), "{x}, {y}");
                let colour = layer.colour((x - 31.0) as usize, (y - 20.0) as usize);
                assert!(colour.is_some_and(|colour| colour <= map.colour_of(distance)));
            }
            // what has no vertex near it is empty
            assert_eq!(layer.colour(0, 0), None);
        }
    }

    #[test]
    fn both_axes_have_one_scale_but_for_the_stretch() {
        let frame = Frame { x: 0.0, y: 0.0, width: 500.0, height: 300.0 };
        for stretch in [1.0, 1.5] {
            let projection = Projection::new(frame, (10.0, 14.0), (-3.0, -1.0), stretch);
            let origin = projection.place([10.0, -3.0]);
            let (right, up) = (projection.place([11.0, -3.0]), projection.place([10.0, -2.0]));
            assert!(((right.0 - origin.0) * stretch - (origin.1 - up.1)).abs() < 1e-9);
            assert!(right.0 > origin.0 && up.1 < origin.1);
        }
    }
}
