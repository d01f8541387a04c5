//! The lock of CPython, step by step, with threads where a step needs them.

use std::{
    sync::atomic::{AtomicU32, Ordering::SeqCst},
    thread,
};

use super::*;

const AN_HOUR: Duration = Duration::from_secs(3600);

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

fn waiting(gil: &Gil) -> usize {
    lock(&gil.state).waiting
}

#[test]
fn a_drop_is_requested_only_after_a_whole_interval_in_which_nobody_switched() {
    assert!(should_request_drop(true, true, 7, 7));
    assert!(!should_request_drop(false, true, 7, 7), "a signal came before the interval was over");
    assert!(!should_request_drop(true, false, 7, 7), "the lock is free");
    assert!(!should_request_drop(true, true, 7, 8), "another thread switched in");
}

#[test]
fn a_waiter_that_saw_a_switch_restarts_its_interval() {
    let gil = Gil::new(Duration::from_millis(20));
    let request = DropRequest::default();
    gil.take(&request);
    let wait_one_turn = || {
        let mut state = lock(&gil.state);
        state.waiting += 1;
        state = gil.wait_a_turn(state, &request);
        state.waiting -= 1;
        request.is_set()
    };
    // A switch in the middle of the turn. The waiter counts as waiting from before it lets go of the mutex until
    // after it has it again, so whoever sees it waiting is in the middle. On a busy machine that may take more tries.
    let mut switched = false;
    while !switched {
        let asked = thread::scope(|scope| {
            let turn = scope.spawn(wait_one_turn);
            while !switched && !turn.is_finished() {
                let mut state = lock(&gil.state);
                if state.waiting == 1 {
                    state.switch_number += 1;
                    switched = true;
                }
                drop(state);
                thread::yield_now();
            }
            turn.join().unwrap()
        });
        assert!(!(switched && asked), "asked although somebody had switched");
        request.clear();
    }
    // The next turn compares with the new number. (More than one, because a wait may end without a reason.)
    until(wait_one_turn);
}

#[test]
fn a_voluntary_release_does_not_wait_for_a_switch() {
    let gil = Gil::new(AN_HOUR);
    let request = DropRequest::default();
    // Nobody waits: there is no one who could end a wait for a switch.
    gil.take(&request);
    gil.give_up(&request);
    assert_eq!(lock(&gil.state).forced, 0);
    // Somebody waits but has not asked yet, and will not within the hour.
    gil.take(&request);
    thread::scope(|scope| {
        scope.spawn(|| {
            gil.take(&request);
            gil.give_up(&request);
        });
        until(|| waiting(&gil) == 1);
        gil.give_up(&request);
    });
    assert_eq!(lock(&gil.state).forced, 0);
}

#[test]
fn after_a_requested_drop_another_thread_has_the_lock_first() {
    let gil = Gil::new(Duration::from_millis(1));
    let request = DropRequest::default();
    let turns = AtomicU32::new(0);
    let (mut early, mut late) = (0, 0);
    gil.take(&request);
    thread::scope(|scope| {
        for round in 1..=50 {
            scope.spawn(|| {
                gil.take(&request);
                turns.fetch_add(1, SeqCst);
                gil.give_up(&request);
            });
            until(|| request.is_set());
            early += u32::from(turns.load(SeqCst) >= round);
            gil.switch(&request);
            late += u32::from(turns.load(SeqCst) < round);
        }
        gil.give_up(&request);
    });
    assert_eq!(early, 0, "times that a waiter got in while the lock was held");
    assert_eq!(late, 0, "times that the holder got the lock back before the waiter had it");
    // The waiters' own releases may have been forced as well, where they were slow.
    assert!(lock(&gil.state).forced >= 50);
}

#[test]
fn a_release_on_request_waits_until_the_waiter_has_the_lock() {
    let gil = Gil::new(Duration::from_millis(1));
    let request = DropRequest::default();
    gil.take(&request);
    thread::scope(|scope| {
        scope.spawn(|| {
            gil.take(&request);
            gil.give_up(&request);
        });
        until(|| request.is_set());
        gil.give_up(&request);
        assert_eq!(gil.switches(), 2, "the first take and the waiter's");
    });
}

#[test]
fn a_holder_that_nobody_waits_for_is_not_asked_to_drop() {
    let gil = Gil::new(Duration::ZERO);
    let request = DropRequest::default();
    gil.take(&request);
    thread::sleep(Duration::from_millis(5));
    assert!(!request.is_set());
    gil.give_up(&request);
}

#[test]
fn a_request_does_not_outlive_the_drop_that_it_asked_for() {
    let gil = Gil::new(Duration::from_millis(1));
    let request = DropRequest::default();
    gil.take(&request);
    thread::scope(|scope| {
        scope.spawn(|| {
            gil.take(&request);
            assert!(!request.is_set());
            gil.give_up(&request);
        });
        until(|| request.is_set());
        gil.give_up(&request);
    });
    assert!(!request.is_set());
}
