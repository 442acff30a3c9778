//! Tables with names, comments and headers as they may be asked for: what is read is a graph, and
//! comes back from a file of it.
#![no_main]

use graph_formats::{
    Comment, EdgeListOptions, Format, Header, IdKind, ReadOptions, parse_with, read, write,
};
use libfuzzer_sys::fuzz_target;

fn pick<T>(choices: impl IntoIterator<Item = T>, number: &mut u8) -> T {
    let choices = Vec::from_iter(choices);
    let place = usize::from(*number) % choices.len();
    *number /= choices.len() as u8;
    choices.into_iter().nth(place).unwrap()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, table)) = bytes.split_first() else { return };
    let mut choice = choice;
    let format = pick([Format::Csv, Format::Tsv, Format::Txt], &mut choice);
    let edge_list = EdgeListOptions {
        header: pick([Header::Auto, Header::Yes, Header::No], &mut choice),
        comment: pick([Comment::Auto, Comment::None, Comment::Mark(b'#')], &mut choice),
        ids: pick([IdKind::Auto, IdKind::Numbers, IdKind::Names], &mut choice),
        ..Default::default()
    };
    let options = ReadOptions { format: Some(format), edge_list, ..Default::default() };
    let Ok(graph) = parse_with(table, &options) else { return };
    let path = std::env::temp_dir().join(format!("fuzz-{}.spg", std::process::id()));
    write(&path, &graph).unwrap();
    let found = read(&path).unwrap();
    assert_eq!((found.ids, found.csr), (graph.ids, graph.csr));
});
