#include "collectives/flight_recorder.h"

#include <gtest/gtest.h>

#include <cmath>

#include <atomic>
#include <chrono>

#include "base/event_loop.h"
#include "base/team.h"
#include "collectives/all_gather.h"
#include "collectives/barrier.h"
#include "collectives/ranks_test.h"
#include "net/forwarding_transport_test.h"

namespace lockstep::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

base::Time At(base::Duration time) { return base::Time(time); }

Call SumOf(const std::string& label) {
  return {.kind = OpKind::kAllReduceSum,
          .dtype = DType::kFloat32,
          .count = 12,
          .label = label,
          .where = std::source_location::current()};
}

TEST(FlightRecorder, KeepsTheLastRecords) {
  FlightRecorder recorder;
  recorder.Sit(3, 1, 4);
  recorder.Enter(Phase::kInput, At(seconds(1)));
  const uint64_t sum = recorder.Begin(3, {17, 2}, SumOf("dense/kernel"), At(seconds(2)));
  recorder.End(sum, true);
  recorder.Enter(Phase::kInput, At(seconds(3)));  // it is there already
  const uint64_t open = recorder.Begin(3, {18, 0}, SumOf(std::string(50, 'x')), At(seconds(4)));
  recorder.Abort(3, At(seconds(5)));
  const FlightLog log = recorder.Read(At(seconds(9)));
  EXPECT_EQ(log.rank, 1);
  EXPECT_EQ(log.num_ranks, 4);
  EXPECT_EQ(log.epoch, 3u);
  ASSERT_EQ(log.records.size(), 4u);
  EXPECT_EQ(log.records[0].what, FlightRecord::What::kPhase);
  EXPECT_EQ(log.records[0].phase, Phase::kInput);
  EXPECT_EQ(log.records[0].age, seconds(8));
  const FlightRecord& record = log.records[1];
  EXPECT_EQ(record.number, sum);
  EXPECT_EQ(record.state, FlightRecord::State::kDone);
  EXPECT_EQ(record.op, (OpId{17, 2}));
  EXPECT_EQ(record.dtype, DType::kFloat32);
  EXPECT_EQ(record.count, 12u);
  EXPECT_EQ(record.label, "dense/kernel");
  EXPECT_EQ(record.file, "src/collectives/flight_recorder_test.cc");
  EXPECT_EQ(record.line, SumOf("").where.line());
  EXPECT_EQ(record.age, seconds(7));
  EXPECT_EQ(NameOf(record), "all_reduce 17.2 of dense/kernel");
  EXPECT_EQ(log.records[2].state, FlightRecord::State::kRunning);
  EXPECT_EQ(log.records[2].label, std::string(40, 'x'));
  EXPECT_EQ(log.records[3].what, FlightRecord::What::kAbort);
  recorder.End(open, false);
  EXPECT_EQ(recorder.Read(At(seconds(9))).records[2].state, FlightRecord::State::kFailed);
}

TEST(FlightRecorder, ForgetsTheOldest) {
  FlightRecorder recorder;
  const uint64_t first = recorder.Begin(1, {1, 0}, SumOf("a"), At(seconds(1)));
  for (uint64_t step = 2; step <= FlightRecorder::kRecords + 10; ++step)
    recorder.End(recorder.Begin(1, {step, 0}, SumOf("b"), At(seconds(2))), true);
  recorder.End(first, true);  // long overwritten: nothing happens
  const FlightLog log = recorder.Read(At(seconds(3)));
  ASSERT_EQ(log.records.size(), FlightRecorder::kRecords);
  EXPECT_EQ(log.records.front().number, 11u);
  EXPECT_EQ(log.records.back().op.step, FlightRecorder::kRecords + 10);
  EXPECT_EQ(recorder.Read(At(seconds(3)), 7).records.size(), 7u);
}

// Whoever reads while another writes gets whole records only.
TEST(FlightRecorder, IsReadWhileItIsWritten) {
  FlightRecorder recorder;
  std::atomic<bool> done{false};
  base::Team team(2);
  team.Run([&](int lane) {
    if (lane == 0) {
      for (uint64_t step = 1; step <= 100000; ++step)
        recorder.End(recorder.Begin(step, {step, 0}, SumOf(std::string(step % 41, 'l')),
                                    At(base::Duration(static_cast<int64_t>(step)))),
                     true);
      done = true;
      return;
    }
    while (!done) {
      uint64_t last = 0;
      for (const FlightRecord& record : recorder.Read(At(seconds(1))).records) {
        EXPECT_GT(record.number, last);
        last = record.number;
        EXPECT_EQ(record.op.step, record.number);
        EXPECT_EQ(record.epoch, record.number);
        EXPECT_EQ(record.label.size(), record.number % 41);
      }
    }
  });
}

