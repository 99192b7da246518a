#include "distribute/workers/measure_pairs.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace lockstep::distribute {

namespace {

constexpr int kMostRanksForAllPairs = 16;
constexpr int kPings = 200;
constexpr int kFirstPings = 20;  // while both ends wake up
constexpr size_t kBulk = size_t{1} << 20;
constexpr uint32_t kBatch = 8;  // messages under way
constexpr int kBatches = 6;
constexpr base::Duration kLimit = std::chrono::milliseconds(50);  // for each of the two

enum class Kind : uint32_t { kPing, kPong, kBulk, kTaken };
struct Head {
  Kind kind;
  uint32_t left;  // messages of the batch that follow
};

uint64_t SumOf(const net::Payload& body) {
  uint64_t sum = 0;
  for (size_t i = 0; i + sizeof sum <= body.size(); i += sizeof sum) {
    uint64_t word;
    std::memcpy(&word, body.data() + i, sizeof word);
    sum += word;
  }
  return sum;
}

net::Payload CopyOf(const void* bytes, size_t size) {
  const auto* begin = static_cast<const std::byte*>(bytes);
  return net::Payload(std::make_shared<net::Bytes>(begin, begin + size));
}

// One rank's end of all measurements: answers others, and asks them itself.
class Meter {
 public:
  explicit Meter(Communicator& ranks) : ranks_(ranks), transport_(ranks.transport()) {
    transport_.Listen(net::Channel::kControl, [this](int from, const net::Message& message) {
      Take(from, message);
      return net::Receipt::kTaken;
    });
  }
  ~Meter() { transport_.Listen(net::Channel::kControl, nullptr); }

  PairSpeed Measure(PairSpeed pair) {
    pair.latency_us = Latency(pair.to);
    pair.mebibytes_per_second = Bandwidth(pair.to);
    return pair;
  }

 private:
  void Send(int to, Kind kind, uint32_t left, net::Payload body) {
    const Head head{kind, left};
    transport_.Send(to, {.epoch = transport_.epoch(),
                         .channel = net::Channel::kControl,
                         .payload = CopyOf(&head, sizeof head),
                         .body = std::move(body)});
  }

  void Take(int from, const net::Message& message) {
    Head head{};
    if (message.payload.size() != sizeof head) return;
    std::memcpy(&head, message.payload.data(), sizeof head);
    if (head.kind == Kind::kPing) return Send(from, Kind::kPong, 0, message.body);
    if (head.kind == Kind::kBulk) {
      sum_ += SumOf(message.body);
      if (head.left > 0) return;
      Send(from, Kind::kTaken, 0, CopyOf(&sum_, sizeof sum_));
      sum_ = 0;
      return;
    }
    answer_ = SumOf(message.body);
  }

  uint64_t WaitForAnswer() {
    ranks_.WaitUntil([this] { return answer_ || transport_.aborted() != nullptr; });
    if (!answer_)
      throw Error(transport_.aborted()->reason.code(), transport_.aborted()->reason.message());
    const uint64_t answer = *answer_;
    answer_.reset();
    return answer;
  }

  void CheckAnswer(uint64_t expected, int to) {
    const uint64_t got = WaitForAnswer();
    if (got == expected) return;
    throw Error(Code::kDataLoss, "[measure] bytes must arrive as they were sent; got the sum " +
                                     std::to_string(got) + " instead of " +
                                     std::to_string(expected) + " (rank " + std::to_string(to) +
                                     ")");
  }

  double Latency(int to) {
    std::vector<base::Duration> trips;
    const base::Time begin = ranks_.executor().Now();
    for (uint64_t i = 0; i < kFirstPings + kPings; ++i) {
      const base::Time sent = ranks_.executor().Now();
      Send(to, Kind::kPing, 0, CopyOf(&i, sizeof i));
      CheckAnswer(i, to);
      const base::Time now = ranks_.executor().Now();
      if (i >= kFirstPings) trips.push_back(now - sent);
      if (!trips.empty() && now - begin > kLimit) break;
    }
    const auto middle = trips.begin() + static_cast<std::ptrdiff_t>(trips.size() / 2);
    std::nth_element(trips.begin(), middle, trips.end());
    return static_cast<double>(middle->count()) / 2000;
  }

  double Bandwidth(int to) {
    const net::Block block = transport_.Allocate(kBulk);
    for (size_t i = 0; i < kBulk; ++i) block.bytes[i] = static_cast<std::byte>(i * 131 >> 3);
    const net::Payload body{block};
    const uint64_t expected = SumOf(body) * kBatch;
    const base::Time begin = ranks_.executor().Now();
    double best = 0;
    for (int batch = 0; batch < kBatches; ++batch) {
      const base::Time sent = ranks_.executor().Now();
      for (uint32_t i = 0; i < kBatch; ++i) Send(to, Kind::kBulk, kBatch - 1 - i, body);
      CheckAnswer(expected, to);
      const base::Time now = ranks_.executor().Now();
      const double seconds = std::max(1e-9, static_cast<double>((now - sent).count()) * 1e-9);
      best = std::max(best, kBatch * static_cast<double>(kBulk >> 20) / seconds);
      if (now - begin > kLimit) break;
    }
    return best;
  }

  Communicator& ranks_;
  net::Transport& transport_;
  uint64_t sum_ = 0;  // of the batch that comes
  std::optional<uint64_t> answer_;
};

}  // namespace

std::vector<PairSpeed> PairsOf(int num_ranks) {
  std::vector<PairSpeed> pairs;
  for (int from = 0; from < num_ranks; ++from) {
    for (int to = 0; to < num_ranks; ++to) {
      const bool near = std::abs(from - to) == 1 || from == 0 || to == 0;
      if (from != to && (near || num_ranks <= kMostRanksForAllPairs)) pairs.push_back({from, to});
    }
  }
  return pairs;
}

std::vector<PairSpeed> MeasurePairs(Communicator& ranks) {
  Meter meter(ranks);
  std::vector<PairSpeed> pairs = PairsOf(ranks.num_ranks());
  (void)ranks.AllGather("");  // all listen
  for (PairSpeed& pair : pairs) {
    std::string own;
    if (pair.from == ranks.rank()) {
      pair = meter.Measure(pair);
      own.assign(reinterpret_cast<const char*>(&pair), sizeof pair);
    }
    const std::string measured = ranks.AllGather(own)[static_cast<size_t>(pair.from)];
    if (measured.size() == sizeof pair) std::memcpy(&pair, measured.data(), sizeof pair);
  }
  return pairs;
}

}  // namespace lockstep::distribute
