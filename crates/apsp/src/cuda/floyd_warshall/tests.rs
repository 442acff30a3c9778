//! The schedule on a GPU against the host's. Where there is no GPU it says `SKIPPED`.

use bytemuck::{cast_slice, cast_slice_mut};
use collectives::Alone;
use graph_formats::{Csr, Weight};
use pivots::Blocks;
use rayon::ThreadPoolBuilder;

use super::super::arcs::DeviceArcs;
use super::super::arithmetic::Arithmetic;
use super::super::tests::gpu;
use super::*;
use crate::element::write_row;
use crate::host::{self, MinPlus, floyd_warshall};

/// Blocks and strips of the least height, and of others, end where one block and the CPU do,
/// wherever the rows are kept, and by several parts, which here have one GPU.
#[test]
fn the_cut_does_not_matter() {
    fn agrees<W: Weight, E: MinPlus + std::fmt::Debug>(gpu: &Gpu, arithmetic: Arithmetic) {
        let n = 1300u32;
        let arcs = |u: u32| [(u * 5 + 1) % n, (u + 7) % n, (u * u + 3) % n].map(|v| (u, v));
        let arcs = (0..n).filter(|u| u % 11 > 0).flat_map(arcs);
        let arcs: Vec<_> = arcs.map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50)).collect();
        let graph = Csr::<u32>::from_arcs(n as usize, &arcs).unwrap();
        let graph = graph.convert_weights::<W>().unwrap();
        let arcs = |v: usize, row: &mut [E]| write_row(&graph, v, row);
        let expected = host::Matrix::filled(host::all_rows(n as usize), E::kernel(), arcs);
        let mut expected = expected.unwrap();
        let pool = ThreadPoolBuilder::new().build().unwrap();
        floyd_warshall::blocked(&mut expected, &Alone, &pool, None).unwrap();

        let kernels = Kernels::load(gpu, arithmetic).unwrap();
        let side = arithmetic.side(n as usize);
        let whole = Cut::whole(arithmetic, n as usize);
        let check = |words: &[u32], first: usize, cut: Cut| {
            let rows = cast_slice::<u32, E>(words).chunks_exact(side);
            for (i, row) in (first..n as usize).zip(rows) {
                let pairs = row.iter().zip(expected.row(i));
                for (j, (&found, &expected)) in pairs.enumerate() {
                    // sums with what stands for no path may differ
                    let [found, expected] = [found, expected].map(E::decode::<u64>);
                    assert_eq!(found, expected, "{arithmetic:?} {cut:?} {i} {j}");
                }
            }
        };
        let step = arithmetic.side_step();
        let heights = [(side, step), (step, step), (512, step), (512, 512)];
        for ((block_rows, strip_rows), n_parts) in
            heights.into_iter().flat_map(|heights| [1, 2, 3].map(|n_parts| (heights, n_parts)))
        {
            let blocks = Blocks { n_rows: side, block_rows, n_parts };
            let cut = Cut { blocks, strip_rows, ..whole };
            let arcs = DeviceArcs::for_matrix(gpu, &graph, arithmetic).unwrap();
            let matrix = |part| arcs.matrix(gpu, &kernels, cut, part).unwrap();
            let matrices: Vec<_> = (0..n_parts).map(matrix).collect();
            let part = |number| {
                Part::new(gpu, &kernels, cut, number, Store::OnGpu(&matrices[number])).unwrap()
            };
            close(&(0..n_parts).map(part).collect::<Vec<_>>(), None).unwrap();
            for (part, matrix) in matrices.iter().enumerate() {
                let words = matrix.download().unwrap();
                for block in blocks.share(part).own_blocks() {
                    let rows = cut.blocks.rows(block);
                    let first = cut.blocks.first_place(block) * cut.stride();
                    let words = &words[first..first + rows.len() * cut.stride()];
                    check(words, rows.start, cut);
                }
            }

            let cut = Cut { passes: true, ..cut };
            let mut matrix = gpu.pinned(side * cut.stride()).unwrap();
            for (u, row) in cast_slice_mut::<u32, E>(&mut matrix).chunks_mut(side).enumerate() {
                write_row(&graph, u, row);
            }
            let matrix = RefCell::new(matrix);
            let part =
                |number| Part::new(gpu, &kernels, cut, number, Store::OnHost(&matrix)).unwrap();
            close(&(0..n_parts).map(part).collect::<Vec<_>>(), None).unwrap();
            check(&matrix.borrow(), 0, cut);
        }
    }
    let Some(gpu) = gpu() else { return };
    agrees::<u32, i32>(&gpu, Arithmetic::I32);
    agrees::<f32, f32>(&gpu, Arithmetic::F32);
    agrees::<f32, f32>(&gpu, Arithmetic::F32Signed);
    agrees::<u32, i64>(&gpu, Arithmetic::I64);
    agrees::<f64, f64>(&gpu, Arithmetic::F64);
    if super::super::arithmetic::adds_and_compares(&gpu) {
        agrees::<u32, u16>(&gpu, Arithmetic::U16);
    }
}
