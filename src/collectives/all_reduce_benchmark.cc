#include "collectives/all_reduce.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/event_loop.h"
#include "net/port.h"

/// All-reduce of float32 between processes by size, each with one leaf that it rewrites before each
/// call, after which a barrier precedes the timed call. Its time is from the moment when the last
/// process has called to the moment when the last one has the sum.
/// usage: all_reduce_benchmark [PROCESSES [shm|tls|tcp [shared|private [LARGEST_BYTES [REPEATS
/// [ALGORITHM]]]]]] "private": the leaf lies in memory of its own instead of a block of the
/// transport.

namespace lockstep::collectives {
namespace {

using Clock = base::MonotonicClock;

struct Setup {
  int num_ranks = 2;
  std::string road = "shm";
  bool is_shared = true;
  net::Credentials credentials = net::MakeCredentials().value();
  size_t largest = size_t{64} << 20;
  int repeats = 0;  // 0: by size
  Algorithm algorithm = Algorithm::kAuto;
};

constexpr int kMostCalls = 1 << 20;

// When each process called and had its sum, by call; memory of all processes.
struct Call {
  int64_t begin, end;
};

class Rank {
 public:
  Rank(const Setup& setup, int rank, const std::vector<int>& to, int from, Call* calls)
      : setup_(setup),
        calls_(calls),
        division_(Division::Even(static_cast<Leaf>(setup.num_ranks), setup.num_ranks)) {
    Pin(rank);
    net::PortOptions options;
    options.shared_memory.beat_limit = std::chrono::seconds(2);
    options.use_shared_memory = setup.road == "shm";
    if (setup.road != "shm") options.tcp.listen = "127.0.0.1:0";
    options.tcp.limits.silence = std::chrono::seconds(5);
    options.tcp.plain_text = setup.road == "tcp";
    options.credentials = setup.credentials;
    port_ = net::Port::Open(loop_, options).value();
    net::Membership membership{1, rank, Exchange(rank, to, from)};
    transport_ = port_->Join(membership).value();
    group_ = std::make_unique<Group>(*transport_);
  }

  void Measure(size_t count) {
    int repeats = count > 1000000 ? 40 : count > 100000 ? 200 : 2000;
    if (setup_.repeats > 0) repeats = setup_.repeats;
    std::vector<float> private_leaf(setup_.is_shared ? 0 : count),
        private_sum(setup_.is_shared ? 0 : count);
    net::Block block, output;
    float* leaf = private_leaf.data();
    float* sum = private_sum.data();
    if (setup_.is_shared) {
      block = transport_->Allocate(count * sizeof(float));
      leaf = reinterpret_cast<float*>(block.bytes.data());
      output = transport_->Allocate(count * sizeof(float));
      sum = reinterpret_cast<float*>(output.bytes.data());
    }
    float one = 1, all = 0;
    for (int i = -std::max(5, repeats / 10); i < repeats; ++i) {
      const int rank = transport_->rank();
      for (size_t j = 0; j < count; ++j) leaf[j] = Value(rank, i, j);
      Sum(&one, {}, 1, &all, {});
      const base::Time start = clock_.Now();
      Sum(leaf, block.owner, count, sum, output.owner);
      if (i >= 0) calls_[transport_->rank() * kMostCalls + i] = {Count(start), Count(clock_.Now())};
      if (i < 2 || i + 1 == repeats) Check(i, {sum, count});
      Sum(&one, {}, 1, &all, {});  // now nobody reads the leaf and the sum any more
    }
    if (transport_->rank() == 0) Report(count, Times(repeats));
    Sum(&one, {}, 1, &all, {});
  }

