//! What ranks of a search send each other: a header for all, and records for the owner of a slot.

use bytemuck::Pod;
use collectives::{Communicator, RanksError};

use crate::{Deal, PartitionedError};

/// The numbers at the start of each message.
pub(crate) type Header = [u64; 3];

/// Messages to all ranks, which are sent together.
pub(crate) struct Mail<'a> {
    ranks: &'a dyn Communicator,
    deal: Deal,
    for_ranks: Vec<Vec<u8>>,
    n_records: usize,
    /// Exchanges so far.
    pub(crate) n_exchanges: u64,
}

impl<'a> Mail<'a> {
    pub(crate) fn new(ranks: &'a dyn Communicator, deal: Deal) -> Self {
        let for_ranks = vec![Vec::new(); ranks.size()];
        let mut mail = Self { ranks, deal, for_ranks, n_records: 0, n_exchanges: 0 };
        mail.clear();
        mail
    }

    fn clear(&mut self) {
        self.n_records = 0;
        for bytes in &mut self.for_ranks {
            bytes.clear();
            bytes.extend([0; size_of::<Header>()]);
        }
    }

    /// Adds a record for the rank that has `slot`.
    #[inline(always)]
    pub(crate) fn add<K: Pod>(&mut self, slot: u32, value: K) {
        let bytes = &mut self.for_ranks[self.deal.part_of_slot(slot as usize)];
        bytes.extend_from_slice(bytemuck::bytes_of(&slot));
        bytes.extend_from_slice(bytemuck::bytes_of(&value));
        self.n_records += 1;
    }

    /// How many records the next exchange sends.
    pub(crate) fn n_records(&self) -> usize {
        self.n_records
    }

    /// Sends all records with this header. Returns what has come from all ranks.
    pub(crate) fn exchange(&mut self, header: Header) -> Result<Received, RanksError> {
        for bytes in &mut self.for_ranks {
            bytes[..size_of::<Header>()].copy_from_slice(bytemuck::bytes_of(&header));
        }
        let messages: Vec<_> = self.for_ranks.iter().map(Vec::as_slice).collect();
        let received = self.ranks.exchange_bytes(&messages)?;
        self.n_exchanges += 1;
        self.clear();
        Ok(Received(received))
    }

    /// The sums of these numbers of all ranks.
    pub(crate) fn sums(&mut self, own: Header) -> Result<Header, RanksError> {
        Ok(self.exchange(own)?.sums())
    }

    /// These values of all ranks, by rank.
    pub(crate) fn all<T: Pod>(&mut self, own: &[T]) -> Result<Vec<Vec<u8>>, RanksError> {
        self.n_exchanges += 1;
        self.ranks.exchange_bytes(&vec![bytemuck::cast_slice(own); self.ranks.size()])
    }
}

/// The messages of all ranks.
pub(crate) struct Received(Vec<Vec<u8>>);

impl Received {
    pub(crate) fn headers(&self) -> impl Iterator<Item = Header> + '_ {
        self.0.iter().map(|bytes| bytemuck::pod_read_unaligned(&bytes[..size_of::<Header>()]))
    }

    /// The sums of the headers.
    pub(crate) fn sums(&self) -> Header {
        let add = |a: Header, b: Header| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        self.headers().reduce(add).unwrap_or_default()
    }

    /// The records, each a slot and its value.
    #[inline(always)]
    pub(crate) fn records<K: Pod>(&self) -> impl Iterator<Item = (u32, K)> + '_ {
        let sizes = (size_of::<Header>(), size_of::<u32>() + size_of::<K>());
        let records = self.0.iter().flat_map(move |bytes| bytes[sizes.0..].chunks_exact(sizes.1));
        records.map(|record| {
            let (slot, value) = record.split_at(size_of::<u32>());
            (bytemuck::pod_read_unaligned(slot), bytemuck::pod_read_unaligned(value))
        })
    }
}

/// An error on all ranks if there is one on any.
pub(crate) fn agree<T>(
    ranks: &dyn Communicator,
    own: Result<T, PartitionedError>,
) -> Result<T, PartitionedError> {
    let message = own.as_ref().err().map(ToString::to_string);
    match ranks.first_message(message.as_deref())? {
        Some((rank, message)) => own.and(Err(PartitionedError::OnRank { rank, message })),
        None => own,
    }
}
