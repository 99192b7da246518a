#include <gtest/gtest.h>

#include <functional>

#include "collectives/all_gather.h"
#include "collectives/all_to_all.h"
#include "collectives/barrier.h"
#include "collectives/broadcast.h"
#include "collectives/gather.h"
#include "collectives/ranks_test.h"
#include "collectives/reduce_scatter.h"
#include "collectives/scatter.h"
#include "collectives/sparse_sum.h"

/// Every collective ends on all ranks, soon, when one of them gives up or never comes.

namespace lockstep::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kRanks = 3;

float numbers[kRanks * 12];
std::byte* Numbers() { return reinterpret_cast<std::byte*>(numbers); }

SumRequest Sum(const Group& group, base::Duration timeout) {
  SumRequest request;
  request.id = {1, 0};
  request.dtype = DType::kFloat32;
  request.count = 12;
  request.division = Division::Even(kRanks, kRanks);
  request.contributions = {{request.division.block(group.rank()), Numbers()}};
  request.output = Numbers() + 48;
  request.options.timeout = timeout;
  return request;
}

// Rank 2 has what the others want.
MoveRequest Move(base::Duration timeout, size_t counts) {
  MoveRequest request;
  request.id = {1, 0};
  request.dtype = DType::kFloat32;
  request.counts.assign(counts, 12);
  request.root = 2;
  request.input = request.output = Numbers();
  request.options.timeout = timeout;
  return request;
}

using Begin = std::function<void(Group&, base::Duration, OnReduced)>;

std::map<std::string, Begin> All() {
  std::map<std::string, Begin> all;
  all["all_reduce"] = [](Group& group, base::Duration timeout, OnReduced done) {
    AllReduceSum(group, Sum(group, timeout), done);
  };
  all["reduce_scatter"] = [](Group& group, base::Duration timeout, OnReduced done) {
    ReduceScatterSum(group, {Sum(group, timeout), {0, 4, 8, 12}}, done);
  };
  all["sparse_all_reduce"] = [](Group& group, base::Duration timeout, OnReduced done) {
    SparseSumRequest request{.id = {1, 0},
                             .dtype = DType::kFloat32,
                             .num_rows = 2,
                             .row_elements = 6,
                             .division = Division::Even(kRanks, kRanks)};
    request.contributions = {{request.division.block(group.rank()), {1}, Numbers()}};
    request.options.timeout = timeout;
    AllReduceSparseSum(group, request, [done](const Result<SparseSum>& result) {
      result.ok() ? done(Reduced{true}) : done(result.status());
    });
  };
  all["all_gather"] = [](Group& group, base::Duration timeout, OnReduced done) {
    AllGather(group, Move(timeout, kRanks), done);
  };
  all["broadcast"] = [](Group& group, base::Duration timeout, OnReduced done) {
    Broadcast(group, Move(timeout, 1), done);
  };
  all["scatter"] = [](Group& group, base::Duration timeout, OnReduced done) {
    Scatter(group, Move(timeout, kRanks), done);
  };
  all["gather"] = [](Group& group, base::Duration timeout, OnReduced done) {
    MoveRequest request = Move(timeout, kRanks);
    request.root = 0;
    Gather(group, std::move(request), done);
  };
  all["barrier"] = [](Group& group, base::Duration timeout, OnReduced done) {
    Barrier(group, {{1, 0}, {timeout, Route::kAuto}}, done);
  };
  all["all_to_all"] = [](Group& group, base::Duration timeout, OnReduced done) {
    AllToAllRequest request{.id = {1, 0}, .timeout = timeout};
    request.peers.resize(kRanks);
    for (auto& peer : request.peers) {
      peer.send.push_back(net::Block::OnHeap(8));
      peer.receive.push_back(8);
    }
    request.on_piece = [](int, size_t, const net::Payload&) {};
    AllToAll(group, std::move(request), done);
  };
  return all;
}

TEST(Abort, EndsEveryCollectiveOnAllRanksInTime) {
  for (const auto& [name, begin] : All()) {
    TestRanks ranks(kRanks);
    for (int rank : {0, 1}) begin(ranks.group(rank), seconds(120), ranks.Done(rank));
    ranks.Settle();
    EXPECT_FALSE(ranks.statuses[0].has_value()) << name;
    ranks.group(2).Abort(Status(Code::kAborted, "[test] stop"));
    ASSERT_TRUE(ranks.Wait()) << name;  // within 60 s, and not the 120 of the others
    EXPECT_EQ(ranks.status(0).code(), Code::kAborted) << name;
    EXPECT_NE(ranks.status(0).message().find("[" + name +
                                             "] the epoch must outlast the sum; got an abort by "
                                             "rank 2: [test] stop"),
              std::string::npos)
        << ranks.status(0).message();
  }
}

TEST(Abort, FollowsEveryDeadline) {
  for (const auto& [name, begin] : All()) {
    TestRanks ranks(kRanks);
    begin(ranks.group(1), seconds(120), ranks.Done(1));
    ranks.Settle();
    begin(ranks.group(0), milliseconds(20), ranks.Done(0));
    ASSERT_TRUE(ranks.Wait()) << name;  // within 60 s, and not the 120 of the others
    EXPECT_EQ(ranks.status(0).code(), Code::kDeadlineExceeded) << name;
    EXPECT_NE(ranks.status(0).message().find("[" + name + "] every partial must arrive within"),
              std::string::npos)
        << ranks.status(0).message();
    EXPECT_NE(ranks.status(0).message().find("from rank 2"), std::string::npos)
        << ranks.status(0).message();
  }
}

}  // namespace
}  // namespace lockstep::collectives
