//! The lock of CRuby, step by step, with threads where a step needs them.

use std::thread;

use super::*;

const AN_HOUR: Duration = Duration::from_secs(3600);

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

fn queued(gvl: &Gvl) -> usize {
    lock(&gvl.state).queue.len()
}

#[test]
fn the_holder_is_interrupted_when_it_has_run_a_quantum_and_not_before() {
    let ms = Duration::from_millis;
    assert_eq!(slice_left(ms(100), ms(0)), Some(ms(100)));
    assert_eq!(slice_left(ms(100), ms(99)), Some(ms(1)));
    assert_eq!(slice_left(ms(100), ms(100)), None);
    assert_eq!(slice_left(ms(100), ms(250)), None);
    assert_eq!(slice_left(ms(0), ms(0)), None);
}

#[test]
fn run_time_counts_only_while_somebody_waits() {
    let gvl = Gvl::new(AN_HOUR);
    let request = DropRequest::default();
    gvl.take(&request);
    assert_eq!(lock(&gvl.state).slice_start, None);
    let alone = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            gvl.take(&request);
            assert_eq!(lock(&gvl.state).slice_start, None, "nobody waits for the second holder");
            gvl.give_up(&request);
        });
        until(|| queued(&gvl) == 1);
        assert!(lock(&gvl.state).slice_start.unwrap() > alone);
        gvl.give_up(&request);
    });
}

#[test]
fn waiters_get_the_lock_in_the_order_in_which_they_came() {
    let gvl = Gvl::new(AN_HOUR);
    let request = DropRequest::default();
    let order = Mutex::new(Vec::new());
    gvl.take(&request);
    thread::scope(|scope| {
        for number in 0..8 {
            let (gvl, request, order) = (&gvl, &request, &order);
            scope.spawn(move || {
                gvl.take(request);
                lock(order).push(number);
                gvl.give_up(request);
            });
            until(|| queued(gvl) == number + 1);
        }
        gvl.give_up(&request);
    });
    assert_eq!(*lock(&order), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_release_hands_over_before_the_releaser_can_come_back() {
    let gvl = Gvl::new(AN_HOUR);
    let request = DropRequest::default();
    let order = Mutex::new(Vec::new());
    gvl.take(&request);
    thread::scope(|scope| {
        scope.spawn(|| {
            gvl.take(&request);
            lock(&order).push("waiter");
            gvl.give_up(&request);
        });
        until(|| queued(&gvl) == 1);
        gvl.give_up(&request);
        gvl.take(&request);
        lock(&order).push("releaser");
        gvl.give_up(&request);
    });
    assert_eq!(*lock(&order), ["waiter", "releaser"]);
}

#[test]
fn an_interrupted_holder_goes_to_the_end_of_the_queue() {
    let gvl = Gvl::new(Duration::from_millis(1));
    let request = DropRequest::default();
    let order = Mutex::new(Vec::new());
    gvl.take(&request);
    thread::scope(|scope| {
        for (number, name) in ["first", "second"].into_iter().enumerate() {
            let (gvl, request, order) = (&gvl, &request, &order);
            scope.spawn(move || {
                gvl.take(request);
                lock(order).push(name);
                gvl.give_up(request);
            });
            until(|| queued(gvl) == number + 1);
        }
        until(|| request.is_set());
        gvl.switch(&request);
        lock(&order).push("holder");
        gvl.give_up(&request);
    });
    assert_eq!(*lock(&order), ["first", "second", "holder"]);
}

#[test]
fn the_next_in_the_queue_becomes_the_timer_of_the_next_holder() {
    // The second waiter is not the head while it falls asleep; it must still interrupt the first.
    let gvl = Gvl::new(Duration::from_millis(1));
    let request = DropRequest::default();
    gvl.take(&request);
    thread::scope(|scope| {
        scope.spawn(|| {
            gvl.take(&request);
            until(|| request.is_set());
            gvl.give_up(&request);
        });
        until(|| queued(&gvl) == 1);
        scope.spawn(|| {
            gvl.take(&request);
            gvl.give_up(&request);
        });
        until(|| queued(&gvl) == 2);
        gvl.give_up(&request);
    });
    assert_eq!(gvl.switches(), 3);
}

#[test]
fn a_holder_that_nobody_waits_for_is_not_interrupted() {
    let gvl = Gvl::new(Duration::ZERO);
    let request = DropRequest::default();
    gvl.take(&request);
    thread::sleep(Duration::from_millis(5));
    assert!(!request.is_set());
    gvl.give_up(&request);
}
