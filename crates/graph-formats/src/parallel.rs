//! Parallel loops over tasks, compiled once.
//!
//! The compiler generates some ten functions for each closure of a parallel iterator of rayon. The
//! loops here exist once in the program, for all closures. They call the closure once per task, so
//! a task should take some microseconds. They run on the threads of the current pool.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

/// Calls `work` with every number below `n_tasks`.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// let sum = AtomicUsize::new(0);
/// graph_formats::parallel::for_each(5, &|task| _ = sum.fetch_add(task, Relaxed));
/// assert_eq!(sum.into_inner(), 0 + 1 + 2 + 3 + 4);
/// ```
pub fn for_each(n_tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    match n_tasks {
        0 => {}
        1 => work(0),
        _ => (0..n_tasks).into_par_iter().with_max_len(1).for_each(work),
    }
}

/// Calls `work` with parts of the range, each of `per_task` numbers but the last.
pub fn for_each_part(n: usize, per_task: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    for_each(n.div_ceil(per_task), &|task| {
        let first = task * per_task;
        work(first..n.min(first + per_task));
    });
}

/// Calls `work` with each of `tasks`.
pub fn for_each_of<T: Send>(tasks: impl ExactSizeIterator<Item = T>, work: &(dyn Fn(T) + Sync)) {
    // tasks are taken by position: a thread gets adjacent ones, the same as in the loop before
    let tasks: Vec<_> = tasks.map(|task| Mutex::new(Some(task))).collect();
    for_each(tasks.len(), &|place| {
        let task = unpoisoned(&tasks[place]).take();
        task.into_iter().for_each(work);
    });
}

/// As [`for_each_of`], with a work space per running task, which a task finds as another left it.
pub fn for_each_with<S: Default + Send, T: Send>(
    tasks: impl ExactSizeIterator<Item = T>,
    work: &(dyn Fn(&mut S, T) + Sync),
) {
    let spaces = WorkSpaces::new(&S::default);
    for_each_of(tasks, &|task| spaces.with(|space| work(space, task)));
}

/// What `work` returns, on the threads of a pool: [`ThreadPool::install`], compiled once.
pub fn install<T: Send>(pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    let mut run = || result = work.take().map(|work| work());
    install_dyn(pool, &mut run);
    result.expect("it has run")
}

fn install_dyn(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// The results of `work` for every number below `n_tasks`, in order.
///
/// ```
/// assert_eq!(graph_formats::parallel::map(4, &|task| task * task), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(n_tasks: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..n_tasks).map(|_| None).collect();
    for_each_of(results.iter_mut().enumerate(), &|(task, result)| *result = Some(work(task)));
    results.into_iter().flatten().collect()
}

/// The results of `work` for each of `tasks`, in order.
pub fn map_of<S: Send, T: Send>(tasks: Vec<S>, work: &(dyn Fn(S) -> T + Sync)) -> Vec<T> {
    let mut results: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let slots = tasks.into_iter().zip(results.iter_mut());
    for_each_of(slots, &|(task, result)| *result = Some(work(task)));
    results.into_iter().flatten().collect()
}

