//! Which part has which rows.

use pivots::Blocks;

#[test]
fn every_row_is_of_one_part() {
    for (n_rows, block_rows) in [0, 1, 47, 48, 49, 100, 383, 384, 500, 2000]
        .into_iter()
        .flat_map(|n_rows| [1, 48, 100, 2000].map(|block_rows| (n_rows, block_rows)))
    {
        for n_parts in 1..=5 {
            let blocks = Blocks { n_rows, block_rows, n_parts };
            let mut owners = vec![0; n_rows];
            for part in 0..n_parts {
                let share = blocks.share(part);
                for (place, row) in share.rows().enumerate() {
                    assert_eq!(share.places(&(row..row + 1)), place..place + 1);
                    assert!(share.owns(row / block_rows));
                    owners[row] += 1;
                }
                for block in share.own_blocks() {
                    let places = share.places(&blocks.rows(block));
                    assert_eq!(places.start, blocks.first_place(block), "{blocks:?}");
                    assert_eq!(places.len(), blocks.rows(block).len(), "{blocks:?}");
                }
                assert_eq!(share.n_rows(), share.rows().count());
                assert!(share.n_rows() <= blocks.most_rows());
            }
            let rows = (0..blocks.count()).map(|block| blocks.rows(block).len());
            assert_eq!(rows.sum::<usize>(), n_rows);
            assert!(blocks.rows(blocks.count()).is_empty());
            assert!(owners.iter().all(|&n| n == 1), "{blocks:?}");
        }
    }
}

#[test]
fn one_block_each_takes_all_rows() {
    for n_parts in 1..=7 {
        for n_rows in [0, 128, 384, 128 * 12] {
            let blocks = Blocks::one_each(n_rows, 128, n_parts);
            assert!(blocks.count() <= n_parts);
            let rows = (0..n_parts).map(|part| blocks.rows(part));
            let end = rows.fold(0, |end, rows| {
                assert_eq!((rows.start, rows.len() % 128), (end, 0), "{blocks:?}");
                assert!(rows.len() < n_rows / n_parts + 128, "{blocks:?}");
                rows.end
            });
            assert_eq!(end, n_rows);
        }
    }
}
