//! The listener that appends to `samples.jsonl`: each repetition is in the file before the next one begins.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::read;
use super::record::{Record, SampleRecord};
use crate::engine::event::{Event, Listener};

/// The version of `samples.jsonl`.
pub const SCHEMA: u32 = 1;

/// `samples.jsonl`, open to be continued.
///
/// A line is handed to the kernel whole, so it survives the death of this process; the disk is waited for once, at the
/// end, because waiting after each run would put disk traffic between the runs.
#[derive(Debug)]
pub struct SampleFile {
    path: PathBuf,
    file: File,
    /// Length of the file up to its last whole line.
    length: u64,
}

impl SampleFile {
    /// Opens a sample file at its end, or begins one. A last line that was torn by a crash is cut off.
    ///
    /// # Errors
    /// It cannot be opened or written, or a newer version of this program wrote it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let name = || format!("cannot open `{}`", path.display());
        // Not in append mode: that would not let a torn line be cut off on every system.
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut this = Self { path: path.to_owned(), file: file.with_context(name)?, length: 0 };
        let mut content = Vec::new();
        if this.file.metadata().with_context(name)?.is_file() {
            this.file.read_to_end(&mut content).with_context(name)?;
        }
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 {
            this.truncate().with_context(name)?;
            this.append(&Record::Header { schema: SCHEMA }).with_context(|| this.failed("its first line"))?;
        } else {
            read::parse(&content[..whole], path)?;
            this.length = u64::try_from(whole)?;
            this.truncate().with_context(name)?;
        }
        Ok(this)
    }

    /// Appends one record, wholly or not at all.
    fn append(&mut self, record: &Record) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        // A file that nobody can find any more takes lines as before.
        if self.file.metadata()?.nlink() == 0 {
            bail!("the file was removed while the matrix ran");
        }
        if let Err(error) = self.file.write_all(&line) {
            // A full disk takes part of a line: without it the file stays valid.
            let _ = self.truncate();
            bail!(error);
        }
        self.length += u64::try_from(line.len())?;
        Ok(())
    }

    /// Cuts off what follows the last whole line.
    fn truncate(&mut self) -> std::io::Result<()> {
        // Devices such as /dev/full have no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
        }
        Ok(())
    }

    fn failed(&self, what: &str) -> String {
        format!(
            "cannot write {what} to `{}`. All samples before it are kept, if the file still is. Make room, then go on with \
             --resume",
            self.path.display()
        )
    }
}

impl Listener for SampleFile {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Sampled { record, .. } | Event::SetAside { record } => {
                let SampleRecord { cell, round, .. } = record;
                let line = Record::Sample((*record).clone());
                self.append(&line).with_context(|| self.failed(&format!("round {round} of `{cell}`")))
            }
            Event::CellFailed { cell, record, .. } => {
                self.append(record).with_context(|| self.failed(&format!("the failure of `{cell}`")))
            }
            Event::TwinFailed { record, .. } => {
                self.append(record).with_context(|| self.failed("the failure of an A/A twin"))
            }
            Event::Voided { record } => self.append(record).with_context(|| self.failed("a voided run")),
            Event::Finished { .. } => self.file.sync_all().with_context(|| self.failed("the last lines")),
            Event::Started { .. }
            | Event::Preparing { .. }
            | Event::Noted { .. }
            | Event::RunStarted { .. }
            | Event::ScenarioFinished { .. }
            | Event::Warning { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::stats::fixtures::sample_record;

    fn take(file: &mut SampleFile, round: u32) -> anyhow::Result<()> {
        file.on_event(&Event::Sampled { record: &sample_record("s/model=threads", round, false, 100), done: 1 })
    }

    fn lines(path: &Path) -> Vec<String> {
        fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_sample_is_in_the_file_when_the_listener_returns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.jsonl");
        let mut file = SampleFile::open(&path).unwrap();
        assert_eq!(lines(&path), [r#"{"record":"header","schema":1}"#]);
        take(&mut file, 1).unwrap();
        // The file is still open, as it is when a SIGKILL comes.
        assert!(lines(&path)[1].starts_with(r#"{"record":"sample","cell":"s/model=threads","round":1,"#));
        take(&mut file, 2).unwrap();
        assert_eq!(lines(&path).len(), 3);
    }

    #[test]
    fn a_file_is_continued_behind_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.jsonl");
        take(&mut SampleFile::open(&path).unwrap(), 1).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], br#"{"record":"sam"#].concat()).unwrap();
        take(&mut SampleFile::open(&path).unwrap(), 2).unwrap();
        assert_eq!(lines(&path).len(), 3);
        assert!(fs::read(&path).unwrap().starts_with(&whole));
    }

    #[test]
    fn what_was_written_reads_back_and_sums_up_as_if_it_had_never_been_a_file() {
        use crate::engine::failure::{Failure, FailureKind};
        use crate::stats::fixtures::{batch, failure, plan, sample, warmup};
        use crate::stats::{KnownFloors, RunTimes, summarise};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.jsonl");
        let records = [
            warmup("s/model=sequential", 1, 3_000_000),
            sample("s/model=sequential", 1, 2_000_000),
            sample("s/model=sequential", 2, 2_100_000),
            sample("s/model=threads", 1, 1_000_000),
            failure("s/model=threads", 2, FailureKind::TimedOut, "no answer within 60 s."),
        ];
        let mut file = SampleFile::open(&path).unwrap();
        let unused = Failure { kind: FailureKind::Died, reason: String::new(), stderr_tail: Vec::new() };
        for record in &records {
            let event = match record {
                Record::Sample(sample) => Event::Sampled { record: sample, done: 1 },
                _ => Event::CellFailed { cell: "s/model=threads", record, failure: &unused, done: 1 },
            };
            file.on_event(&event).unwrap();
        }
        let read = read::samples(&path).unwrap();
        assert_eq!((read.records.as_slice(), read.torn), (records.as_slice(), None));
        let models = [batch(protocol::Model::Sequential), batch(protocol::Model::Threads)];
        let plan = plan("s", Some("model"), &models);
        let epoch = std::time::SystemTime::UNIX_EPOCH;
        let times = RunTimes { started: epoch, ended: epoch, wall_ns: 9_000_000, prepared_ns: 0, complete: true };
        assert_eq!(
            summarise(&plan, &read.records, &times, &KnownFloors::default()),
            summarise(&plan, &records, &times, &KnownFloors::default())
        );
    }

    #[test]
    fn a_file_of_a_newer_version_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.jsonl");
        fs::write(&path, "{\"record\":\"header\",\"schema\":99}\n").unwrap();
        let error = SampleFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("99"), "{error}");
        assert_eq!(lines(&path).len(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_named_with_what_to_do() {
        let error = format!("{:#}", SampleFile::open(Path::new("/dev/full")).unwrap_err());
        for part in ["/dev/full", "No space left on device", "Make room"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
