//! Reading the matrix file as text.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::problem::{Problem, Problems, Report};

/// The largest file that is read, in bytes. The largest sensible matrix has a few kilobytes.
const MAX_BYTES: u64 = 4 << 20;

/// The text of the file.
///
/// # Errors
/// The file cannot be read, is too large, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, Report> {
    let fail = |problem: Problem, text: String| {
        let mut problems = Problems::default();
        problems.push(problem);
        Err(problems.into_report(path, text))
    };
    let shown = path.display();
    // Opening a directory succeeds on Linux, and reading it then fails with a message that names no file.
    if path.is_dir() {
        let problem = Problem::new(format!("`{shown}` is a directory, not a matrix file"))
            .help("give the file itself, such as `bench-matrix.toml`");
        return fail(problem, String::new());
    }
    let mut bytes = Vec::new();
    // A device or a pipe may have no end: read one byte more than is allowed and see.
    if let Err(error) = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)) {
        let problem = match error.kind() {
            ErrorKind::NotFound => Problem::new(format!("there is no file `{shown}`"))
                .help("the default is `bench-matrix.toml` at the root of the repository"),
            ErrorKind::PermissionDenied => Problem::new(format!("no permission to read `{shown}`")),
            _ => Problem::new(format!("cannot read `{shown}`: {error}")),
        };
        return fail(problem, String::new());
    }
    if bytes.len() as u64 > MAX_BYTES {
        return fail(
            Problem::new(format!("`{shown}` has more than {} MiB; it is not a matrix file", MAX_BYTES >> 20)),
            String::new(),
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let start = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[start];
            // Everything before the byte is valid, so it stands at the same place in the repaired text.
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let problem = Problem::new(format!("`{shown}` is not UTF-8 text"))
                .at(start..start + '\u{fffd}'.len_utf8(), format!("the byte 0x{byte:02x} cannot stand here"))
                .help("save the file as UTF-8");
            fail(problem, text)
        }
    }
}