TEST(FlightLog, ComesBackFromItsText) {
  FlightRecorder recorder;
  recorder.Sit(3, 1, 4);
  recorder.Enter(Phase::kEvaluation, At(seconds(1)));
  recorder.Begin(3, {17, 2}, SumOf("dense/kernel"), At(seconds(2)));
  recorder.Begin(3, {18, 0}, SumOf(""), At(seconds(2)));
  recorder.Abort(3, At(seconds(3)));
  const FlightLog log = recorder.Read(At(seconds(4)));
  const std::string text = ToText(log);
  const auto parsed = ParseFlightLog(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(*parsed, log);
  EXPECT_EQ(*ParseFlightLog("# worker 1 is late\n" + text), log);
  EXPECT_EQ(ParseFlightLog("hello\nworld").status(),
            Status(Code::kInvalidArgument,
                   "[flight] line 1 must be one of a flight recorder's file; got \"hello\""));
  EXPECT_EQ(ParseFlightLog(text + "5\tx\n").status(),
            Status(Code::kInvalidArgument,
                   "[flight] line 6 must be one of a flight recorder's file; got \"5?x\""));
  for (size_t size = 0; size + 1 < text.size(); ++size)
    if (text[size] == '\t') {
      EXPECT_FALSE(ParseFlightLog(text.substr(0, size)).ok()) << size;
    }
}

// Logs of ranks that were told what to do, for `FirstDifference`.
struct Flights {
  explicit Flights(int ranks) : recorders(static_cast<size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) recorders[rank].Sit(1, rank, ranks);
  }
  void Call(int rank, uint64_t step, const std::string& label, int64_t second, bool ends) {
    const uint64_t number = recorders[rank].Begin(1, {step, 0}, SumOf(label), At(seconds(second)));
    if (ends) recorders[rank].End(number, true);
  }
  std::string Difference(const std::vector<int>& silent = {}) const {
    std::vector<std::optional<FlightLog>> logs;
    for (const FlightRecorder& recorder : recorders) logs.push_back(recorder.Read(At(seconds(20))));
    for (int rank : silent) logs[rank].reset();
    return FirstDifference(logs, 1);
  }
  std::vector<FlightRecorder> recorders;
};

std::string WithoutLines(std::string text) {
  for (size_t at;
       (at = text.find(", at src/collectives/flight_recorder_test.cc:")) != std::string::npos;)
    text.erase(at, text.find_first_not_of("0123456789", at + 45) - at);
  return text;
}

TEST(FirstDifference, NamesWhoNeverCameAndWhatItDoes) {
  Flights flights(3);
  EXPECT_EQ(flights.Difference(), "");
  for (int rank = 0; rank < 3; ++rank) flights.Call(rank, 4710, "loss", 1, true);
  EXPECT_EQ(flights.Difference(), "");
  flights.recorders[2].Enter(Phase::kInput, At(seconds(12)));
  flights.Call(0, 4711, "dense/kernel", 13, false);
  flights.Call(1, 4711, "dense/kernel", 14, false);
  EXPECT_EQ(WithoutLines(flights.Difference()),
            "worker 2 never reached all_reduce 4711 of dense/kernel, in which workers 0 and 1 wait "
            "since 7.0 s; it is in the input pipeline since 8.0 s");
}

TEST(FirstDifference, NamesAnotherCall) {
  Flights flights(3);
  flights.Call(0, 7, "dense/kernel", 13, false);
  flights.Call(1, 7, "dense/bias", 14, false);
  EXPECT_EQ(WithoutLines(flights.Difference()),
            "worker 1 called all_reduce 7 of dense/bias, where worker 0 called all_reduce 7 of "
            "dense/kernel");
}

