//! The languages that have a worker here, and how their interpreters are recognised.

use std::path::Path;
use std::time::Duration;

use crate::engine::ask::ask;
use crate::engine::spawn::WorkerCommand;

/// A language that has a worker here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Python.
    Python,
    /// Ruby.
    Ruby,
}

/// What an interpreter of Python is asked. It works from 2.7 on, so that an old one can say how old it is.
const ASK_PYTHON: &str = r#"
import json, os, platform, sys, sysconfig
implementation = platform.python_implementation()
enabled = getattr(sys, "_is_gil_enabled", None)
built_without = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
try:
    import concurrent.futures
    interpreters = hasattr(concurrent.futures, "InterpreterPoolExecutor")
except ImportError:
    interpreters = False
print(json.dumps({
    "parallax": 1,
    "implementation": implementation,
    "version": platform.python_version(),
    "executable": os.path.realpath(sys.executable),
    "built_without_gil": built_without,
    "gil_enabled": enabled() if enabled else (True if implementation in ("CPython", "PyPy") else None),
    "interpreters": interpreters,
}))
"#;

/// What an interpreter of Ruby is asked. It works from 2.0 on.
const ASK_RUBY: &str = r#"
require "json"
require "rbconfig"
yjit = defined?(RubyVM::YJIT) ? true : false
puts JSON.generate({
  "parallax" => 1,
  "implementation" => RUBY_ENGINE,
  "version" => RUBY_VERSION,
  "executable" => File.realpath(RbConfig.ruby),
  "ractors" => defined?(Ractor) ? true : false,
  "yjit" => yjit,
  "yjit_enabled" => yjit && RubyVM::YJIT.respond_to?(:enabled?) && RubyVM::YJIT.enabled?,
})
"#;

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Python, Self::Ruby];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Ruby => "Ruby",
        }
    }

    /// Its worker, seen from the workspace.
    #[must_use]
    pub fn worker(self) -> &'static str {
        match self {
            Self::Python => "crates/interpreters/python/worker.py",
            Self::Ruby => "crates/interpreters/ruby/worker.rb",
        }
    }

    /// The oldest version that its worker runs on.
    #[must_use]
    pub fn oldest(self) -> (u32, u32) {
        match self {
            Self::Python => (3, 9),
            Self::Ruby => (2, 7),
        }
    }

    /// The arguments with which an interpreter tells what it is.
    #[must_use]
    pub fn question(self) -> [&'static str; 2] {
        match self {
            Self::Python => ["-c", ASK_PYTHON],
            Self::Ruby => ["-e", ASK_RUBY],
        }
    }

    /// The language whose interpreters are called so: `python3.14t`, `pypy3`, `ruby3.3`.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        let is_version = |rest: &str| {
            let rest = rest.strip_suffix('t').unwrap_or(rest);
            rest.is_empty() || rest.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        };
        let called = |stems: &[&str]| stems.iter().any(|stem| name.strip_prefix(stem).is_some_and(is_version));
        if called(&["python", "pypy", "graalpy"]) {
            Some(Self::Python)
        } else if called(&["ruby", "jruby", "truffleruby"]) {
            Some(Self::Ruby)
        } else {
            None
        }
    }

    /// The language of a program, by what it answers to `--version`, or else by its name. `None` when neither tells.
    #[must_use]
    pub fn of_program(program: &Path, limit: Duration) -> Option<Self> {
        let command =
            WorkerCommand { arguments: vec!["--version".to_owned()], ..WorkerCommand::of(program.to_owned()) };
        // Python 2 answers on stderr.
        let said = ask(&command, limit).map(|answer| answer.stdout + &answer.stderr).unwrap_or_default();
        let word = said.split_whitespace().next().unwrap_or_default().to_lowercase();
        Self::of_file_name(&word).or_else(|| Self::of_file_name(program.file_name()?.to_str()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_told_by_its_name() {
        for name in ["python", "python3", "python3.11", "python3.14t", "pypy3.10"] {
            assert_eq!(Language::of_file_name(name), Some(Language::Python), "{name}");
        }
        for name in ["ruby", "ruby3.1", "jruby"] {
            assert_eq!(Language::of_file_name(name), Some(Language::Ruby), "{name}");
        }
        for name in ["python3-config", "python3.11-gdb.py", "rubygems", "pythonw", "node", "", "python3.", "ruby2to3"] {
            assert_eq!(Language::of_file_name(name), None, "{name}");
        }
    }
}
