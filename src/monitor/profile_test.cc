#include "monitor/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "monitor/profile_summary.h"

namespace lockstep::monitor {
namespace {

using base::Trace;
using base::TraceEvent;
using Kind = TraceEvent::Kind;

// Names: 0 and 1 the tasks, then phases and an op.
Trace TraceOf(int task, const std::string& host) {
  return {.task = task == 0 ? "worker 0" : "worker 1",
          .host = host,
          .process = 100 + task,
          .names = {"worker 0", "worker 1", "input", "step", "callback", "MatMul_7", "kernel"}};
}

TraceEvent Event(Kind kind, uint32_t name, int64_t begin, int64_t length, uint64_t value = 0) {
  return {.kind = kind, .name = name, .begin = begin, .length = length, .value = value};
}

TraceEvent Message(Kind kind, uint32_t peer, int64_t when, uint64_t id) {
  return {.kind = kind, .peer = peer, .begin = when, .value = 1 << 20, .id = id};
}

// Two steps of 10 ms; worker 1 computes twice as long as worker 0, which waits for it.
std::vector<Trace> Pair(int64_t ahead, const std::string& other_host) {
  constexpr int64_t kMs = 1'000'000;
  std::vector<Trace> traces{TraceOf(0, "a"), TraceOf(1, other_host)};
  for (int64_t step = 0; step < 2; ++step) {
    for (uint32_t task = 0; task < 2; ++task) {
      const int64_t zero = step * 10 * kMs + (task == 1 ? ahead : 0);
      auto& events = traces[task].events;
      events.push_back(
          Event(Kind::kStep, TraceEvent::kNone, zero, 10 * kMs, static_cast<uint64_t>(step) + 5));
      events.push_back(Event(Kind::kPhase, 2, zero, kMs));
      events.push_back(Event(Kind::kPhase, 3, zero + kMs, 8 * kMs));
      events.push_back(Event(Kind::kPhase, 4, zero + 9 * kMs, kMs));
      events.push_back(Event(Kind::kOp, 5, zero + kMs, (task == 0 ? 3 : 6) * kMs));
      events.push_back(Event(Kind::kMemory, TraceEvent::kNone, zero, 0, (50 + task) << 20));
    }
    TraceEvent wait = Event(Kind::kWait, 6, step * 10 * kMs + 4 * kMs, 3 * kMs);
    wait.peer = 1;
    traces[0].events.push_back(wait);
    // Both take a tenth of a millisecond.
    const auto id = static_cast<uint64_t>(step);
    traces[0].events.push_back(Message(Kind::kSend, 1, step * 10 * kMs + 4 * kMs, id));
    traces[1].events.push_back(
        Message(Kind::kReceive, 0, step * 10 * kMs + 4 * kMs + 100'000 + ahead, id));
    traces[1].events.push_back(Message(Kind::kSend, 0, step * 10 * kMs + 7 * kMs + ahead, id));
    traces[0].events.push_back(Message(Kind::kReceive, 1, step * 10 * kMs + 7 * kMs + 100'000, id));
  }
  return traces;
}

TEST(Profile, ClocksOfOtherHostsAreCorrected) {
  for (const int64_t ahead : {int64_t{-3'000'000'000}, int64_t{0}, int64_t{123'456'789}}) {
    const Profile profile = AlignClocks(Pair(ahead, "b"));
    ASSERT_EQ(profile.clocks.size(), 2u);
    EXPECT_EQ(profile.clocks[1].host, "b");
    EXPECT_EQ(profile.clocks[1].ahead, ahead);
    EXPECT_EQ(profile.clocks[1].uncertainty, 100'000);
    EXPECT_TRUE(profile.clocks[1].known);
    EXPECT_EQ(profile.tasks[1].events[0].begin, 0);
  }
}

TEST(Profile, OneHostHasOneClock) {
  const Profile profile = AlignClocks(Pair(77, "a"));
  ASSERT_EQ(profile.clocks.size(), 1u);
  EXPECT_EQ(profile.tasks[1].events[0].begin, 77);
}

TEST(Profile, ClocksAreReachedOverOthers) {
  // 0 and 2 exchange nothing; 2 is 500 ahead of 1, which is 1000 ahead of 0.
  std::vector<Trace> traces;
  for (const char* task : {"0", "1", "2", "3"})
    traces.push_back({.task = task, .host = std::string("host") + task, .names = {"0", "1", "2"}});
  const auto send = [&](uint32_t from, uint32_t to, int64_t sent, int64_t came) {
    traces[from].events.push_back(Message(Kind::kSend, to, sent, 1));
    traces[to].events.push_back(Message(Kind::kReceive, from, came, 1));
  };
  send(0, 1, 100, 1110);
  send(1, 0, 1200, 210);
  send(1, 2, 1300, 1820);
  send(2, 1, 1900, 1420);
  const Profile profile = AlignClocks(traces);
  EXPECT_EQ(profile.clocks[1].ahead, 1000);
  EXPECT_EQ(profile.clocks[1].uncertainty, 10);
  EXPECT_EQ(profile.clocks[2].ahead, 1500);
  EXPECT_EQ(profile.clocks[2].uncertainty, 30);
  EXPECT_FALSE(profile.clocks[3].known);
}

TEST(Profile, SummaryAddsUp) {
  const ProfileSummary summary = Summarize(AlignClocks(Pair(55'000, "b")));
  ASSERT_EQ(summary.steps.size(), 2u);
  EXPECT_EQ(summary.steps[0].step, 5u);
  const StepTime& time = summary.steps[1].by_task[0];
  EXPECT_DOUBLE_EQ(time.whole, 10);
  EXPECT_DOUBLE_EQ(time.input, 1);
  EXPECT_DOUBLE_EQ(time.compute, 5);
  EXPECT_DOUBLE_EQ(time.wait, 3);
  EXPECT_DOUBLE_EQ(time.callback, 1);
  EXPECT_DOUBLE_EQ(time.other(), 0);
  EXPECT_DOUBLE_EQ(summary.MeanOf(1).compute, 8);
  EXPECT_DOUBLE_EQ(summary.waits[0][1], 6);
  EXPECT_DOUBLE_EQ(summary.waits[1][0], 0);
  EXPECT_EQ(summary.steps[0].waiter, "worker 0");
  EXPECT_EQ(summary.steps[0].waited_for, "worker 1");
  EXPECT_DOUBLE_EQ(summary.by_task[1].memory_mib, 51);
  EXPECT_DOUBLE_EQ(summary.by_task[0].sent_mib, 2);
  ASSERT_EQ(summary.ops.size(), 1u);
  EXPECT_EQ(summary.ops[0].first, "MatMul");
  EXPECT_DOUBLE_EQ(summary.ops[0].second, 18);
  const std::string text = Describe(summary);
  EXPECT_NE(text.find("profile of steps 5 to 6"), std::string::npos) << text;
  EXPECT_NE(text.find("worker 0 for worker 1: 6.000"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(ToJson(summary));
  EXPECT_EQ(json["waits"][0]["ms"], 6);
  EXPECT_EQ(json["clocks"][1]["ahead_ns"], 55'000);
}

TEST(Profile, ChromeTraceHasEverything) {
  const auto trace = nlohmann::json::parse(ChromeTrace(AlignClocks(Pair(1'000'000, "b"))));
  std::map<std::string, int> names, phases;
  double last = 0;
  for (const auto& event : trace["traceEvents"]) {
    ++names[event["ph"] == "M" && event["args"].contains("name") ? event["args"]["name"]
                                                                 : event["name"]];
    ++phases[event["ph"]];
    if (event.contains("ts")) last = std::max(last, event["ts"].get<double>());
  }
  EXPECT_EQ(names["step 5"], 2);
  EXPECT_EQ(names["waits for worker 1"], 2);
  EXPECT_EQ(names["MatMul_7"], 4);
  EXPECT_EQ(names["memory"], 4);
  EXPECT_EQ(names["lane 0"], 2);
  EXPECT_EQ(names["from worker 0"], 4);  // begin and end of each
  EXPECT_EQ(phases["b"], phases["e"]);
  EXPECT_EQ(last, 19'000);  // the last callback, though one clock is a millisecond ahead
}

TEST(Profile, KindsOfOpsKeepDigitsOfTheirOwn) {
  EXPECT_EQ(KindOfOp("SelectV2_130"), "SelectV2");
  EXPECT_EQ(KindOfOp("SplitV_7"), "SplitV");
  EXPECT_EQ(KindOfOp("_FusedConv2D_18"), "_FusedConv2D");
  EXPECT_EQ(KindOfOp("AddV2"), "AddV2");
  EXPECT_EQ(KindOfOp("reduce_sum_3"), "reduce_sum");
  EXPECT_EQ(KindOfOp("_12"), "_12");
  EXPECT_EQ(KindOfOp(""), "");
}

TEST(Profile, OfNothingIsEmpty) {
  EXPECT_EQ(Describe(Summarize(AlignClocks({}))), "profile: no step was recorded\n");
  EXPECT_TRUE(nlohmann::json::parse(ChromeTrace(AlignClocks({})))["traceEvents"].empty());
}

TEST(Trace, GoesThroughBytes) {
  for (const Trace& trace : Pair(-5, "b"))
    EXPECT_EQ(base::DecodeTrace(Encode(trace)).value(), trace);
  const std::string bytes = Encode(Pair(0, "b")[0]);
  const auto cut = base::DecodeTrace(bytes.substr(0, bytes.size() - 3));
  EXPECT_EQ(cut.status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace lockstep::monitor