TEST(FirstDifference, SaysThatARankWaitsElsewhereOrGaveNoAnswer) {
  Flights flights(4);
  for (int rank : {0, 3}) flights.Call(rank, 5, "a", 10, false);
  flights.Call(1, 4, "b", 9, false);
  // Number 4 is the first that somebody waits in.
  EXPECT_EQ(WithoutLines(flights.Difference({2})),
            "worker 0 never reached all_reduce 4 of b, in which worker 1 waits since 11.0 s; it "
            "waits in all_reduce 5 of a, since 10.0 s; worker 3 never reached it; it waits in "
            "all_reduce 5 of a, since 10.0 s; worker 2 gave no answer: ended, stopped or out of "
            "reach");
  EXPECT_EQ(WithoutLines(flights.Difference({0, 2, 3})),
            "workers 0, 2 and 3 gave no answer: ended, stopped or out of reach, before the end of "
            "all_reduce 4 of b, in which worker 1 waits since 11.0 s");
}

TEST(FirstDifference, KnowsThatAFullRingHasForgottenWhatCameBefore) {
  Flights flights(2);
  for (uint64_t step = 1; step <= FlightRecorder::kRecords + 5; ++step)
    flights.Call(0, step + 100, "x", 1, true);
  flights.Call(1, 50, "x", 2, false);
  EXPECT_EQ(WithoutLines(flights.Difference()),
            "all workers reached all_reduce 50 of x, in which worker 1 waits since 18.0 s; its "
            "messages are under way or lost");
}

TEST(FlightRecorder, SeesTheOperationsOfAGroupAndTellsStalls) {
  FlightRecorder recorder;
  std::vector<OpId> stalls;
  int aborts = 0;
  GroupOptions options;
  options.recorder = &recorder;
  options.stall_after = milliseconds(10);
  options.on_stall = [&](OpId op) { stalls.push_back(op); };
  options.on_abort = [&] { ++aborts; };
  TestRanks ranks(2);
  ranks.groups[0].reset();
  ranks.groups[0] = std::make_unique<Group>(ranks.transport(0), options);
  for (int rank = 0; rank < 2; ++rank)
    Barrier(ranks.group(rank), {{1, 0}, {}, "start"}, ranks.Done(rank));
  ASSERT_TRUE(ranks.Wait());
  stalls.clear();  // on a busy machine it stalls, too
  const base::Time begin = ranks.loop.Now();
  Barrier(ranks.group(0), {{2, 0}, {}, "end"}, ranks.Done(0));
  ranks.loop.RunUntil([&] { return stalls.size() >= 2; }, std::chrono::minutes(1));
  // After 10 and 20 ms, and so on if it took longer.
  const double waited = base::Milliseconds(ranks.loop.Now() - begin);
  EXPECT_GE(stalls.size(), 2u);
  EXPECT_LE(stalls.size(), static_cast<size_t>(std::log2(waited / 10)) + 1) << waited;
  for (const OpId op : stalls) EXPECT_EQ(op, (OpId{2, 0}));
  ranks.group(1).Abort(Status(Code::kAborted, "[test] stop"));
  ASSERT_TRUE(ranks.Wait());
  EXPECT_EQ(aborts, 1);
  const FlightLog log = recorder.Read(ranks.loop.Now());
  ASSERT_EQ(log.records.size(), 3u);
  EXPECT_EQ(log.num_ranks, 2);
  EXPECT_EQ(log.records[0].state, FlightRecord::State::kDone);
  EXPECT_EQ(log.records[0].label, "start");
  EXPECT_EQ(log.records[1].state, FlightRecord::State::kFailed);
  EXPECT_EQ(log.records[2].what, FlightRecord::What::kAbort);
}

// Whose peer 1 is lost.
class Deserted final : public net::ForwardingTransport {
 public:
  Deserted(net::Transport& base, bool left) : ForwardingTransport(base), left_(left) {}
  std::vector<net::Loss> losses() const override {
    return {{1, Status(Code::kUnavailable, "[test] gone"), false, left_}};
  }

 private:
  const bool left_;
};

TEST(FlightRecorder, TellsNoAbortWhereARankGoesHomeAndNobodyWaits) {
  for (const bool left : {false, true}) {
    for (const bool waits : {false, true}) {
      TestRanks ranks(2);
      ranks.groups[0].reset();
      Deserted transport(ranks.transport(0), left);
      int aborts = 0;
      GroupOptions options;
      options.on_abort = [&] { ++aborts; };
      Group group(transport, options);
      if (waits) Barrier(group, {{1, 0}, {}, "end"}, ranks.Done(0));
      ranks.group(1).Abort(Status(Code::kUnavailable, "[test] gone"));
      ranks.Settle();
      EXPECT_EQ(aborts, left && !waits ? 0 : 1) << left << waits;
    }
  }
}

}  // namespace
}  // namespace lockstep::collectives
