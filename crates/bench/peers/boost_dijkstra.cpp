// Dijkstra's algorithm of the Boost Graph Library on one graph, for comparison.
//
//   boost_dijkstra GRAPH SOURCE RUNS DISTANCES
//
// GRAPH is a .wsg file of the GAP benchmark suite, little-endian without padding: a byte that says
// whether it is directed; the numbers of arcs m and of vertices n, and n + 1 row offsets, of 64
// bits each; m pairs of an arc's end and its weight, of 32 bits each. The search runs RUNS times,
// and each time is printed on a line of its own, in milliseconds. The distances, which must be the
// same each time, are written to DISTANCES: one a line, or "unreached".
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

Graph read_graph(const char* path) {
    std::ifstream file(path, std::ios::binary);
    file.ignore(1);
    const auto head = read<std::uint64_t>(file, 2);
    if (!file) fail("cannot read", path);
    const std::uint64_t m = head[0], n = head[1];
    const auto offsets = read<std::uint64_t>(file, n + 1);
    const auto ends = read<std::pair<std::uint32_t, std::uint32_t>>(file, m);
    if (!file) fail("too short", path);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(m);
    std::vector<Arc> arcs(m);
    for (std::uint64_t from = 0; from < n; ++from) {
        for (std::uint64_t arc = offsets[from]; arc < offsets[from + 1]; ++arc) {
            pairs[arc] = {static_cast<std::uint32_t>(from), ends[arc].first};
            arcs[arc].weight = ends[arc].second;
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
    if (count != 5) fail("usage", "boost_dijkstra GRAPH SOURCE RUNS DISTANCES");
    const Graph graph = read_graph(arguments[1]);
    const auto source = static_cast<std::uint32_t>(std::atol(arguments[2]));
    const long runs = std::atol(arguments[3]);

    Distances first(boost::num_vertices(graph)), again(first.size());
    for (long run = 0; run < runs; ++run) {
        std::printf("ms %.6f\n", search(graph, source, run == 0 ? first : again));
        if (run > 0 && again != first) fail("wrong", "two runs found different distances");
    }
    std::ofstream file(arguments[4]);
    for (const std::uint64_t distance : first) {
        if (distance == std::numeric_limits<std::uint64_t>::max()) {
            file << "unreached\n";
        } else {
            file << distance << '\n';
        }
    }
    file.close();
    if (!file) fail("cannot write", arguments[4]);
    return 0;
}
