#include <gtest/gtest.h>

#include <functional>

#include "base/probe.h"
#include "collectives/all_gather.h"
#include "collectives/barrier.h"
#include "collectives/broadcast.h"
#include "collectives/call_texts.h"
#include "collectives/ranks_test.h"
#include "collectives/sum_reference.h"

/// Ranks that call different collectives, or the same in another order or with other arguments.

namespace lockstep::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class MismatchTest : public ::testing::Test {
 protected:
  MismatchTest() : ranks_(3), numbers_(3, std::vector<float>(12, 1)) {}

  std::byte* Numbers(int rank) { return reinterpret_cast<std::byte*>(numbers_[rank].data()); }
  SumRequest Sum(int rank, const std::string& label, const std::string& shape) {
    SumRequest request;
    request.id = {4, 0};
    request.dtype = DType::kFloat32;
    request.count = 12;
    request.division = Division::Even(3, 3);
    request.contributions = {{request.division.block(rank), Numbers(rank)}};
    request.output = Numbers(rank);
    request.label = label;
    request.shape = shape;
    return request;
  }
  MoveRequest Move(int rank, int root = 0) {
    MoveRequest request;
    request.id = {4, 0};
    request.dtype = DType::kFloat32;
    request.counts = {12};
    request.root = root;
    request.input = request.output = Numbers(rank);
    return request;
  }
  // All ranks end in time, with both calls and both lines in each one's text.
  void ExpectAll(const std::string& difference, const std::string& one, int one_line,
                 const std::string& other, int other_line) {
    const base::Time begin = ranks_.loop.Now();
    ASSERT_TRUE(ranks_.Wait());
    EXPECT_LT(ranks_.loop.Now() - begin, seconds(30));
    const std::string file = ", at src/collectives/mismatch_test.cc:";
    int finders = 0;
    for (int rank = 0; rank < 3; ++rank) {
      const Status& status = ranks_.status(rank);
      const std::string& text = status.message();
      finders += status.code() == Code::kInvalidArgument;
      EXPECT_TRUE(status.code() == Code::kInvalidArgument || status.code() == Code::kAborted);
      EXPECT_NE(text.find("all ranks must make the same calls in the same order; got another " +
                          difference + ": "),
                std::string::npos)
          << text;
      EXPECT_NE(text.find(one + file + std::to_string(one_line)), std::string::npos) << text;
      EXPECT_NE(text.find(other + file + std::to_string(other_line)), std::string::npos) << text;
    }
    EXPECT_GE(finders, 1);
  }

  TestRanks ranks_;
  std::vector<std::vector<float>> numbers_;
};

TEST_F(MismatchTest, AnotherOpIsNamedWithBothLines) {
  for (int rank : {0, 1})
    AllReduceSum(ranks_.group(rank), Sum(rank, "dense/kernel", "[3,4]"), ranks_.Done(rank));
  const int line = __LINE__ - 1;
  Broadcast(ranks_.group(2), Move(2, 0), ranks_.Done(2));
  ExpectAll("op", "all_reduce of dense/kernel, float32[12] as [3,4]", line,
            "broadcast, float32[12]", line + 2);
}

TEST_F(MismatchTest, AnotherOrderIsNamed) {
  for (int rank : {0, 2})
    AllReduceSum(ranks_.group(rank), Sum(rank, "dense/kernel", ""), ranks_.Done(rank));
  const int line = __LINE__ - 1;
  AllReduceSum(ranks_.group(1), Sum(1, "dense/bias", ""), ranks_.Done(1));
  ExpectAll("name", "all_reduce of dense/kernel, float32[12]", line,
            "all_reduce of dense/bias, float32[12]", line + 2);
}

// Texts that a peer has are not sent again, and still are those of each call.
TEST_F(MismatchTest, AnotherOrderIsNamedWhereTheTextsWentBefore) {
  const auto call = [&](uint64_t step, int rank, const std::string& label) {
    SumRequest request = Sum(rank, label, "[12]");
    request.id.step = step;
    AllReduceSum(ranks_.group(rank), request, ranks_.Done(rank));
  };
  const int line = __LINE__ - 2;
  std::vector<uint64_t> sent{0};  // from rank 0 to rank 1, after each step
  for (uint64_t step = 1; step <= 4; ++step) {
    for (int rank = 0; rank < 3; ++rank) call(step, rank, step % 2 == 1 ? "a" : "b");
    ASSERT_TRUE(ranks_.Wait());
    sent.push_back(ranks_.transport(0).traffic()[1].sent_bytes);
  }
  const uint64_t with_texts = sent[2] - sent[1], with_numbers = sent[4] - sent[3];
  EXPECT_EQ(with_texts - with_numbers,
            8 + 1 + 4 + std::string("src/collectives/mismatch_test.cc").size());
  for (int rank : {0, 1}) call(5, rank, "a");
  call(5, 2, "b");
  ExpectAll("name", "all_reduce of a, float32[12] as [12]", line,
            "all_reduce of b, float32[12] as [12]", line);
}

TEST_F(MismatchTest, AnotherShapeOfTheSameSizeIsNamed) {
  for (int rank : {0, 1})
    AllReduceSum(ranks_.group(rank), Sum(rank, "loss", "[3,4]"), ranks_.Done(rank));
  const int line = __LINE__ - 1;
  AllReduceSum(ranks_.group(2), Sum(2, "loss", "[4,3]"), ranks_.Done(2));
  ExpectAll("shape", "float32[12] as [3,4]", line, "float32[12] as [4,3]", line + 2);
}

