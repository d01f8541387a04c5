//! Results in folders made by hand.

use std::fs;

use super::*;

const OLD: &str = "2026-11-29T080000Z-3f9c2a1";
const NEW: &str = "2026-11-30T171522Z-3f9c2a1";
const SECOND: &str = "2026-11-30T171522Z-3f9c2a1-2";

fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in [OLD, NEW, SECOND, "published/articles"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join(SUMMARY), "{}").unwrap();
    }
    // Killed before it could write anything.
    fs::create_dir(folder.path().join("2026-12-01T000000Z-3f9c2a1")).unwrap();
    folder
}

fn name(root: &Path, text: &str) -> String {
    find(root, text).unwrap().name
}

fn error(root: &Path, text: &str) -> String {
    find(root, text).unwrap_err().to_string()
}

#[test]
fn latest_counts_back_over_results_that_have_files() {
    let folder = results();
    let found = ["latest", "latest~0", "latest~1", "latest~2"].map(|text| name(folder.path(), text));
    assert_eq!(found, [SECOND, SECOND, NEW, OLD]);
    let few = error(folder.path(), "latest~3");
    assert!(few.starts_with("there is no `latest~3`: `") && few.ends_with("has 3 results"), "{few}");
}

#[test]
fn the_beginning_of_a_name_is_enough_where_only_one_begins_so() {
    let folder = results();
    assert_eq!(name(folder.path(), "2026-11-29"), OLD);
    assert_eq!(name(folder.path(), NEW), NEW, "a whole name is that result, though another begins with it");
    assert_eq!(error(folder.path(), "2026-11-30"), format!("2 results begin with `2026-11-30`: {SECOND}, {NEW}"));
}

#[test]
fn a_folder_anywhere_and_a_published_result_are_found() {
    let folder = results();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = folder.path().join(OLD);
    assert_eq!(name(elsewhere.path(), path.to_str().unwrap()), OLD);
    let published = find(folder.path(), "published/articles").unwrap();
    assert_eq!(published.name, "published/articles");
    assert_eq!(published.file(SUMMARY).unwrap().unwrap(), b"{}");
    assert_eq!(error(folder.path(), "published/books"), "nothing is published as `books`. There are: articles.");
    assert!(error(folder.path(), "published/../x").starts_with("nothing is published as"));
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let folder = results();
    let outside = error(folder.path(), "lastest");
    assert!(outside.starts_with("`lastest` is neither a result nor a git revision ("), "{outside}");
    assert!(outside.ends_with("Did you mean `latest`?"), "{outside}");
    let far = error(folder.path(), "main");
    assert!(far.ends_with(&format!("The newest are: 2026-12-01T000000Z-3f9c2a1, {SECOND}, {NEW}.")), "{far}");
    assert_eq!(error(folder.path(), "./nowhere"), "there is no folder `./nowhere`");
    let path = folder.path().join("published");
    let path = path.to_str().unwrap();
    assert_eq!(
        error(folder.path(), path),
        format!("`{path}` is no result: it has neither summary.json nor samples.jsonl")
    );
    // Tests run in the folder of their package.
    assert_eq!(error(folder.path(), "Cargo.toml"), "`Cargo.toml` is a file; name the folder that it is in");
}

#[test]
fn without_any_result_it_is_said_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("results");
    assert_eq!(
        error(&root, "latest"),
        format!("there is no result in `{}`. `cargo xtask matrix` makes one", root.display())
    );
    assert!(error(&root, "x").ends_with("There are no results yet."));
}
