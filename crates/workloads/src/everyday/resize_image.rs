//! `resize-image`: a picture, made smaller.

use std::{
    fs,
    io::BufWriter,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail, ensure};
use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::{Image, ImageRef},
};
use image::{ExtendedColorType, ImageFormat, codecs::jpeg::JpegEncoder};
use interpreter_lock::InterpreterLock;
use protocol::By;

use super::picture::{Look, Picture};
use crate::{
    Step, Timer,
    in_flight::InFlight,
    process,
    scratch::{Scratch, explained, write_input},
    slots::Slots,
};

/// JPEG has 16 bits for a side.
const MAX_WIDTH: u32 = 65_535;
/// Blocks of a smaller picture would have too few pixels to tell whether it looks right.
const MIN_WIDTH: u32 = 64;
/// Of what this crate writes, of 100.
const QUALITY: u8 = 85;

/// Reads a JPEG picture, makes it smaller (Lanczos), and writes a JPEG; then looks whether it is the right one. The result
/// is its width times 2³² plus its height.
///
/// The library holds the interpreter lock while it computes, as the bindings of image libraries for Python and Ruby often do,
/// and lets go of it for the files. A program is waited for.
#[derive(Debug, Clone)]
pub struct ResizeImage {
    shared: Arc<Shared>,
    in_flight: Arc<InFlight>,
}

#[derive(Debug)]
struct Shared {
    scratch: Scratch,
    slots: Slots,
    width: u32,
    look: Look,
    program: Option<String>,
}

impl ResizeImage {
    /// Makes the picture in `folder`.
    ///
    /// # Errors
    /// A width is out of range, or the picture cannot be made.
    pub fn new(folder: &str, source_width: u32, width: u32, by: &By) -> Result<Self> {
        ensure!(width >= MIN_WIDTH, "width is {width}: at least {MIN_WIDTH} is needed to see what is on the picture");
        ensure!(
            source_width >= width,
            "source_width is {source_width}: a picture {width} wide is made from a larger one"
        );
        ensure!(source_width <= MAX_WIDTH, "source_width is {source_width}: a JPEG is at most {MAX_WIDTH} wide");
        let scratch = Scratch::new(folder, |inputs| {
            let jpeg = encoded(&Picture::new(source_width, height(source_width)), 90)?;
            write_input(&source(inputs), &jpeg)
        })?;
        let program = match by {
            By::Library => None,
            By::Program(program) => Some(program.clone()),
        };
        let shared = Shared { scratch, slots: Slots::default(), width, look: Look::new(width, height(width)), program };
        Ok(Self { shared: Arc::new(shared), in_flight: Arc::default() })
    }

    /// The folder with the picture.
    pub(crate) fn inputs(&self) -> &Path {
        self.shared.scratch.inputs()
    }
}

impl Step for ResizeImage {
    fn waits(&self) -> bool {
        self.shared.program.is_some()
    }

    fn computes(&self) -> bool {
        self.shared.program.is_none()
    }

    fn for_loop(&self) -> Self {
        Self { in_flight: Arc::default(), ..self.clone() }
    }

    async fn wait(&self, _index: u64, timer: &Timer) -> Result<u64> {
        let shared = &self.shared;
        let work = async {
            let slot = shared.slots.take();
            let target = shared.target(slot.number);
            process::run(&mut shared.command(&target), timer).await?;
            shared.judged(&fs::read(&target).map_err(|error| explained(error, "cannot read", &target))?)
        };
        self.in_flight.run(work).await
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        let shared = &self.shared;
        let slot = shared.slots.take();
        let target = shared.target(slot.number);
        process::run_blocking(&mut shared.command(&target), lock)?;
        let jpeg = lock.unlocked(|| fs::read(&target)).map_err(|error| explained(error, "cannot read", &target))?;
        shared.judged(&jpeg)
    }

    fn compute(&self, _state: u64, lock: &InterpreterLock) -> Result<u64> {
        let shared = &self.shared;
        let source = source(shared.scratch.inputs());
        let original = lock.unlocked(|| fs::read(&source)).map_err(|error| explained(error, "cannot read", &source))?;
        let original = decoded(&original).with_context(|| format!("{} is no picture any more", source.display()))?;
        let jpeg = encoded(&resized(&original, shared.width)?, QUALITY)?;
        let slot = shared.slots.take();
        let target = shared.target(slot.number);
        lock.unlocked(|| fs::write(&target, &jpeg)).map_err(|error| explained(error, "cannot write", &target))?;
        shared.judged(&jpeg)
    }
}

impl Shared {
    fn target(&self, number: u64) -> PathBuf {
        self.scratch.output(&format!("small-{number}.jpg"))
    }

    /// ImageMagick's, with one thread: how many pictures are made at once is up to the model.
    fn command(&self, target: &Path) -> std::process::Command {
        let mut command = process::program(self.program.as_deref().unwrap_or_default());
        command
            .env("MAGICK_THREAD_LIMIT", "1")
            .arg(source(self.scratch.inputs()))
            .arg("-resize")
            // The sign of exclamation: to this size, whatever the proportions.
            .arg(format!("{}x{}!", self.width, height(self.width)))
            .arg(target);
        command
    }

