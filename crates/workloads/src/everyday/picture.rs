//! A picture that everybody can make again at any size, and whether another one looks like it.
//!
//! It has what makes pictures hard to compress and to scale: slow changes of colour, sharp edges and noise.

use protocol::mix;

/// A picture of 8 bits a channel, red, green and blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

/// The look of a picture is that of so many blocks a side.
const BLOCKS: u32 = 8;

/// How far the mean of a channel of a block may be off, of 255. Different filters and JPEG's losses come to less than 3; a
/// black picture, one upside down or one with two channels swapped is off by more than 30 somewhere.
const TOLERANCE: f32 = 8.0;

/// How strong the noise is, to either side, of 255.
const NOISE: f32 = 14.0;

/// A picture this wide shows all there is.
const FINE_WIDTH: u32 = 640;

impl Picture {
    /// The picture at this size.
    pub fn new(width: u32, height: u32) -> Self {
        let points = points(width);
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        for y in 0..height {
            for x in 0..width {
                let colour = pixel(x, y, width, height, points);
                let random = mix(u64::from(y) << 32 | u64::from(x));
                for (channel, value) in colour.into_iter().enumerate() {
                    let noise = ((random >> (16 * channel)) as u16 as f32 / 32768.0 - 1.0) * NOISE;
                    rgb.push((value + noise).round().clamp(0.0, 255.0) as u8);
                }
            }
        }
        Self { width, height, rgb }
    }

    /// The mean colour of each block.
    fn means(&self) -> Vec<[f32; 3]> {
        means(self.width, self.height, |x, y| {
            let start = (y as usize * self.width as usize + x as usize) * 3;
            [0, 1, 2].map(|channel| f32::from(self.rgb[start + channel]))
        })
    }
}

/// How the picture looks at a size.
#[derive(Debug)]
pub struct Look {
    width: u32,
    height: u32,
    means: Vec<[f32; 3]>,
}

impl Look {
    /// The look of the picture at this size.
    pub fn new(width: u32, height: u32) -> Self {
        let points = points(width);
        Self { width, height, means: means(width, height, |x, y| pixel(x, y, width, height, points)) }
    }

    /// What is wrong with a picture that should look like this, if anything.
    pub fn flaw(&self, picture: &Picture) -> Option<String> {
        if (picture.width, picture.height) != (self.width, self.height) {
            let (width, height) = (picture.width, picture.height);
            return Some(format!(
                "it is {width} x {height} in size, and {} x {} was asked for",
                self.width, self.height
            ));
        }
        for (block, (got, expected)) in picture.means().into_iter().zip(&self.means).enumerate() {
            for (channel, name) in ["red", "green", "blue"].into_iter().enumerate() {
                let (got, expected) = (got[channel], expected[channel]);
                if (got - expected).abs() > TOLERANCE {
                    let (row, column) = (block as u32 / BLOCKS, block as u32 % BLOCKS);
                    return Some(format!(
                        "{name} of its block {row}, {column} is {got:.0} of 255 on average, and {expected:.0} was expected"
                    ));
                }
            }
        }
        None
    }
}

/// A small picture shows the mean of what its pixels cover, as one made smaller from a large one does: of so many points a
/// side of each.
fn points(width: u32) -> u32 {
    (FINE_WIDTH / width.max(1)).clamp(1, 8)
}

/// The mean colour of a pixel, from so many points a side.
fn pixel(x: u32, y: u32, width: u32, height: u32, points: u32) -> [f32; 3] {
    let at = |pixel: u32, point: u32, size: u32| (pixel as f32 + (point as f32 + 0.5) / points as f32) / size as f32;
    let mut sum = [0.0; 3];
    for (row, column) in (0..points).flat_map(|row| (0..points).map(move |column| (row, column))) {
        let point = colour(at(x, column, width), at(y, row, height));
        sum = [0, 1, 2].map(|channel| sum[channel] + point[channel]);
    }
    sum.map(|sum| sum / (points * points) as f32)
}

/// The colour at a point, both from 0 to 1: channels from 20 to 235, so that noise is not cut off.
fn colour(u: f32, v: f32) -> [f32; 3] {
    let sky = [40.0 + 150.0 * u, 60.0 + 130.0 * v, 215.0 - 120.0 * u * v];
    // A sun, a house and a fence of stripes, all with sharp edges.
    let sun = (u - 0.72).hypot((v - 0.28) * 0.75) < 0.13;
    let house = (0.12..0.42).contains(&u) && (0.45..0.80).contains(&v);
    let fence = v > 0.85 && (u * 40.0) as u32 % 2 == 0;
    if sun {
        [235.0, 200.0, 60.0]
    } else if house {
        let window = (u * 20.0) as u32 % 2 == 0 && (v * 15.0) as u32 % 2 == 0;
        if window { [30.0, 40.0, 50.0] } else { [180.0, 70.0, 50.0] }
    } else if fence {
        [90.0, 60.0, 30.0]
    } else {
        sky
    }
}

/// The mean colour of each block, row by row.
fn means(width: u32, height: u32, colour: impl Fn(u32, u32) -> [f32; 3]) -> Vec<[f32; 3]> {
    let edge = |block: u32, size: u32| (u64::from(block) * u64::from(size) / u64::from(BLOCKS)) as u32;
    let mut means = Vec::new();
    for row in 0..BLOCKS {
        for column in 0..BLOCKS {
            let mut sum = [0.0_f32; 3];
            let mut count = 0.0;
            for y in edge(row, height)..edge(row + 1, height) {
                for x in edge(column, width)..edge(column + 1, width) {
                    let point = colour(x, y);
                    sum = [0, 1, 2].map(|channel| sum[channel] + point[channel]);
                    count += 1.0;
                }
            }
            means.push(sum.map(|sum| sum / count));
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_the_same_every_time_and_looks_the_same_at_every_size() {
        assert_eq!(Picture::new(80, 60), Picture::new(80, 60));
        for (width, height) in [(64, 48), (100, 75), (333, 249), (641, 480)] {
            assert_eq!(Look::new(width, height).flaw(&Picture::new(width, height)), None, "{width} x {height}");
        }
    }

    #[test]
    fn another_picture_does_not_look_the_same() {
        let good = Picture::new(80, 60);
        let changed = |rgb: Vec<u8>| Look::new(80, 60).flaw(&Picture { rgb, ..good.clone() });
        assert!(changed(vec![0; 80 * 60 * 3]).is_some(), "black");
        assert!(changed(vec![128; 80 * 60 * 3]).is_some(), "grey");
        let upside_down = good.rgb.chunks(80 * 3).rev().flatten().copied().collect();
        assert!(changed(upside_down).is_some(), "upside down");
        let swapped = good.rgb.chunks(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0]]).collect();
        assert!(changed(swapped).is_some(), "red and blue swapped");
        let mut half = good.rgb.clone();
        half[40 * 80 * 3..].fill(128);
        assert!(changed(half).is_some(), "the lower third is missing");
    }
}
