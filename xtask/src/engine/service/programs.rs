//! Programs that cells need: where they are, which version, and how to get one that is missing.

use std::env;
use std::path::{Path, PathBuf};

use crate::engine::binaries::{NotFound, find_program};

/// How to get programs, by name: the packages of Debian and its descendants.
const INSTALL: &[(&str, &str)] = &[
    ("convert", "apt install imagemagick"),
    ("magick", "apt install imagemagick"),
    ("zip", "apt install zip"),
    ("postgres", "apt install postgresql"),
    ("psql", "apt install postgresql-client"),
    ("ruby", "apt install ruby"),
    ("python3", "apt install python3"),
    ("curl", "apt install curl"),
    ("gzip", "apt install gzip"),
    ("ffmpeg", "apt install ffmpeg"),
    ("sleep", "apt install coreutils"),
];

/// Names under which ImageMagick's command is installed, the preferred first: version 7's, Debian's own for version 6,
/// and version 6's, which other programs are called by as well.
const IMAGE_MAGICK: &[&str] = &["magick", "convert-im7.q16", "convert-im6.q16", "convert"];

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// The first line of what it says about its version, where it was asked.
    pub version: Option<String>,
}

/// A program of this name on the PATH.
///
/// # Errors
/// There is none.
pub fn find(name: &str) -> Result<Program, NotFound> {
    match find_program(name, &[], Path::new("")) {
        Some(path) => Ok(Program { path, version: None }),
        None => Err(missing(name)),
    }
}

/// Info-ZIP's `zip`, with its version.
///
/// # Errors
/// There is none.
pub fn find_zip() -> Result<Program, NotFound> {
    let program = find("zip")?;
    // "This is Zip 3.0 (July 5th 2008), by Info-ZIP."
    let said = ask(&program.path, "-v").unwrap_or_default();
    let version = said.lines().find_map(|line| Some(line.split_once("This is ")?.1.split(',').next()?.to_owned()));
    Ok(Program { version, ..program })
}

/// ImageMagick's command, with its version. A `convert` that is another program's does not count.
///
/// # Errors
/// There is none.
pub fn find_image_magick() -> Result<Program, NotFound> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let candidates = IMAGE_MAGICK.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates
        .filter_map(|file| find_program(file.to_str()?, &[], Path::new("")))
        .find_map(|path| {
            // "Version: ImageMagick 6.9.11-60 Q16 x86_64 2021-01-25 https://imagemagick.org"
            let said = ask(&path, "-version")?;
            let version = said.lines().next()?.strip_prefix("Version: ")?.trim();
            let words: Vec<&str> = version.split(' ').take(2).collect();
            (words.first() == Some(&"ImageMagick")).then(|| Program { path, version: Some(words.join(" ")) })
        })
        .ok_or_else(|| missing("convert"))
}

/// A program that is not there, with the way to get it where we know one.
#[must_use]
pub fn missing(name: &str) -> NotFound {
    let install = INSTALL.iter().find(|(program, _)| *program == name).map(|(_, install)| (*install).to_owned());
    let program = if name == "convert" { "ImageMagick (magick or convert)".to_owned() } else { name.to_owned() };
    NotFound { program, install }
}

/// What a program prints when it is asked; both streams, as some tell their version on stderr.
pub(super) fn ask(program: &Path, argument: &str) -> Option<String> {
    let output =
        duct::cmd!(program, argument).stdin_null().stderr_to_stdout().stdout_capture().unchecked().run().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_comes_with_the_way_to_get_it_where_that_is_known() {
        assert_eq!(missing("zip").to_string(), "zip is not on the PATH; to install it: apt install zip");
        let text = "ImageMagick (magick or convert) is not on the PATH; to install it: apt install imagemagick";
        assert_eq!(missing("convert").to_string(), text);
        assert_eq!(missing("no-such-program").to_string(), "no-such-program is not on the PATH");
    }

    #[test]
    fn a_program_that_fails_to_tell_its_version_tells_none() {
        assert_eq!(ask(Path::new("/bin/false"), "-v"), None);
        assert_eq!(ask(Path::new("/bin/echo"), "1.2").as_deref(), Some("1.2\n"));
    }
}
