//! Searches of a graph whose vertices are dealt to several GPUs of one machine.
//!
//! A turn is a launch or two on each GPU; then the host reads what each has found, and decides what
//! comes next. Each GPU writes its own memory alone, and reads what the others have listed for it.

mod check;
mod crew;
mod dealt;
mod keys;
mod levels;
mod rows;
mod stepping;
mod stepping_part;
mod tree;
mod turns;

pub use dealt::Dealt;
pub use levels::LevelsOnGpus;
pub use stepping::DistancesOnGpus;
pub use tree::TreesOnGpus;
