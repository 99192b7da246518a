#include "collectives/movement.h"

#include <gtest/gtest.h>

#include <numeric>

#include "collectives/all_gather.h"
#include "collectives/barrier.h"
#include "collectives/broadcast.h"
#include "collectives/gather.h"
#include "collectives/ranks_test.h"
#include "collectives/scatter.h"

namespace lockstep::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Numbers = std::vector<int32_t>;

std::byte* BytesOf(Numbers& numbers) { return reinterpret_cast<std::byte*>(numbers.data()); }

// Element k of rank r's piece: no two are alike.
int32_t Element(int rank, size_t k) { return static_cast<int32_t>(rank * 1000003 + k + 1); }

Numbers PieceOf(int rank, size_t count) {
  Numbers piece(count);
  for (size_t k = 0; k < count; ++k) piece[k] = Element(rank, k);
  return piece;
}

// Even, uneven, with empty pieces, nothing at all, prime, and large ones.
std::vector<std::vector<size_t>> CountsFor(int ranks) {
  std::vector<std::vector<size_t>> all;
  for (const size_t count : {0, 1, 7, 1009}) all.emplace_back(ranks, count);
  all.emplace_back();
  for (int rank = 0; rank < ranks; ++rank)
    all.back().push_back(static_cast<size_t>(rank % 3 == 1 ? 0 : 13 * rank + 1));
  return all;
}

Numbers AllPieces(const std::vector<size_t>& counts) {
  Numbers all;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    const Numbers piece = PieceOf(static_cast<int>(rank), counts[rank]);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

MoveRequest Request(uint64_t step, const std::vector<size_t>& counts, Route route, int root = 0) {
  MoveRequest request;
  request.id = {step, 0};
  request.dtype = DType::kInt32;
  request.counts = counts;
  request.root = root;
  request.options = {seconds(20), route};
  return request;
}

void ExpectOk(TestRanks& ranks) {
  ASSERT_TRUE(ranks.Wait());
  for (int rank = 0; rank < ranks.num_ranks(); ++rank) ASSERT_EQ(ranks.status(rank), Status::Ok());
}

TEST(AllGather, GivesAllPiecesToAll) {
  for (int count = 1; count <= 8; ++count) {
    TestRanks ranks(count);
    uint64_t step = 0;
    for (const auto& counts : CountsFor(count)) {
      for (Route route : {Route::kAuto, Route::kDirect, Route::kRing, Route::kDoubling}) {
        ++step;
        const Numbers all = AllPieces(counts);
        std::vector<Numbers> inputs, outputs(count, Numbers(all.size(), -1));
        for (int rank = 0; rank < count; ++rank) inputs.push_back(PieceOf(rank, counts[rank]));
        for (int rank = 0; rank < count; ++rank) {
          MoveRequest request = Request(step, counts, route);
          request.input = BytesOf(inputs[rank]);
          request.output = BytesOf(outputs[rank]);
          AllGather(ranks.group(rank), std::move(request), ranks.Done(rank));
        }
        ExpectOk(ranks);
        for (const Numbers& output : outputs)
          ASSERT_EQ(output, all) << count << " ranks, " << RouteName(route);
      }
    }
  }
}

TEST(AllGather, WorksInPlaceAndWithBool) {
  TestRanks ranks(3);
  std::vector<std::vector<uint8_t>> buffers;
  for (int rank = 0; rank < 3; ++rank) {
    buffers.emplace_back(6, 9);
    buffers[rank][2 * rank] = 1;
    buffers[rank][2 * rank + 1] = 0;
    MoveRequest request = Request(1, {2, 2, 2}, Route::kAuto);
    request.dtype = DType::kBool;
    request.output = reinterpret_cast<std::byte*>(buffers[rank].data());
    request.input = request.output + 2 * rank;
    AllGather(ranks.group(rank), std::move(request), ranks.Done(rank));
  }
  ExpectOk(ranks);
  for (const auto& buffer : buffers) EXPECT_EQ(buffer, std::vector<uint8_t>({1, 0, 1, 0, 1, 0}));
}

TEST(Broadcast, GivesAllWhatTheRootHas) {
  for (int count = 1; count <= 8; ++count) {
    TestRanks ranks(count);
    uint64_t step = 0;
    for (const size_t elements : {0, 1, 7, 1009, 100003}) {
      for (Route route : {Route::kAuto, Route::kDirect, Route::kTree, Route::kSplit}) {
        const int root = static_cast<int>(++step) % count;
        Numbers input = PieceOf(root, elements);
        std::vector<Numbers> outputs(count, Numbers(elements, -1));
        for (int rank = 0; rank < count; ++rank) {
          MoveRequest request = Request(step, {elements}, route, root);
          if (rank == root) request.input = BytesOf(input);
          request.output = BytesOf(outputs[rank]);
          Broadcast(ranks.group(rank), std::move(request), ranks.Done(rank));
        }
        ExpectOk(ranks);
        for (const Numbers& output : outputs)
          ASSERT_EQ(output, input) << count << " ranks, " << RouteName(route);
      }
    }
  }
}

TEST(GatherAndScatter, GoToAndFromTheRoot) {
  for (int count = 1; count <= 8; ++count) {
    TestRanks ranks(count);
    uint64_t step = 0;
    for (const auto& counts : CountsFor(count)) {
      for (Route route : {Route::kAuto, Route::kDirect, Route::kTree}) {
        const int root = static_cast<int>(++step) % count;
        Numbers all = AllPieces(counts);
        std::vector<Numbers> inputs, scattered;
        Numbers gathered(all.size(), -1);
        for (int rank = 0; rank < count; ++rank) {
          inputs.push_back(PieceOf(rank, counts[rank]));
          scattered.emplace_back(counts[rank], -1);
        }
        for (int rank = 0; rank < count; ++rank) {
          MoveRequest request = Request(step, counts, route, root);
          request.input = BytesOf(inputs[rank]);
          if (rank == root) request.output = BytesOf(gathered);
          Gather(ranks.group(rank), std::move(request), ranks.Done(rank));
        }
        ExpectOk(ranks);
        ASSERT_EQ(gathered, all) << count << " ranks, " << RouteName(route);
        ++step;
        for (int rank = 0; rank < count; ++rank) {
          MoveRequest request = Request(step, counts, route, root);
          if (rank == root) request.input = BytesOf(all);
          request.output = BytesOf(scattered[rank]);
          Scatter(ranks.group(rank), std::move(request), ranks.Done(rank));
        }
        ExpectOk(ranks);
        for (int rank = 0; rank < count; ++rank) ASSERT_EQ(scattered[rank], inputs[rank]);
      }
    }
  }
}

TEST(Barrier, LetsNobodyThroughBeforeAllHaveCome) {
  for (int count = 1; count <= 8; ++count) {
    TestRanks ranks(count);
    uint64_t step = 0;
    for (Route route : {Route::kAuto, Route::kDirect, Route::kDoubling}) {
      for (int last = 0; last < count; ++last) {
        const BarrierRequest request{{++step, 0}, {seconds(20), route}, "epoch"};
        ranks.statuses.assign(count, std::nullopt);
        for (int rank = 0; rank < count; ++rank)
          if (rank != last) Barrier(ranks.group(rank), request, ranks.Done(rank));
        ranks.Settle();
        for (int rank = 0; rank < count; ++rank) ASSERT_FALSE(ranks.statuses[rank].has_value());
        Barrier(ranks.group(last), request, ranks.Done(last));
        ExpectOk(ranks);
      }
    }
  }
}

TEST(Barrier, NamesAMissingRankAndEndsForAll) {
  TestRanks ranks(3);
  for (int rank : {1, 0}) {
    ranks.Settle();
    const auto timeout = rank == 0 ? base::Duration(milliseconds(20)) : seconds(60);
    Barrier(ranks.group(rank), {{3, 1}, {timeout, Route::kDirect}, "end"}, ranks.Done(rank));
  }
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.status(0),
            Status(Code::kDeadlineExceeded,
                   "[barrier] every partial must arrive within 20.0 ms; got nothing from rank 2; 0 "
                   "of 2 rounds are done (rank 0 of 3, epoch 0, step 3, bucket 1); see whether "
                   "that rank runs, or raise the timeout"));
  EXPECT_EQ(ranks.status(1).code(), Code::kAborted);
}

