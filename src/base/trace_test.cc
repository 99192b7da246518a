#include "base/trace.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/metrics.h"

namespace lockstep::base {
namespace {

using Kind = TraceEvent::Kind;

class HandClock final : public Clock {
 public:
  Time Now() const override { return Time(Duration(now)); }
  int64_t now = 0;
};

TEST(TraceRecorder, RecordsWhileItIsTheCurrentOne) {
  HandClock clock;
  EXPECT_EQ(TraceRecorder::Current(), nullptr);
  TraceRecorder recorder(clock);
  recorder.Begin();
  EXPECT_EQ(TraceRecorder::Current(), &recorder);
  std::thread([] { EXPECT_EQ(TraceRecorder::Current(), nullptr); }).join();
  recorder.SetPeers({"chief 0", "worker 0"});
  recorder.BeginStep(3);
  recorder.Enter("input");
  clock.now = 10;
  recorder.Enter("step");
  recorder.Wait("kernel", 0, Time(Duration(12)), Time(Duration(15)));
  recorder.Wait("kernel", -1, Time(Duration(15)), Time(Duration(16)));
  clock.now = 20;
  recorder.EndStep();
  recorder.EndStep();  // none is open
  recorder.BeginStep(4);
  recorder.DropStep();
  const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"MatMul_1", "Relu_2"});
  const uint32_t first = recorder.NamesOf(names);
  EXPECT_EQ(recorder.NamesOf(names), first);
  recorder.Op(1, first + 1, Time(Duration(11)), Time(Duration(14)));
  recorder.Message(Kind::kSend, 1, 4096, 77);
  const Trace trace = recorder.End("worker 0");
  EXPECT_EQ(TraceRecorder::Current(), nullptr);
  EXPECT_EQ(trace.task, "worker 0");
  EXPECT_EQ(trace.host, ClockHost());
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == Kind::kMemory) {
      EXPECT_GT(event.value, 0u);
      continue;
    }
    lines.push_back(std::to_string(static_cast<int>(event.kind)) + " " + trace.NameOf(event.name) +
                    " " + trace.NameOf(event.peer) + " " + std::to_string(event.begin) + "+" +
                    std::to_string(event.length) + " " + std::to_string(event.value) + " " +
                    std::to_string(event.id));
  }
  EXPECT_EQ(lines,
            (std::vector<std::string>{"1 input  0+10 0 0", "0   0+20 3 0", "1 step  10+10 0 0",
                                      "3 Relu_2  11+3 0 0", "2 kernel chief 0 12+3 0 0",
                                      "2 kernel  15+1 0 0", "5  worker 0 20+0 4096 77"}));
}

TEST(TraceRecorder, ForgetsWhatThereIsNoRoomFor) {
  HandClock clock;
  TraceRecorder recorder(clock);
  const uint32_t name = recorder.NameOf("op");
  for (size_t i = 0; i < TraceRecorder::kMostEvents + 3; ++i)
    recorder.Op(0, name, clock.Now(), clock.Now());
  recorder.Op(TraceRecorder::kMostLanes, name, clock.Now(), clock.Now());
  const Trace trace = recorder.End("worker 0");
  EXPECT_EQ(trace.dropped, 3u);
}

TEST(Metrics, AreReadAsTheyWereSet) {
  Metrics metrics;
  EXPECT_FALSE(metrics.watched());
  metrics.Counter("b_total", "B.", {{"peer", "worker 1"}}).Add(2.5);
  metrics.Counter("b_total", "B.", {{"peer", "worker 0"}}).Add(1);
  metrics.Counter("b_total", "B.", {{"peer", "worker 1"}}).Add(0.5);
  metrics.Gauge("a", "A.").Set(-7);
  HistogramMetric& histogram = metrics.Histogram("c", "C.", {1, 2});
  for (const double value : {0.5, 1.0, 1.5, 9.0}) histogram.Observe(value);
  histogram.Observe(2, 3);
  auto samples = metrics.Read();
  EXPECT_TRUE(metrics.watched());
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_EQ(samples[0].name, "a");
  EXPECT_EQ(samples[0].value, -7);
  EXPECT_EQ(samples[1].labels, (MetricLabels{{"peer", "worker 1"}}));
  EXPECT_EQ(samples[1].value, 3);
  EXPECT_EQ(samples[2].value, 1);
  EXPECT_EQ(samples[3].counts, (std::vector<uint64_t>{2, 4, 1}));
  EXPECT_EQ(samples[3].value, 18);
  EXPECT_EQ(samples[3].count(), 7u);
  EXPECT_EQ(samples[4].name, "lockstep_resident_memory_bytes");
  EXPECT_GT(samples[4].value, 0);
  const std::string bytes = Encode(samples);
  EXPECT_EQ(DecodeMetrics(bytes).value(), samples);
  EXPECT_EQ(DecodeMetrics(bytes.substr(0, bytes.size() - 1)).status().code(), Code::kDataLoss);
}

TEST(Metrics, BelongToTheScopeOfAThread) {
  EXPECT_EQ(MetricsScope::Current(), nullptr);
  const auto outer = std::make_shared<Metrics>(), inner = std::make_shared<Metrics>();
  {
    const MetricsScope first(outer);
    {
      const MetricsScope second(inner);
      EXPECT_EQ(MetricsScope::Current(), inner);
    }
    EXPECT_EQ(MetricsScope::Current(), outer);
  }
  EXPECT_EQ(MetricsScope::Current(), nullptr);
}

}  // namespace
}  // namespace lockstep::base
