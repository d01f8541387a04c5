//! Smaller pictures, and what can be wrong with them.

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
