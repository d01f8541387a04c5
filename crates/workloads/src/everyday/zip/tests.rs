//! Archives, and what can be wrong with them.

use super::*;
use crate::testing::both_ways;

fn zip(folder: &Path, by: &By) -> Zip {
    Zip::new(folder.to_str().unwrap(), 3, 100_000, by).unwrap()
}

/// The sum of zlib.crc32 of the three files, in Python.
const SUM: u64 = 7_329_334_796;

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn the_result_is_the_sum_of_the_crcs_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let zip = zip(folder.path(), &By::Library);
    for lock in [InterpreterLock::none(), InterpreterLock::gvl(std::time::Duration::from_millis(1))] {
        let _held = lock.hold();
        assert_eq!(zip.compute(0, &lock).unwrap(), SUM);
    }
    assert_eq!(entries(zip.inputs()), 1, "no archive is left");
    drop(zip);
    assert_eq!(entries(folder.path()), 0, "all is gone at the end");
}

#[test]
fn the_program_packs_the_same() {
    if std::process::Command::new("zip").arg("-v").output().is_err() {
        eprintln!("skipped: zip is not installed (apt install zip)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let zip = zip(folder.path(), &By::Program("zip".to_owned()));
    assert_eq!(both_ways(&zip, 0), [Ok(SUM), Ok(SUM)]);
    assert_eq!(both_ways(&zip, 1), [Ok(SUM), Ok(SUM)]);
}

#[test]
fn a_program_that_packs_nothing_or_too_little_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for error in both_ways(&zip(folder.path(), &By::Program("true".to_owned())), 0).map(Result::unwrap_err) {
        assert!(error.starts_with("cannot read "), "{error}");
    }
    let script = folder.path().join("garbage");
    fs::write(&script, "#!/bin/sh\necho garbage > \"$4\"\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = By::Program(script.to_str().unwrap().to_owned());
    for error in both_ways(&zip(folder.path(), &program), 0).map(Result::unwrap_err) {
        assert!(error.contains(".zip is broken: "), "{error}");
    }
}

#[test]
fn a_full_disk_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let zip = zip(folder.path(), &By::Library);
    std::os::unix::fs::symlink("/dev/full", zip.shared.scratch.output("0.zip")).unwrap();
    let error = format!("{:#}", zip.compute(0, &InterpreterLock::none()).unwrap_err());
    assert!(error.contains("No space left on device"), "{error}");
}
