//! Bars without a terminal.

use indicatif::TermLike;
use protocol::Model;

use super::*;
use crate::engine::scripted::visits;
use crate::stats::fixtures::{batch, plan, sample_record};

/// A terminal that keeps what is drawn on it.
#[derive(Debug, Clone)]
struct Paper {
    width: u16,
    drawn: Arc<Mutex<Vec<String>>>,
}

impl Paper {
    fn keep(&self, text: &str) -> io::Result<()> {
        self.drawn.lock().unwrap().push(text.trim_end().to_owned());
        Ok(())
    }
}

impl TermLike for Paper {
    fn width(&self) -> u16 {
        self.width
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.keep(text)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.keep(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What a bar draws on a terminal of this width, from the first line to the last.
fn drawn(width: u16) -> Vec<String> {
    let plan = plan("scenario", None, &[batch(Model::Sequential), batch(Model::Threads)]);
    let paper = Paper { width, drawn: Arc::default() };
    let mut bar = Bar::on(
        ProgressDrawTarget::term_like(Box::new(paper.clone())),
        Duration::from_secs(3_600),
        Box::new(move || width),
    );
    bar.on_event(&Event::Started { plan: &plan, visits: &visits(&plan) }).unwrap();
    let cell = "scenario/model=threads";
    let at = RunPosition { scenario: 0, cell, round: 2, warmup: true, done: 3, planned: 8 };
    bar.on_event(&Event::RunStarted { at }).unwrap();
    let record = sample_record(cell, 1, true, 5);
    bar.on_event(&Event::Sampled { record: &record, done: 4 }).unwrap();
    bar.on_event(&Event::Warning { message: "look here".to_owned() }).unwrap();
    bar.bar.disable_steady_tick();
    bar.bar.force_draw();
    let drawn = paper.drawn.lock().unwrap();
    drawn.iter().filter(|line| !line.is_empty()).cloned().collect()
}

#[test]
fn the_line_tells_how_far_what_runs_and_what_to_look_at() {
    let lines = drawn(100);
    assert!(lines.iter().any(|line| line == "warning: look here"), "{lines:#?}");
    let last = lines.last().unwrap();
    assert!(last.contains(" 4/8  0:00, "), "{last}");
    assert!(last.ends_with("round 2/2, warm-up  scenario/model=threads"), "{last}");
}

#[test]
fn a_narrow_window_does_not_wrap() {
    for width in [30, 59] {
        let lines = drawn(width);
        assert!(lines.iter().all(|line| line.chars().count() <= usize::from(width)), "{lines:#?}");
        assert!(lines.last().unwrap().contains("4/8"), "{lines:#?}");
    }
}

#[test]
fn a_clock_shows_hours_only_where_there_are_any() {
    assert_eq!([5, 65, 7_384].map(|s| clock(Duration::from_secs(s))), ["0:05", "1:05", "2:03:04"]);
}
