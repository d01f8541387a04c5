//! Where results are kept and found: one folder per run of the matrix, and an index of them.
//!
//! | file | what lives here |
//! | --- | --- |
//! | [`folder`] | makes a result's folder, and writes its files |
//! | [`sample_file`] | the listener that appends to `samples.jsonl` |
//! | [`record`] | the lines of `samples.jsonl` |
//! | [`environment`] | what the figures were taken with and on: `environment.json` |
//! | [`options`] | what was asked for, as far as it decides what is measured |
//! | [`machine`] | the machine's part of it, and its fingerprint |
//! | [`linux`] | what only Linux tells about the machine |
//! | [`git`] | commit and state of the working tree |
//! | [`read`] | reads the files back, strictly |
//! | [`salvage`] | reads what is whole of a sample file |
//! | [`name`] | the names of results' folders |
//! | [`tree`] | folders of results on disk and in git |
//! | [`find`](mod@find) | finds a result by what a person calls it |
//! | [`unfinished`] | finds the interrupted run that can go on |
//! | [`floors`] | noise floors that earlier results have |
//! | [`figures`] | what comparisons need of a summary |
//! | [`outline`] | what a history needs of it |
//! | [`scan`] | picks single values out of a large text |
//! | [`load`](mod@load) | a found result, as far as it can be read |
//! | [`publication`] | whose figures they are that we have not measured |
//! | [`index`] | what an index of all results needs of each |
//! | [`atomic`] | writes a file wholly or not at all |
//!
//! What figures mean is the business of [`stats`](crate::stats); how they look, of [`report`](crate::report).

pub mod atomic;
pub mod environment;
pub mod figures;
pub mod find;
pub mod floors;
pub mod folder;
pub mod git;
pub mod index;
pub mod linux;
pub mod load;
pub mod machine;
pub mod name;
pub mod options;
pub mod outline;
pub mod publication;
pub mod read;
pub mod record;
pub mod salvage;
pub mod sample_file;
pub mod scan;
pub mod tree;
pub mod unfinished;

pub use environment::Environment;
pub use folder::ResultFolder;
pub use sample_file::SampleFile;
