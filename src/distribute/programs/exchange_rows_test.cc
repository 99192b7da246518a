#include "distribute/programs/exchange_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "base/team.h"
#include "lockstep/runtime/variable.h"
#include "net/forwarding_transport_test.h"
#include "net/in_process.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {
namespace {

constexpr int kRanks = 2;
constexpr int64_t kRows = 6, kColumns = 4;
const std::vector<int64_t> kRowBorders = {0, 4, kRows};

// As one over shared memory: it knows the memory that it gave out.
class Sharing final : public net::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  net::Block Allocate(size_t bytes) override {
    net::Block block = net::Block::OnHeap(bytes);
    given_.push_back(block);
    return block;
  }
  bool SharesMemoryWith(int) const override { return true; }
  bool IsShared(std::span<const std::byte> bytes) const override {
    return std::any_of(given_.begin(), given_.end(), [&](const net::Block& block) {
      return bytes.data() >= block.bytes.data() &&
             bytes.data() + bytes.size() <= block.bytes.data() + block.bytes.size();
    });
  }
  void Send(int to, net::Message message) override {
    sent_from_ = message.body.data();
    ForwardingTransport::Send(to, std::move(message));
  }

  // Where the body of the last message lay.
  const std::byte* sent_from() const { return sent_from_; }

 private:
  std::vector<net::Block> given_;
  const std::byte* sent_from_ = nullptr;
};

// One of two ranks that each have rows of a variable.
struct Rank {
  Rank(net::Transport& inner, base::EventLoop& loop)
      : transport(inner), ranks(transport, [&loop](const std::function<bool()>& done) {
          loop.RunUntil(done, std::chrono::minutes(2));
        }) {}

  void Exchange() {
    collectives::AllToAllRequest request{.id = {++step, 0}};
    request.peers.resize(kRanks);
    std::optional<Status> status;
    int last_from = -1;
    ExchangeRows(ranks, std::move(request), {variable.handle()}, kRowBorders, {}, &last_from,
                 [&](const Result<std::vector<Tensor>>& result) { status = result.status(); });
    ranks.WaitUntil([&] { return status.has_value(); });
    EXPECT_TRUE(status->ok()) << status->message();
    MirrorOwnRows(ranks.group(), variable.handle(), kRowBorders);
  }

  // All elements of this rank's rows become `value`, as an update leaves them.
  void Write(float value, std::optional<float> mirrored = {}) {
    if (!mirrored) cell().PrepareWrite();
    auto* data = reinterpret_cast<float*>(cell().data_beside_distant_rows());
    std::fill(data + begin(), data + end(), value);
    cell().CommitWrite();
    if (!mirrored) return;
    auto* mirror = reinterpret_cast<float*>(cell().mirror().data);
    std::fill(mirror, mirror + end() - begin(), *mirrored);
    cell().mirror().version = cell().version();
    cell().mirror().finite = true;
  }

  runtime::DistantRows& distant() const { return cell().distant_rows(); }

  runtime::VariableCell& cell() const { return runtime::CellOf(variable.handle()); }
  int64_t begin() const { return kRowBorders[static_cast<size_t>(ranks.rank())] * kColumns; }
  int64_t end() const { return kRowBorders[static_cast<size_t>(ranks.rank()) + 1] * kColumns; }
  // A value of the other rank's rows.
  float Others() const { return variable.value().ToVector<float>()[begin() == 0 ? end() : 0]; }

  Sharing transport;
  Communicator ranks;
  Variable variable{
      Tensor::FromVector(std::vector<float>(kRows * kColumns), Shape{kRows, kColumns})};
  uint64_t step = 0;
};

void OnBoth(const std::function<void(Rank&)>& body) {
  std::vector<base::EventLoop> loops(kRanks);
  net::InProcessNetwork network({&loops[0], &loops[1]});
  base::Team threads(kRanks);
  threads.Run([&](int rank) {
    Rank own(network.transport(rank), loops[static_cast<size_t>(rank)]);
    body(own);
  });
}

TEST(ExchangeRows, SendsAMirrorThatIsOfTheVersionAndTheVariableElse) {
  OnBoth([](Rank& own) {
    own.Write(1);
    own.Exchange();
    EXPECT_EQ(own.Others(), 1);
    // The next update finds a mirror of the rank's rows. Its values differ here to be told apart.
    const runtime::VariableMirror& mirror = own.cell().mirror();
    ASSERT_EQ(mirror.begin, static_cast<size_t>(own.begin()) * sizeof(float));
    ASSERT_EQ(mirror.end, static_cast<size_t>(own.end()) * sizeof(float));
    const std::byte* const memory = mirror.data;
    own.Write(2, 20);
    own.Exchange();
    EXPECT_EQ(own.transport.sent_from(), memory) << "copied";
    EXPECT_EQ(own.Others(), 20);
    EXPECT_NE(own.cell().mirror().data, memory) << "peers may still read it";
    // Somebody has written behind the update.
    own.Write(3, 30);
    own.Write(4);
    own.Exchange();
    EXPECT_EQ(own.Others(), 4);
    // What was mirrored was taken back, and the same version made in another way.
    auto before = own.cell().buffer();
    const uint64_t version = own.cell().version();
    own.Write(5, 50);
    own.cell().Restore(std::move(before), version);
    own.Write(6);
    own.Exchange();
    EXPECT_EQ(own.Others(), 6);
  });
}

// The value of the other rank's last row, without asking for any.
float LastOfOthers(const Rank& own) {
  const int64_t at = (own.begin() == 0 ? kRows : kRowBorders[1]) * kColumns - 1;
  return reinterpret_cast<const float*>(own.cell().data_beside_distant_rows())[at];
}

TEST(ExchangeRows, RowsStayWhereTheyCameToWhileSomeAreAskedFor) {
  OnBoth([](Rank& own) {
    own.Write(1);
    own.Exchange();
    EXPECT_FALSE(own.distant().any());
    EXPECT_FALSE(own.distant().AreFinite()) << "nobody has looked at what was not mirrored";
    own.Write(2, 2);
    own.Exchange();
    EXPECT_TRUE(own.distant().AreFinite());
    EXPECT_FALSE(own.distant().any()) << "no kernel has asked yet";
    own.distant().Need(0, 1);
    own.Write(3, 3);
    own.Exchange();
    EXPECT_TRUE(own.distant().any());
    EXPECT_EQ(LastOfOthers(own), 2);
    own.distant().Need(0, ~uint64_t{0});
    EXPECT_EQ(LastOfOthers(own), 3);
    // Those that nobody asks for are never there; the next ones take their place.
    own.Write(4, 4);
    own.Exchange();
    EXPECT_EQ(LastOfOthers(own), 3);
    own.Write(5, 5);
    own.Exchange();
    EXPECT_EQ(LastOfOthers(own), 3);
    EXPECT_EQ(own.Others(), 5);
    // A kernel that needs all gets them when they come.
    own.distant().NeedAll();
    own.Write(6, 6);
    own.Exchange();
    EXPECT_FALSE(own.distant().any());
    EXPECT_EQ(LastOfOthers(own), 6);
  });
}

TEST(ExchangeRows, OneRanksWordThatRowsAreNotFiniteIsEnough) {
  OnBoth([](Rank& own) {
    own.Write(1);
    own.Exchange();
    own.Write(2, 2);
    own.cell().mirror().finite = own.ranks.rank() == 0;
    own.Exchange();
    EXPECT_FALSE(own.distant().AreFinite());
    own.Write(3, 3);
    own.Exchange();
    EXPECT_TRUE(own.distant().AreFinite());
  });
}

}  // namespace
}  // namespace lockstep::distribute