/// As [`map_of`], where `work` may fail.
///
/// # Errors
/// The error of a failed task, any of several. No task starts after it.
pub fn try_map_of<S: Send, T: Send, E: Send>(
    tasks: Vec<S>,
    work: &(dyn Fn(S) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let (has_failed, error) = (AtomicBool::new(false), Mutex::new(None));
    let results = map_of(tasks, &|task| {
        if has_failed.load(Relaxed) {
            return None;
        }
        let failed = |failure| {
            has_failed.store(true, Relaxed);
            unpoisoned(&error).get_or_insert(failure);
        };
        work(task).map_err(failed).ok()
    });
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

/// Work spaces that tasks reuse: at most one per running task.
///
/// ```
/// use graph_formats::parallel::{WorkSpaces, for_each};
///
/// let spaces = WorkSpaces::new(&|| vec![0; 1000]);
/// for_each(5, &|task| spaces.with(|space| space[task] += 1));
/// ```
pub struct WorkSpaces<'a, S> {
    free: Mutex<Vec<S>>,
    make: &'a (dyn Fn() -> S + Sync),
}

impl<'a, S> WorkSpaces<'a, S> {
    /// No work spaces yet; `make` makes them on demand.
    pub fn new(make: &'a (dyn Fn() -> S + Sync)) -> Self {
        Self { free: Mutex::default(), make }
    }

    /// Calls `work` with a free work space, as it was left.
    pub fn with<R>(&self, work: impl FnOnce(&mut S) -> R) -> R {
        let free = unpoisoned(&self.free).pop();
        let mut space = free.unwrap_or_else(self.make);
        let result = work(&mut space);
        unpoisoned(&self.free).push(space);
        result
    }
}

/// Calls `work` with parts of `array`, each of `per_task` elements but the last, and the position
/// of their first.
///
/// ```
/// let mut squares = [0; 10];
/// graph_formats::parallel::fill(&mut squares, 4, &|first, part| {
///     part.iter_mut().zip(first..).for_each(|(square, i)| *square = i * i);
/// });
/// assert_eq!(squares[9], 81);
/// ```
pub fn fill<T: Send>(array: &mut [T], per_task: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let parts = array.chunks_mut(per_task).enumerate();
    for_each_of(parts, &|(task, part)| work(task * per_task, part));
}

/// The first number below `n` that `find` returns. It is called with parts of `per_task` numbers;
/// parts after a number that is found already are skipped.
///
/// ```
/// use graph_formats::parallel;
///
/// let numbers = [3, 1, 4, 1, 5, 9, 2, 6];
/// let find = |part: std::ops::Range<usize>| part.into_iter().find(|&i| numbers[i] > 4);
/// assert_eq!(parallel::find_first(numbers.len(), 3, &find), Some(4));
/// ```
pub fn find_first(
    n: usize,
    per_task: usize,
    find: &(dyn Fn(Range<usize>) -> Option<usize> + Sync),
) -> Option<usize> {
    let first = AtomicUsize::new(usize::MAX);
    for_each_part(n, per_task, &|part| {
        if part.start < first.load(Relaxed)
            && let Some(found) = find(part)
        {
            first.fetch_min(found, Relaxed);
        }
    });
    Some(first.into_inner()).filter(|&first| first < usize::MAX)
}

fn unpoisoned<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_the_answer_and_ends_the_loop() {
        let begun = Mutex::new(0);
        let failed = try_map_of((0..100_000).collect(), &|number| {
            *unpoisoned(&begun) += 1;
            if number % 100 == 99 { Err(number) } else { Ok(number) }
        });
        assert!(matches!(failed, Err(number) if number % 100 == 99));
        assert!(begun.into_inner().unwrap() < 100_000);
    }

    #[test]
    fn spaces_are_used_again() {
        let made = Mutex::new(0);
        let make = || *unpoisoned(&made) += 1;
        let spaces = WorkSpaces::new(&make);
        let squares: Result<Vec<usize>, ()> =
            try_map_of((0..1000).collect(), &|i| Ok(spaces.with(|()| i * i)));
        assert!(squares.unwrap().into_iter().eq((0..1000).map(|i| i * i)));
        assert!(*unpoisoned(&made) <= rayon::current_num_threads());
    }

    #[test]
    fn every_task_is_done_once_and_results_are_in_order() {
        for n in [0, 1, 2, 7, 1000] {
            let expected: Vec<usize> = (0..n).map(|task| task * 3).collect();
            assert_eq!(map(n, &|task| task * 3), expected);
            for per_task in [1, 3, 4096] {
                let mut filled = vec![0; n];
                fill(&mut filled, per_task, &|first, part| {
                    part.iter_mut().zip(first..).for_each(|(cell, i)| *cell += i * 3);
                });
                assert_eq!(filled, expected);
                for wanted in 0..=n {
                    let find = |mut part: Range<usize>| part.find(|&i| i >= wanted);
                    let found = Some(wanted).filter(|&wanted| wanted < n);
                    assert_eq!(find_first(n, per_task, &find), found, "{wanted} of {n}");
                }
            }
        }
    }
}
