//! What holds for every kind of lock, seen from outside.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use interpreter_lock::{GIL_SWITCH_INTERVAL, GVL_QUANTUM, InterpreterLock};

/// Short intervals, so that a test sees many switches.
fn both() -> [InterpreterLock; 2] {
    [InterpreterLock::gil(Duration::from_micros(200)), InterpreterLock::gvl(Duration::from_micros(200))]
}

fn holds(lock: &InterpreterLock) -> bool {
    // Releasing a lock that one does not hold panics.
    let held = catch_unwind(AssertUnwindSafe(|| lock.release())).is_ok();
    if held {
        lock.acquire();
    }
    held
}

#[test]
fn only_one_thread_is_inside_at_a_time() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 2_000;
    for lock in both() {
        let inside = AtomicBool::new(false);
        // Counted by a load and a store: only the lock makes that right.
        let count = AtomicU64::new(0);
        let enter = || assert!(!inside.swap(true, Relaxed), "two threads inside {lock:?}");
        let leave = || assert!(inside.swap(false, Relaxed));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (lock, count, enter, leave) = (&lock, &count, &enter, &leave);
                scope.spawn(move || {
                    let _held = lock.hold();
                    for round in 0..ROUNDS {
                        enter();
                        count.store(count.load(Relaxed) + 1, Relaxed);
                        leave();
                        lock.safepoint();
                        match (round + thread) % 16 {
                            0 => lock.unlocked(thread::yield_now),
                            1 => {
                                lock.release();
                                lock.acquire();
                            }
                            2 if round % 512 == 2 => lock.unlocked(|| thread::sleep(Duration::from_micros(300))),
                            _ => {}
                        }
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), THREADS * ROUNDS, "{lock:?}");
    }
}

#[test]
fn every_thread_makes_progress_while_all_compute() {
    const THREADS: usize = 4;
    const TURNS: u64 = 3;
    for lock in both() {
        let turns: [AtomicU64; THREADS] = Default::default();
        let done = || turns.iter().all(|turns| turns.load(Relaxed) >= TURNS);
        thread::scope(|scope| {
            for mine in &turns {
                let (lock, done) = (&lock, &done);
                scope.spawn(move || {
                    let _held = lock.hold();
                    // No thread ends before each has had its turns, so a starved one would keep all of them here.
                    let mut last = u64::MAX;
                    while !done() {
                        let now = lock.switches();
                        if now != last {
                            mine.fetch_add(1, Relaxed);
                            last = now;
                        }
                        lock.safepoint();
                    }
                });
            }
        });
    }
}

#[test]
fn a_thread_that_waits_for_io_gets_in_beside_one_that_computes() {
    for lock in both() {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _held = lock.hold();
                while !stop.load(Relaxed) {
                    lock.safepoint();
                }
            });
            let _held = lock.hold();
            for _ in 0..20 {
                lock.unlocked(|| thread::sleep(Duration::from_millis(1)));
            }
            stop.store(true, Relaxed);
        });
    }
}

#[test]
fn unlocked_releases_around_the_wait_and_acquires_after_it() {
    for lock in both() {
        let held = lock.hold();
        let answer = lock.unlocked(|| {
            assert!(!holds(&lock));
            // Would hang if the lock were still held.
            thread::scope(|scope| scope.spawn(|| drop(lock.hold())).join().unwrap());
            42
        });
        assert_eq!(answer, 42);
        assert!(holds(&lock));
        drop(held);
        assert!(!holds(&lock));
    }
}

#[test]
fn unlocked_acquires_also_after_a_panic() {
    for lock in both() {
        let held = lock.hold();
        let result = catch_unwind(AssertUnwindSafe(|| lock.unlocked(|| panic!("in the wait"))));
        assert!(result.is_err());
        assert!(holds(&lock));
        drop(held);
    }
}

#[test]
fn a_holder_that_panics_does_not_wedge_the_others() {
    for lock in both() {
        let holder = lock.clone();
        let result = thread::spawn(move || {
            let _held = holder.hold();
            panic!("while holding");
        })
        .join();
        assert!(result.is_err());
        drop(lock.hold());
    }
}

#[test]
fn misuse_panics_and_leaves_the_lock_as_it_was() {
    for lock in both() {
        let held = lock.hold();
        assert!(catch_unwind(AssertUnwindSafe(|| lock.acquire())).is_err(), "acquired twice");
        thread::scope(|scope| {
            let other = scope.spawn(|| catch_unwind(AssertUnwindSafe(|| lock.release())).is_err());
            assert!(other.join().unwrap(), "released by another thread");
        });
        assert!(holds(&lock));
        drop(held);
        drop(lock.hold());
    }
}

#[test]
fn a_safepoint_without_waiters_keeps_the_lock() {
    for lock in both() {
        let _held = lock.hold();
        for _ in 0..1_000 {
            lock.safepoint();
        }
        assert!(holds(&lock));
        assert_eq!(lock.switches(), 1);
    }
}

#[test]
fn none_never_blocks() {
    let lock = InterpreterLock::default();
    let _one = lock.hold();
    let _two = lock.hold();
    thread::scope(|scope| scope.spawn(|| drop(lock.hold())).join().unwrap());
    lock.release();
    lock.release();
    lock.safepoint();
    assert_eq!(lock.unlocked(|| 42), 42);
    assert_eq!(lock.switches(), 0);
}

#[test]
fn processes_have_one_each() {
    for (one, other) in both().into_iter().zip(both()) {
        let both_inside = Barrier::new(2);
        thread::scope(|scope| {
            for lock in [&one, &other] {
                scope.spawn(|| {
                    let _held = lock.hold();
                    both_inside.wait();
                });
            }
        });
    }
}

#[test]
fn a_clone_is_the_same_lock() {
    for lock in both() {
        lock.acquire();
        lock.clone().release();
        assert!(!holds(&lock));
    }
}

#[test]
fn a_lock_says_what_it_is() {
    assert_eq!(format!("{:?}", InterpreterLock::default()), "InterpreterLock(none)");
    assert_eq!(format!("{:?}", InterpreterLock::gil(GIL_SWITCH_INTERVAL)), "InterpreterLock(gil, 5ms)");
    assert_eq!(format!("{:?}", InterpreterLock::gvl(GVL_QUANTUM)), "InterpreterLock(gvl, 100ms)");
}