TEST_F(MismatchTest, AnotherDtypeIsNamed) {
  for (int rank : {1, 2})
    AllReduceSum(ranks_.group(rank), Sum(rank, "loss", ""), ranks_.Done(rank));
  const int line = __LINE__ - 1;
  SumRequest request = Sum(0, "loss", "");
  request.dtype = DType::kInt32;
  AllReduceSum(ranks_.group(0), request, ranks_.Done(0));
  ExpectAll("dtype", "all_reduce of loss, float32[12]", line, "all_reduce of loss, int32[12]",
            line + 4);
}

// Who sends and needs nothing is done at once; what others call then is still compared with it.
TEST_F(MismatchTest, ACallThatIsOverHereIsComparedToo) {
  Broadcast(ranks_.group(0), Move(0, 0), ranks_.Done(0));
  ranks_.Settle();
  ASSERT_EQ(ranks_.status(0), Status::Ok());
  net::Transport& wire = ranks_.transport(0);
  EXPECT_EQ(wire.aborted(), nullptr);
  // Its messages have come to nobody yet who could compare them: only rank 0 can.
  Broadcast(ranks_.group(1), Move(1, 1), ranks_.Done(1));
  ASSERT_TRUE(ranks_.Wait());
  ranks_.Settle();
  ASSERT_NE(wire.aborted(), nullptr);
  EXPECT_NE(wire.aborted()->reason.message().find("got another division, algorithm, root or sizes"),
            std::string::npos);
}

// Everybody waits for somebody else: nobody would ever send anything but its call.
TEST_F(MismatchTest, RanksThatWaitForEachOtherFindItOut) {
  Broadcast(ranks_.group(0), Move(0, 1), ranks_.Done(0));
  Broadcast(ranks_.group(1), Move(1, 2), ranks_.Done(1));
  Broadcast(ranks_.group(2), Move(2, 0), ranks_.Done(2));
  ASSERT_TRUE(ranks_.Wait());
  for (int rank = 0; rank < 3; ++rank) {
    const std::string& text = ranks_.status(rank).message();
    EXPECT_NE(text.find("got another division, algorithm, root or sizes: broadcast, float32[12]"),
              std::string::npos)
        << text;
  }
}

TEST_F(MismatchTest, EqualCallsFromDifferentLinesAreFine) {
  Broadcast(ranks_.group(0), Move(0), ranks_.Done(0));
  Broadcast(ranks_.group(1), Move(1), ranks_.Done(1));
  Broadcast(ranks_.group(2), Move(2), ranks_.Done(2));
  ASSERT_TRUE(ranks_.Wait());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(ranks_.status(rank), Status::Ok());
}

Call Called(const std::string& label) {
  Call call;
  call.label = label;
  call.where = std::source_location::current();
  return call;
}

TEST(CallTexts, AreKnownByTheirSendersNumbers) {
  CallTexts sender(2), receiver(2);
  const auto message = [&](const Call& call, uint32_t number, bool with_text) {
    const net::Payload payload = with_text ? Encode({}, TextOf(call), number) : Encode({}, number);
    return net::Message{1, net::Channel::kCollectives, payload, {}};
  };
  const Call a = Called("a"), b = Called("b");
  EXPECT_EQ(sender.NumberOf(a), 1u);
  EXPECT_EQ(sender.NumberOf(b), 2u);
  EXPECT_EQ(sender.NumberOf(a), 1u);
  EXPECT_TRUE(sender.IsNewTo(1, 2));
  EXPECT_FALSE(sender.IsNewTo(1, 2));
  EXPECT_TRUE(sender.IsNewTo(1, 1));
  // The number may come before the texts.
  const net::Message number = message(b, 2, false), with_texts = message(b, 2, true);
  auto early = Decode(number);
  EXPECT_FALSE(receiver.Complete(0, &*early));
  auto texts = Decode(with_texts);
  EXPECT_TRUE(receiver.Complete(0, &*texts));
  EXPECT_TRUE(receiver.Complete(0, &*early));
  EXPECT_EQ(early->call.label, "b");
  EXPECT_EQ(early->call.file, "src/collectives/mismatch_test.cc");
  auto strange = Decode(number);
  EXPECT_FALSE(receiver.Complete(1, &*strange)) << "another rank's number";
}

// A program may put numbers into its labels: what goes beyond the table takes its texts along.
TEST(CallTexts, GoAlongWhereTheNumbersAreUsedUp) {
  CallTexts sender(2), receiver(2);
  for (uint32_t i = 1; i <= kMostTexts; ++i)
    ASSERT_EQ(sender.NumberOf(Called(std::to_string(i))), i);
  const Call late = Called("late");
  EXPECT_EQ(sender.NumberOf(late), kNoText);
  EXPECT_TRUE(sender.IsNewTo(1, kNoText));
  EXPECT_TRUE(sender.IsNewTo(1, kNoText));
  const net::Message along{1, net::Channel::kCollectives, Encode({}, TextOf(late), kNoText), {}};
  auto message = Decode(along);
  EXPECT_TRUE(receiver.Complete(0, &*message));
  EXPECT_EQ(message->call.label, "late");
  EXPECT_EQ(sender.NumberOf(Called("7")), 7u);
}

TEST(Call, IsPrintedWithoutWhatCannotBe) {
  EXPECT_EQ(Describe(OpKind::kGather, DType::kInvalid, 0, {"a\nb\xff", "", "x/y/z/w.cc", 3}),
            "gather of a?b?, at x/y/z/w.cc:3");
  EXPECT_EQ(ShortFile("/home/me/src/room/file.cc"), "src/room/file.cc");
  EXPECT_EQ(ShortFile("file.cc"), "file.cc");
  EXPECT_EQ(ShortFile("a/file.cc"), "a/file.cc");
}

}  // namespace
}  // namespace lockstep::collectives
