//! One rank: nothing is sent.

use crate::{Communicator, RanksError};

/// This process, the only rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Communicator for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn broadcast_bytes(&self, _root: usize, _bytes: &mut [u8]) -> Result<(), RanksError> {
        Ok(())
    }

    fn gather_bytes(&self, _root: usize, own: &[u8]) -> Result<Vec<Vec<u8>>, RanksError> {
        Ok(vec![own.to_vec()])
    }

    fn exchange_bytes(&self, for_ranks: &[&[u8]]) -> Result<Vec<Vec<u8>>, RanksError> {
        Ok(vec![for_ranks[0].to_vec()])
    }
}