    /// The result of a step that has come to this JPEG.
    fn judged(&self, jpeg: &[u8]) -> Result<u64> {
        let small = decoded(jpeg).context("the smaller picture is no JPEG")?;
        if let Some(flaw) = self.look.flaw(&small) {
            bail!("the smaller picture is wrong: {flaw}");
        }
        Ok(u64::from(small.width) << 32 | u64::from(small.height))
    }
}

fn source(inputs: &Path) -> PathBuf {
    inputs.join("picture.jpg")
}

/// The height of a picture of this width.
fn height(width: u32) -> u32 {
    width * 3 / 4
}

fn decoded(jpeg: &[u8]) -> Result<Picture> {
    let picture = image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg)?.into_rgb8();
    Ok(Picture { width: picture.width(), height: picture.height(), rgb: picture.into_raw() })
}

fn encoded(picture: &Picture, quality: u8) -> Result<Vec<u8>> {
    let mut jpeg = BufWriter::new(Vec::new());
    JpegEncoder::new_with_quality(&mut jpeg, quality)
        .encode(&picture.rgb, picture.width, picture.height, ExtendedColorType::Rgb8)
        .context("cannot encode a picture")?;
    Ok(jpeg.into_inner().context("cannot encode a picture")?)
}

fn resized(original: &Picture, width: u32) -> Result<Picture> {
    let source = ImageRef::new(original.width, original.height, &original.rgb, PixelType::U8x3)?;
    let mut target = Image::new(width, height(width), PixelType::U8x3);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize(&source, &mut target, &options)?;
    Ok(Picture { width, height: height(width), rgb: target.into_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::both_ways;

    const RESULT: u64 = 80 << 32 | 60;

    fn resize(folder: &Path, by: &By) -> ResizeImage {
        ResizeImage::new(folder.to_str().unwrap(), 320, 80, by).unwrap()
    }

    #[test]
    fn the_result_is_the_size_of_a_picture_that_looks_right() {
        let folder = tempfile::tempdir().unwrap();
        let resize = resize(folder.path(), &By::Library);
        assert_eq!(resize.compute(0, &InterpreterLock::none()).unwrap(), RESULT);
        assert_eq!(resize.compute(1, &InterpreterLock::none()).unwrap(), RESULT);
        for (source_width, width) in [(64, 64), (1000, 64), (333, 100), (640, 301)] {
            let other = ResizeImage::new(folder.path().to_str().unwrap(), source_width, width, &By::Library).unwrap();
            let result = u64::from(width) << 32 | u64::from(width * 3 / 4);
            assert_eq!(other.compute(0, &InterpreterLock::none()).unwrap(), result);
        }
        drop(resize);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "all is gone at the end");
    }

    #[test]
    fn a_broken_original_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let resize = resize(folder.path(), &By::Library);
        let path = source(resize.inputs());
        let whole = fs::read(&path).unwrap();
        let error = || format!("{:#}", resize.compute(0, &InterpreterLock::none()).unwrap_err());
        fs::write(&path, &whole[..whole.len() / 3]).unwrap();
        assert!(error().contains("picture"), "{}", error());
        fs::write(&path, b"no picture").unwrap();
        assert!(error().contains("picture.jpg is no picture any more"), "{}", error());
        fs::remove_file(&path).unwrap();
        assert!(error().starts_with("cannot read "), "{}", error());
    }

    #[test]
    fn a_program_that_makes_the_wrong_picture_or_none_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for error in both_ways(&resize(folder.path(), &By::Program("true".to_owned())), 0).map(Result::unwrap_err) {
            assert!(error.starts_with("cannot read ") && error.contains("No such file"), "{error}");
        }
        let script = folder.path().join("not-smaller");
        fs::write(&script, "#!/bin/sh\ncp \"$1\" \"$4\"\n").unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let program = By::Program(script.to_str().unwrap().to_owned());
        for error in both_ways(&resize(folder.path(), &program), 0).map(Result::unwrap_err) {
            assert_eq!(error, "the smaller picture is wrong: it is 320 x 240 in size, and 80 x 60 was asked for");
        }
    }

    #[test]
    fn imagemagick_makes_a_picture_that_looks_right() {
        let is_real = std::process::Command::new("convert").arg("-version").output();
        if !is_real.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("ImageMagick")) {
            eprintln!("skipped: ImageMagick's convert is not installed (apt install imagemagick)");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = By::Program("convert".to_owned());
        assert_eq!(both_ways(&resize(folder.path(), &program), 0), [Ok(RESULT), Ok(RESULT)]);
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let error = |source_width, width| {
            ResizeImage::new("/no/such/folder", source_width, width, &By::Library).unwrap_err().to_string()
        };
        assert!(error(640, 10).starts_with("width is 10: at least 64"));
        assert!(error(64, 65).starts_with("source_width is 64: "));
        assert!(error(70_000, 64).starts_with("source_width is 70000: "));
    }
}
