//! `zip`: a folder of text files, packed into one archive and read back.

use std::{
    fs::{self, File},
    io::{BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use ::zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};
use anyhow::{Context, Result, ensure};
use interpreter_lock::InterpreterLock;
use protocol::By;

use crate::{
    Step, Timer,
    generated::generated,
    in_flight::InFlight,
    process,
    scratch::{Scratch, explained, write_input},
    slots::{Slot, Slots},
};

/// How much is compressed at a time, without the interpreter lock. rubyzip hands its zlib as much; Python's `zipfile` 8 KiB.
const CHUNK_BYTES: usize = 32 * 1024;

/// Packs generated files into an archive of its own (deflate, level 6), reads the archive, and adds up the CRC-32 of its
/// entries, which is the result. Then the archive is removed.
///
/// The library lets go of the interpreter lock around each chunk that is compressed or decompressed, as zlib's bindings do,
/// and around reading files. A program is waited for; reading its archive is done by the library.
#[derive(Debug, Clone)]
pub struct Zip {
    shared: Arc<Shared>,
    in_flight: Arc<InFlight>,
}

#[derive(Debug)]
struct Shared {
    scratch: Scratch,
    slots: Slots,
    files: u32,
    program: Option<String>,
}

impl Zip {
    /// Makes the files in `folder`.
    ///
    /// # Errors
    /// They cannot be made.
    pub fn new(folder: &str, files: u32, file_bytes: u64, by: &By) -> Result<Self> {
        ensure!(files >= 1, "files is 0: an archive has at least one");
        let scratch = Scratch::new(folder, |inputs| {
            let tree = tree(inputs);
            fs::create_dir(&tree).map_err(|error| explained(error, "cannot make", &tree))?;
            (0..files).try_for_each(|file| write_input(&tree.join(name(file)), &generated(file.into(), file_bytes)?))
        })?;
        let program = match by {
            By::Library => None,
            By::Program(program) => Some(program.clone()),
        };
        let shared = Shared { scratch, slots: Slots::default(), files, program };
        Ok(Self { shared: Arc::new(shared), in_flight: Arc::default() })
    }

    /// The folder with the files.
    pub(crate) fn inputs(&self) -> &Path {
        self.shared.scratch.inputs()
    }
}

impl Step for Zip {
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
            let archive = Archive::new(shared);
            process::run(&mut shared.command(&archive.path), timer).await?;
            // The loop has let go of the lock around its waits by itself; what follows blocks it.
            shared.read_back(&archive.path, &InterpreterLock::none())
        };
        self.in_flight.run(work).await
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        let archive = Archive::new(&self.shared);
        process::run_blocking(&mut self.shared.command(&archive.path), lock)?;
        self.shared.read_back(&archive.path, lock)
    }

    fn compute(&self, _state: u64, lock: &InterpreterLock) -> Result<u64> {
        let archive = Archive::new(&self.shared);
        self.shared.pack(&archive.path, lock).with_context(|| format!("cannot make {}", archive.path.display()))?;
        self.shared.read_back(&archive.path, lock)
    }
}

/// An archive of one step, which is gone at its end.
struct Archive<'a> {
    path: PathBuf,
    _slot: Slot<'a>,
}

impl<'a> Archive<'a> {
    fn new(shared: &'a Shared) -> Self {
        let slot = shared.slots.take();
        Self { path: shared.scratch.output(&format!("{}.zip", slot.number)), _slot: slot }
    }
}

impl Drop for Archive<'_> {
    fn drop(&mut self) {
        // What is still there goes with the job's folder.
        let _ = fs::remove_file(&self.path);
    }
}

impl Shared {
    fn pack(&self, path: &Path, lock: &InterpreterLock) -> Result<()> {
        let file = lock.unlocked(|| File::create(path)).map_err(|error| explained(error, "cannot write", path))?;
        let mut writer = ZipWriter::new(BufWriter::new(file));
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).compression_level(Some(6));
        for file in 0..self.files {
            let source = tree(self.scratch.inputs()).join(name(file));
            let text = lock.unlocked(|| fs::read(&source)).map_err(|error| explained(error, "cannot read", &source))?;
            writer.start_file(name(file), options)?;
            for chunk in text.chunks(CHUNK_BYTES) {
                let written = lock.unlocked(|| writer.write_all(chunk));
                written.map_err(|error| explained(error, "cannot write", path))?;
            }
        }
        let written = lock.unlocked(|| Ok::<_, anyhow::Error>(writer.finish()?.into_inner()?));
        written.map(drop)
    }

    fn command(&self, archive: &Path) -> std::process::Command {
        let mut command = process::program(self.program.as_deref().unwrap_or_default());
        // Quietly, all that is in this folder, without entries for folders.
        command.current_dir(tree(self.scratch.inputs())).args(["-q", "-r", "-D"]).arg(archive).arg(".");
        command
    }

    /// The sum of the CRC-32 of all entries, as computed from what comes out of the archive.
    fn read_back(&self, path: &Path, lock: &InterpreterLock) -> Result<u64> {
        let file = lock.unlocked(|| File::open(path)).map_err(|error| explained(error, "cannot read", path))?;
        let broken = || format!("the archive {} is broken", path.display());
        let mut archive = ZipArchive::new(BufReader::new(file)).with_context(broken)?;
        ensure!(
            archive.len() == self.files as usize,
            "the archive {} has {} entries, and {} were packed",
            path.display(),
            archive.len(),
            self.files
        );
        let mut sum = 0_u64;
        let mut chunk = vec![0; CHUNK_BYTES];
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).with_context(broken)?;
            let mut hasher = crc32fast::Hasher::new();
            while lock
                .unlocked(|| {
                    // At the end it compares the CRC-32 with the archive's.
                    let length = entry.read(&mut chunk)?;
                    hasher.update(&chunk[..length]);
                    Ok::<_, std::io::Error>(length > 0)
                })
                .with_context(broken)?
            {}
            sum = sum.wrapping_add(hasher.finalize().into());
        }
        Ok(sum)
    }
}

fn tree(inputs: &Path) -> PathBuf {
    inputs.join("tree")
}

fn name(file: u32) -> String {
    format!("{file:05}.txt")
}

#[cfg(test)]
mod tests;
