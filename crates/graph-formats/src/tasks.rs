//! Parallel loops over large tasks.
//!
//! A parallel iterator is compiled anew for every closure that it is given, with the code that
//! shares its items among threads. These loops are compiled once, and call a task by its address,
//! which costs nothing where a task is large.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Calls `task` with each number below `n_tasks`, in parallel.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// let sum = AtomicUsize::new(0);
/// graph_formats::for_each_task(5, &|task| {
///     sum.fetch_add(task, Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 10);
/// ```
pub fn for_each_task(n_tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..n_tasks).into_par_iter().for_each(task);
}

/// What `task` makes of each of `inputs`, in their order, in parallel.
///
/// ```
/// let lists = vec![vec![1, 2], vec![], vec![3]];
/// assert_eq!(graph_formats::map_tasks(lists, &|list| list.len()), [2, 0, 1]);
/// ```
pub fn map_tasks<T: Send, R: Send>(inputs: Vec<T>, task: &(dyn Fn(T) -> R + Sync)) -> Vec<R> {
    let places: Vec<_> = inputs.into_iter().map(|input| Mutex::new((Some(input), None))).collect();
    for_each_task(places.len(), &|number| {
        let mut place = unpoisoned(&places[number]);
        place.1 = place.0.take().map(task);
    });
    places.into_iter().filter_map(|place| place.into_inner().ok()?.1).collect()
}

/// The same where a task may fail.
///
/// # Errors
/// When one has failed, of several any; then no other begins.
pub fn try_map_tasks<T: Send, R: Send, E: Send>(
    inputs: Vec<T>,
    task: &(dyn Fn(T) -> Result<R, E> + Sync),
) -> Result<Vec<R>, E> {
    let (has_failed, error) = (AtomicBool::new(false), Mutex::new(None));
    let made = map_tasks(inputs, &|input| {
        if has_failed.load(Relaxed) {
            return None;
        }
        task(input)
            .map_err(|failure| {
                has_failed.store(true, Relaxed);
                unpoisoned(&error).get_or_insert(failure);
            })
            .ok()
    });
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(made.into_iter().flatten().collect()),
    }
}

/// Work spaces that tasks take from one another: no more than run at a time.
///
/// ```
/// let spaces = graph_formats::WorkSpaces::new(&|| vec![0; 1000]);
/// graph_formats::for_each_task(5, &|task| spaces.with(|space| space[task] += 1));
/// ```
pub struct WorkSpaces<'a, S> {
    free: Mutex<Vec<S>>,
    make: &'a (dyn Fn() -> S + Sync),
}

impl<'a, S> WorkSpaces<'a, S> {
    /// None yet; `make` makes one when it is needed.
    pub fn new(make: &'a (dyn Fn() -> S + Sync)) -> Self {
        Self { free: Mutex::default(), make }
    }

    /// Lends one that is free, as it was left.
    pub fn with<R>(&self, work: impl FnOnce(&mut S) -> R) -> R {
        let free = unpoisoned(&self.free).pop();
        let mut space = free.unwrap_or_else(self.make);
        let made = work(&mut space);
        unpoisoned(&self.free).push(space);
        made
    }
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
        let failed = try_map_tasks((0..100_000).collect(), &|number| {
            *unpoisoned(&begun) += 1;
            if number % 100 == 99 { Err(number) } else { Ok(number) }
        });
        assert!(matches!(failed, Err(number) if number % 100 == 99));
        assert!(begun.into_inner().unwrap() < 100_000);
    }

    #[test]
    fn answers_are_in_order_and_spaces_are_used_again() {
        let made = Mutex::new(0);
        let make = || *unpoisoned(&made) += 1;
        let spaces = WorkSpaces::new(&make);
        let squares: Result<Vec<usize>, ()> =
            try_map_tasks((0..1000).collect(), &|i| Ok(spaces.with(|()| i * i)));
        assert!(squares.unwrap().into_iter().eq((0..1000).map(|i| i * i)));
        assert!(*unpoisoned(&made) <= rayon::current_num_threads());
    }
}