TEST(Movement, RefusesWhatIsWrongByItself) {
  TestRanks ranks(2);
  Numbers numbers(4);
  const auto expect = [&](MoveRequest request, const std::string& text) {
    request.input = request.output = BytesOf(numbers);
    AllGather(ranks.group(0), request, ranks.Done(0));
    ASSERT_TRUE(ranks.Wait());
    EXPECT_EQ(ranks.status(0),
              Status(Code::kInvalidArgument,
                     "[all_gather] " + text + " (rank 0 of 2, epoch 0, step 1, bucket 0)"));
  };
  expect(Request(1, {2}, Route::kAuto), "there must be 2 counts; got 1");
  expect(Request(1, {2, 2}, Route::kTree),
         "the route must be one of auto, direct, doubling, ring; got tree");
  MoveRequest request = Request(1, {2, 2}, Route::kAuto);
  request.dtype = DType::kString;
  expect(request, "dtype must be numbers or bool; got string");
  Broadcast(ranks.group(0), Request(1, {2}, Route::kAuto, 2), ranks.Done(0));
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.status(0),
            Status(Code::kInvalidArgument,
                   "[broadcast] the root must be a rank; got 2 (rank 0 of 2, epoch 0, step 1, "
                   "bucket 0)"));
}

TEST(Movement, EndsTheEpochForAMessageThatIsNoMove) {
  TestRanks ranks(2);
  Numbers numbers(4);
  net::Transport& wire = ranks.transport(1);
  ranks.groups[1].reset();
  net::Message sent;
  wire.Listen(net::Channel::kCollectives, [&](int, const net::Message& message) {
    sent = message;
    return net::Receipt::kTaken;
  });
  MoveRequest request = Request(1, {2, 2}, Route::kDirect);
  request.input = request.output = BytesOf(numbers);
  AllGather(ranks.group(0), request, ranks.Done(0));
  ranks.Settle();
  wire.Send(0, sent);  // rank 0's own move, as if it were rank 1's
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(ranks.status(0),
            Status(Code::kInvalidArgument,
                   "[all_gather] a message must be a move of the plan; got 8 bytes as number 0 "
                   "from rank 1 (rank 0 of 2, epoch 0, step 1, bucket 0)"));
}

}  // namespace
}  // namespace lockstep::collectives
