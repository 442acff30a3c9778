// The least of many labels by CUB and by Thrust, for comparison.
//
//   extract_min LABELS COUNT TIMES
//
// LABELS is a file of little-endian numbers of 32 bits, of which the first COUNT are taken. For
// each library a line is printed: its name, the mean time of TIMES extractions in microseconds
// from an event on the device before to one after, one more not counted, the least label, and
// the place where it stands. The labels stay on the device, and so does the scratch memory of
// CUB; Thrust asks for its own in each call and waits for the answer.
//
// nvcc -std=c++17 -O3; CUB and Thrust come with it.

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

template <typename Number>
Number* on_device(std::size_t count) {
    Number* numbers = nullptr;
    check(cudaMalloc(&numbers, count * sizeof(Number)), "memory");
    return numbers;
}

template <typename Number>
Number back(const Number* number) {
    Number here;
    check(cudaMemcpy(&here, number, sizeof(here), cudaMemcpyDeviceToHost), "copy");
    return here;
}

// Microseconds a call.
template <typename Call>
double mean_us(long times, Call call) {
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&stop), "event");
    call();
    check(cudaEventRecord(start), "event");
    for (long time = 0; time < times; ++time) call();
    check(cudaEventRecord(stop), "event");
    check(cudaEventSynchronize(stop), "extractions");
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, start, stop), "event");
    check(cudaEventDestroy(start), "event");
    check(cudaEventDestroy(stop), "event");
    return 1e3 * ms / static_cast<double>(times);
}

void by_cub(const std::uint32_t* labels, std::int64_t n, long times) {
    void* scratch = nullptr;
    std::size_t bytes = 0;
#if CUB_VERSION >= 200800
    auto* least = on_device<std::uint32_t>(1);
    auto* place = on_device<std::int64_t>(1);
    const auto call = [&] {
        check(cub::DeviceReduce::ArgMin(scratch, bytes, labels, least, place, n), "ArgMin");
    };
#else
    using Entry = cub::KeyValuePair<int, std::uint32_t>;
    auto* entry = on_device<Entry>(1);
    const auto call = [&] {
        check(cub::DeviceReduce::ArgMin(scratch, bytes, labels, entry, static_cast<int>(n)), "ArgMin");
    };
#endif
    call();  // asks for the size only
    check(cudaMalloc(&scratch, bytes), "memory");
    const double us = mean_us(times, call);
#if CUB_VERSION >= 200800
    const std::uint32_t value = back(least);
    const long long at = back(place);
#else
    const Entry found = back(entry);
    const std::uint32_t value = found.value;
    const long long at = found.key;
#endif
    std::printf("cub::DeviceReduce::ArgMin %.6f %u %lld\n", us, value, at);
}

void by_thrust(std::uint32_t* labels, std::int64_t n, long times) {
    const thrust::device_ptr<std::uint32_t> first(labels);
    thrust::device_ptr<std::uint32_t> found = first;
    const double us = mean_us(times, [&] { found = thrust::min_element(thrust::device, first, first + n); });
    const std::uint32_t value = *found;
    std::printf("thrust::min_element %.6f %u %lld\n", us, value, static_cast<long long>(found - first));
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: extract_min LABELS COUNT TIMES\n");
        return 1;
    }
    const std::int64_t n = std::atoll(arguments[2]);
    const long times = std::atol(arguments[3]);
    std::ifstream file(arguments[1], std::ios::binary);
    std::vector<std::uint32_t> here(static_cast<std::size_t>(n));
    file.read(reinterpret_cast<char*>(here.data()), static_cast<std::streamsize>(here.size() * sizeof(here[0])));
    if (!file || n < 1 || times < 1) {
        std::fprintf(stderr, "%s has no %lld labels\n", arguments[1], static_cast<long long>(n));
        return 1;
    }
    auto* labels = on_device<std::uint32_t>(here.size());
    check(cudaMemcpy(labels, here.data(), here.size() * sizeof(here[0]), cudaMemcpyHostToDevice), "copy");
    by_cub(labels, n, times);
    by_thrust(labels, n, times);
    return 0;
}
