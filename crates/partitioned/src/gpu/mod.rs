//! Searches of a graph whose vertices are dealt to several GPUs of one machine.
//!
//! A search is one launch on each GPU. After each step these meet, tell each other what they have
//! found, and all decide the same. What is for a vertex of another GPU is written into the memory of that.
//! Arcs that do not fit are in host memory, which the GPUs read.

mod apart;
mod bringer;
mod check;
mod components;
mod dealt;
mod first_arcs;
mod levels;
mod levels_part;
mod owners;
mod placing;
mod rank;
mod rank_rows;
mod rows;
mod searches;
mod sources;
mod stepping;
mod stepping_part;
mod together;
mod weighted;

pub use dealt::Dealt;
pub use levels::LevelsOnGpus;
pub(crate) use rank::OnGpu;
pub use rows::Memory;
pub use searches::SearchesOnGpus;
pub use stepping::DistancesOnGpus;

pub use search_parts::Query;
