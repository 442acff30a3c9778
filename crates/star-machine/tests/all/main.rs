//! The tests of this crate, in one program: what it is generic over is compiled once.

mod algorithms;
mod bodies;
mod both;
mod cases;
mod common;
mod figures;
mod gpu;
mod gpu_procedures;
mod gpu_programs;
mod gpu_random;
mod gpu_refusals;
mod language;
mod mutations;
mod naive;
mod procedures;
mod programs;
mod random;
mod renamed;
mod shortest_paths;
mod statements;
mod steps;
mod text;
mod text_parts;
mod values;
mod warshall;
