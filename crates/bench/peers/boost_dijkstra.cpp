// Dijkstra's algorithm of the Boost Graph Library on one graph, for comparison.
//
//   boost_dijkstra GRAPH RUNS SECONDS DISTANCES
//
// GRAPH is a file of little-endian numbers: the number of vertices n, that of arcs m, and the
// source, of 64 bits each; n + 1 row offsets of 64 bits; m ends of arcs and m weights, of 32
// bits each. The search runs once, and then RUNS times, or until that has taken SECONDS
// altogether. Each time is printed on a line of its own, in milliseconds, the first one too.
// The distances of the first run, which all others must find again, are written to DISTANCES:
// n numbers of 64 bits, the greatest for a vertex that was not reached.
//
// c++ -std=c++17 -O3 -DNDEBUG; headers of Boost 1.70 or later.

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file is read as it is, which takes a little-endian machine"
#endif

namespace {

struct Arc {
    std::uint32_t weight;
};

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc, boost::no_property,
                                                 std::uint32_t, std::uint64_t>;
using Distances = std::vector<std::uint64_t>;

[[noreturn]] void fail(const char* what, const char* of) {
    std::fprintf(stderr, "%s: %s\n", what, of);
    std::exit(1);
}

template <typename Number>
std::vector<Number> read(std::ifstream& file, std::uint64_t count) {
    std::vector<Number> numbers(count);
    file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(Number)));
    return numbers;
}

Graph read_graph(const char* path, std::uint32_t& source) {
    std::ifstream file(path, std::ios::binary);
    const auto head = read<std::uint64_t>(file, 3);
    if (!file) fail("cannot read", path);
    const std::uint64_t n = head[0], m = head[1];
    source = static_cast<std::uint32_t>(head[2]);
    const auto offsets = read<std::uint64_t>(file, n + 1);
    const auto ends = read<std::uint32_t>(file, m);
    const auto weights = read<std::uint32_t>(file, m);
    if (!file) fail("too short", path);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(m);
    std::vector<Arc> arcs(m);
    for (std::uint64_t from = 0; from < n; ++from) {
        for (std::uint64_t arc = offsets[from]; arc < offsets[from + 1]; ++arc) {
            pairs[arc] = {static_cast<std::uint32_t>(from), ends[arc]};
            arcs[arc].weight = weights[arc];
        }
    }
    return Graph(boost::edges_are_sorted, pairs.begin(), pairs.end(), arcs.begin(), n);
}

double search(const Graph& graph, std::uint32_t source, Distances& distances) {
    const auto start = std::chrono::steady_clock::now();
    auto map = boost::make_iterator_property_map(distances.begin(), boost::get(boost::vertex_index, graph));
    boost::dijkstra_shortest_paths(graph, source,
                                   boost::weight_map(boost::get(&Arc::weight, graph))
                                       .distance_map(map)
                                       .distance_inf(std::numeric_limits<std::uint64_t>::max()));
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count();
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) fail("usage", "boost_dijkstra GRAPH RUNS SECONDS DISTANCES");
    std::uint32_t source = 0;
    const Graph graph = read_graph(arguments[1], source);
    const long runs = std::atol(arguments[2]);
    const double patience_ms = 1e3 * std::atof(arguments[3]);

    Distances first(boost::num_vertices(graph)), again(first.size());
    const double untimed_ms = search(graph, source, first);
    std::printf("%.6f\n", untimed_ms);
    std::ofstream file(arguments[4], std::ios::binary);
    file.write(reinterpret_cast<const char*>(first.data()),
               static_cast<std::streamsize>(first.size() * sizeof(first[0])));
    file.close();
    if (!file) fail("cannot write", arguments[4]);

    double spent_ms = untimed_ms > patience_ms ? untimed_ms : 0.0;
    for (long run = 0; run < runs && spent_ms <= patience_ms; ++run) {
        const double ms = search(graph, source, again);
        if (again != first) fail("wrong", "two runs found different distances");
        std::printf("%.6f\n", ms);
        spent_ms += ms;
    }
    return 0;
}
