//! One search over any memory: a graph in parts, on ranks and on several GPUs.
