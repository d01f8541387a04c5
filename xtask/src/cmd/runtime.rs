//! `--runtime NAME=PROGRAM`: a runtime from the command line. An interpreter is all that is named; the worker is found
//! by what the interpreter says it is, or by its name.

use std::path::{Path, PathBuf};

use super::Exit;
use crate::doctor::interpreters::LIMIT;
use crate::doctor::interpreters::language::Language;
use crate::engine::binaries::find_program;
use crate::engine::build::workspace;
use crate::matrix::plan::{Plan, RUST_RUNTIME, Runtime};
use crate::number::counted;

/// The runtimes of the command line.
///
/// # Errors
/// One cannot be used; stderr says why.
pub fn read(arguments: &[String]) -> Result<Vec<Runtime>, Exit> {
    let mut runtimes: Vec<Runtime> = Vec::new();
    for argument in arguments {
        let runtime = parse(argument).and_then(|runtime| {
            if runtimes.iter().any(|known| known.name == runtime.name) {
                return Err("is given twice".to_owned());
            }
            Ok(runtime)
        });
        runtimes.push(runtime.map_err(|why| {
            eprintln!("error: --runtime {argument}: {why}");
            Exit::Usage
        })?);
    }
    Ok(runtimes)
}

/// Looks whether each of these runtimes has joined a chosen scenario.
///
/// # Errors
/// One has not: it would be measured nowhere; stderr says so.
pub fn check_used(runtimes: &[Runtime], plan: &Plan) -> Result<(), Exit> {
    let unused = runtimes.iter().find(|runtime| plan.runtimes.iter().all(|used| used.name != runtime.name));
    let Some(unused) = unused else { return Ok(()) };
    eprintln!(
        "error: --runtime {}: none of the {} chosen has a `runtime` axis that it could join; write `runtime = [\"rust\"]` \
         in a scenario to make one",
        unused.name,
        counted(plan.scenarios.len() as u64, "scenario", "scenarios")
    );
    Err(Exit::Usage)
}

fn parse(argument: &str) -> Result<Runtime, String> {
    let (name, program) = argument
        .split_once('=')
        .filter(|(name, program)| !name.is_empty() && !program.is_empty())
        .ok_or("expected NAME=PROGRAM, such as python3.14t=/usr/local/bin/python3.14t")?;
    if !name.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.".contains(sign)) {
        return Err(format!("the name {name:?} may have letters, digits, `-`, `_` and `.` only"));
    }
    if name == RUST_RUNTIME {
        return Err("the runtime `rust` is built in; give it another name".to_owned());
    }
    let found = find_program(program, &[], Path::new("")).ok_or_else(|| match program.contains('/') {
        true => format!("{program} is not an executable file"),
        false => format!("{program} is not on the PATH"),
    })?;
    let language = Language::of_program(&found, LIMIT).or_else(|| Language::of_file_name(name)).ok_or_else(|| {
        let known = Language::ALL.map(Language::name).join(" and ");
        format!(
            "{program} is no interpreter of {known}, neither by what it answers to --version nor by its name; for a \
             worker of your own write a [[runtime]] table"
        )
    })?;
    Ok(Runtime {
        name: name.to_owned(),
        command: vec![text(found)?, text(workspace().join(language.worker()))?],
        version: None,
        install: None,
        env: Vec::new(),
        folder: PathBuf::new(),
    })
}

fn text(path: PathBuf) -> Result<String, String> {
    path.into_os_string().into_string().map_err(|path| format!("the path {} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_runtime_is_refused_with_what_is_expected() {
        let why = |argument: &str| parse(argument).unwrap_err();
        let form = "expected NAME=PROGRAM, such as python3.14t=/usr/local/bin/python3.14t";
        for argument in ["python3", "=python3", "python3=", ""] {
            assert_eq!(why(argument), form, "{argument}");
        }
        assert_eq!(why("rust=python3"), "the runtime `rust` is built in; give it another name");
        assert_eq!(why("a b=python3"), "the name \"a b\" may have letters, digits, `-`, `_` and `.` only");
        assert_eq!(why("x=no-such-program-1"), "no-such-program-1 is not on the PATH");
        assert_eq!(why("x=./no/such"), "./no/such is not an executable file");
        assert_eq!(
            why("x=/bin/true"),
            "/bin/true is no interpreter of Python and Ruby, neither by what it answers to --version nor by its name; for \
             a worker of your own write a [[runtime]] table"
        );
    }

    #[test]
    fn the_name_decides_where_the_program_does_not_tell() {
        let runtime = parse("ruby3.5=/bin/true").unwrap();
        assert_eq!(runtime.command[0], "/bin/true");
        assert!(runtime.command[1].ends_with("/crates/interpreters/ruby/worker.rb"), "{runtime:?}");
    }
}