 private:
  static int64_t Count(base::Time time) { return time.time_since_epoch().count(); }
  std::vector<double> Times(int repeats) const {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      Call last{0, 0};
      for (int rank = 0; rank < setup_.num_ranks; ++rank) {
        const Call& call = calls_[rank * kMostCalls + i];
        last = {std::max(last.begin, call.begin), std::max(last.end, call.end)};
      }
      times.push_back(static_cast<double>(last.end - last.begin) / 1000);
    }
    return times;
  }
  static void Pin(int rank) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<size_t>(rank % base::Cores()), &cores);
    sched_setaffinity(0, sizeof(cores), &cores);
  }
  // Every rank tells rank 0, which tells all.
  std::vector<std::string> Exchange(int rank, const std::vector<int>& to, int from) {
    std::vector<std::string> addresses(static_cast<size_t>(setup_.num_ranks));
    char line[256] = "";
    if (rank == 0) {
      addresses[0] = port_->address();
      for (int i = 1; i < setup_.num_ranks; ++i) {
        if (read(from, line, sizeof(line)) != sizeof(line)) std::abort();
        addresses[static_cast<size_t>(std::atoi(line))] = std::strchr(line, ' ') + 1;
      }
      for (size_t i = 1; i < addresses.size(); ++i) {
        for (const std::string& address : addresses) {
          std::memset(line, 0, sizeof(line));
          std::snprintf(line, sizeof(line), "%s", address.c_str());
          if (write(to[i], line, sizeof(line)) != sizeof(line)) std::abort();
        }
      }
      return addresses;
    }
    std::snprintf(line, sizeof(line), "%d %s", rank, port_->address().c_str());
    if (write(to[0], line, sizeof(line)) != sizeof(line)) std::abort();
    for (std::string& address : addresses) {
      if (read(from, line, sizeof(line)) != sizeof(line)) std::abort();
      address = line;
    }
    return addresses;
  }

  // Written as quickly as the peer's program writes its own.
  static float Value(int rank, int repeat, size_t index) {
    return static_cast<float>(repeat + static_cast<int>(index) * (rank + 1));
  }

  void Sum(const float* leaf, std::shared_ptr<const void> keeper, size_t count, float* sum,
           std::shared_ptr<const void> sum_keeper) {
    SumRequest request;
    request.id = {step_++, 0};
    request.dtype = DType::kFloat32;
    request.count = count;
    request.division = division_;
    const auto rank = static_cast<Leaf>(transport_->rank());
    request.contributions.push_back(
        {{rank, rank + 1}, reinterpret_cast<const std::byte*>(leaf), std::move(keeper)});
    request.output = reinterpret_cast<std::byte*>(sum);
    request.output_keeper = std::move(sum_keeper);
    if (count > 1) request.options.algorithm = setup_.algorithm;
    bool is_done = false;
    AllReduceSum(*group_, std::move(request), [&](const Result<Reduced>& reduced) {
      reduced.OrThrow();
      is_done = true;
    });
    if (!loop_.RunUntil([&] { return is_done; }, std::chrono::seconds(60))) std::abort();
    if (step_ % 64 == 0) group_->RetireBefore(step_ - 2);
  }

  void Check(int repeat, std::span<const float> sum) const {
    for (size_t j = 0; j < sum.size(); ++j) {
      std::vector<float> values;
      for (int rank = 0; rank < setup_.num_ranks; ++rank) values.push_back(Value(rank, repeat, j));
      for (size_t step = 1; step < values.size(); step *= 2)
        for (size_t i = 0; i + step < values.size(); i += 2 * step) values[i] += values[i + step];
      if (sum[j] == values[0]) continue;
      std::fprintf(stderr, "wrong sum at %zu: %g instead of %g\n", j, sum[j], values[0]);
      std::abort();
    }
  }

  void Report(size_t count, std::vector<double> times) const {
    double total = 0;
    for (double time : times) total += time;
    std::sort(times.begin(), times.end());
    std::printf(
        "{\"work\": \"all-reduce\", \"processes\": %d, \"road\": \"%s\", \"memory\": \"%s\", "
        "\"bytes\": %zu, \"us\": %.2f, \"median\": %.2f, \"least\": %.2f}\n",
        setup_.num_ranks, setup_.road.c_str(), setup_.is_shared ? "shared" : "private", count * 4,
        total / static_cast<double>(times.size()), times[times.size() / 2], times[0]);
    std::fflush(stdout);
  }

  const Setup setup_;
  Call* const calls_;
  const Division division_;
  Clock clock_;
  base::EventLoop loop_;
  std::unique_ptr<net::Port> port_;
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<Group> group_;
  uint64_t step_ = 1;
};

int Main(int argc, char** argv) {
  Setup setup;
  if (argc > 1) setup.num_ranks = std::max(1, std::atoi(argv[1]));
  if (argc > 2) setup.road = argv[2];
  if (argc > 3) setup.is_shared = std::strcmp(argv[3], "private") != 0;
  if (argc > 4) setup.largest = static_cast<size_t>(std::atoll(argv[4]));
  if (argc > 5) setup.repeats = std::atoi(argv[5]);
  if (argc > 6)
    for (Algorithm each :
         {Algorithm::kExchange, Algorithm::kSlices, Algorithm::kRelay, Algorithm::kMeasured})
      if (AlgorithmName(each) == argv[6]) setup.algorithm = each;
  std::vector<std::vector<int>> pipes(static_cast<size_t>(setup.num_ranks), std::vector<int>(2));
  std::vector<int> to;
  for (auto& ends : pipes) {
    if (pipe(ends.data()) != 0) return 1;
    to.push_back(ends[1]);
  }
  const size_t bytes = sizeof(Call) * kMostCalls * static_cast<size_t>(setup.num_ranks);
  void* calls = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int number = 0;
  for (int i = 1; i < setup.num_ranks && number == 0; ++i)
    if (fork() == 0) number = i;
  {
    Rank self(setup, number, to, pipes[static_cast<size_t>(number)][0], static_cast<Call*>(calls));
    for (size_t size :
         {4ul, 4096ul, 16384ul, 65536ul, 262144ul, 1ul << 20, 4ul << 20, 16ul << 20, 64ul << 20})
      if (size <= setup.largest) self.Measure(size / 4);
  }
  if (number != 0) _exit(0);
  while (wait(nullptr) > 0) {
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::collectives

int main(int argc, char** argv) { return lockstep::collectives::Main(argc, argv); }
