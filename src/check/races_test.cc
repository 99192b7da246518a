// Races between threads are told where they happen, and nothing else is.

#include "lockstep/check/races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/event_loop.h"
#include "base/thread_watch.h"
#include "check/race_reports_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/lock.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class RacesTest : public testing::Test, protected RaceReportsTest {
 protected:
  static Variable Named(const char* name, const Tensor& value) {
    return Variable(value, VariableOptions{.name = name});
  }
};

TEST_F(RacesTest, ALostUpdateIsToldWithAllPlaces) {
  const Variable shared = Named("shared", Scalar(0.0f));
  shared.AssignAdd(1);
  Tensor seen;
  uint32_t read_line = 0, write_line = 0;
  Interleave([&] { seen = shared.value(), read_line = __LINE__; },
             [&] { shared.AssignAdd(5), write_line = __LINE__; }, [&] { shared.Assign(seen + 1); });
  EXPECT_EQ(shared.value().scalar<float>(), 2);  // it has happened
  const RaceReport report = Only();
  EXPECT_EQ(report.kind, RaceReport::Kind::kLostUpdate);
  EXPECT_TRUE(report.certain);
  EXPECT_EQ(report.variable, "shared");
  EXPECT_EQ(report.read.version, 1u);
  EXPECT_EQ(report.written.version, 2u);
  EXPECT_EQ(report.read.line, read_line);
  EXPECT_EQ(report.written.line, write_line);
  EXPECT_NE(report.read.thread, report.written.thread);
  EXPECT_THAT(report.ToString(),
              MatchesRegex("lost update: `shared`, read at version 1 in races_test.cc:[0-9]+ by "
                           "thread [0-9]+, overwrites version 2 written in races_test.cc:[0-9]+ by "
                           "thread [0-9]+.*; use AssignAdd or Update.*"));
}

TEST_F(RacesTest, AValueThatWentThroughTheHostIsPossible) {
  const Variable shared = Named("shared", Scalar(0.0f));
  float seen = 0;
  Interleave([&] { seen = shared.value().scalar<float>(); }, [&] { shared.AssignAdd(5); },
             [&] { shared.Assign(seen + 1); });
  const RaceReport report = Only();
  EXPECT_FALSE(report.certain);
  EXPECT_THAT(report.ToString(), HasSubstr("possible lost update: `shared`, read at version 0"));
}

TEST_F(RacesTest, AValueKnownToComeFromElsewhereIsNone) {
  const Variable shared = Named("shared", Scalar(0.0f)), other = Named("other", Scalar(3.0f));
  Interleave([&] { shared.value(); }, [&] { shared.AssignAdd(5); },
             [&] { shared.Assign(other.value() * 2); });
  ExpectNone();
}

TEST_F(RacesTest, ValuesAreFollowedThroughFunctionsAndControlFlow) {
  const Variable shared = Named("shared", Scalar(1.0f));
  const Function read([&] { return shared.value() * 2; });
  const Function next([](const Tensor& x) {
    return WhileLoop([](const Tensors& v) { return Less(v[0], 9); },
                     [](const Tensors& v) { return Tensors{v[0] + 4}; }, {x})[0];
  });
  const Function assign([&](const Tensor& x) { return shared.Assign(x - 1); });
  Tensor seen;
  Interleave([&] { seen = next(read()); }, [&] { shared.AssignAdd(5); }, [&] { assign(seen); });
  EXPECT_EQ(shared.value().scalar<float>(), 9);
  const RaceReport report = Only();
  EXPECT_TRUE(report.certain);
  EXPECT_EQ(report.read.version, 0u);
  EXPECT_EQ(report.written.version, 1u);
  EXPECT_EQ(report.read.file, "races_test.cc");  // where it was traced
  EXPECT_EQ(report.assigned.file, "races_test.cc");
}

TEST_F(RacesTest, AThreadOfTheLibraryReadsForOthers) {
  if (!base::WatchesThreads()) GTEST_SKIP() << "the sanitizer watches the threads";
  const Variable shared = Named("shared", Scalar(1.0f));
  base::EventThread service;
  const auto serve = [&](const std::function<void()>& work) {
    Turns turns;
    service.executor().Post([&] {
      work();
      turns.End();
    });
    turns.Begin(1);
  };
  Tensor seen;
  serve([&] { seen = shared.value(); });
  shared.AssignAdd(1);
  serve([&] { shared.Assign(7.0f); });  // for whom it has read nothing
  ExpectNone();
  shared.AssignAdd(1);
  serve([&] { shared.Assign(seen * 2); });
  EXPECT_TRUE(Only().certain);
}

TEST_F(RacesTest, AFunctionThatAssignsANumberOfTheHost) {
  const Variable shared = Named("shared", Scalar(1.0f));
  const Function read([&] { return shared.value() * 2; });
  const Function assign([&](const Tensor& x) { return shared.Assign(x); });
  float seen = 0;
  Interleave([&] { seen = read().scalar<float>(); }, [&] { shared.AssignAdd(5); },
             [&] { assign(Scalar(seen)); });
  EXPECT_FALSE(Only().certain);
}

TEST_F(RacesTest, RaisingAssignsNothing) {
  SetRaceCheck(RaceCheck::kRaise);
  const Variable shared = Named("shared", Scalar(0.0f));
  const Function assign([&](const Tensor& x) { return shared.Assign(x); });
  Tensor seen;
  int raised = 0;
  const auto expect_error = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      ++raised;
      EXPECT_EQ(error.code(), Code::kFailedPrecondition);
      EXPECT_THAT(error.what(), HasSubstr("[race] lost update: `shared`, read at version 0"));
    }
  };
  Interleave([&] { seen = shared.value(); }, [&] { shared.AssignAdd(5); },
             [&] {
               expect_error([&] { shared.Assign(seen + 1); });
               expect_error([&] { assign(seen + 2); });
             });
  EXPECT_EQ(raised, 2);
  EXPECT_EQ(shared.value().scalar<float>(), 5);
  EXPECT_EQ(shared.version(), 1u);
}

TEST_F(RacesTest, IgnoringFindsNothing) {
  SetRaceCheck(RaceCheck::kIgnore);
  const Variable shared(Scalar(0.0f));
  Tensor seen;
  Interleave([&] { seen = shared.value(); }, [&] { shared.AssignAdd(5); },
             [&] { shared.Assign(seen + 1); });
  ExpectNone();
}

TEST_F(RacesTest, EqualRacesAreOneReport) {
  const Variable shared(Scalar(0.0f));
  for (int i = 0; i < 3; ++i) {
    Tensor seen;
    Interleave([&] { seen = shared.value(); }, [&] { shared.AssignAdd(5); },
               [&] { shared.Assign(seen + 1); });
  }
  EXPECT_EQ(Only().count, 3);
}

TEST_F(RacesTest, OneThreadNeverRaces) {
  const Variable w = Named("w", Scalar(1.0f));
  const Tensor best = w.value();
  const float host = best.scalar<float>();
  for (int i = 0; i < 3; ++i) w.AssignAdd(1);
  w.Assign(best);
  w.AssignAdd(1);
  w.Assign(best * 2);
  w.AssignAdd(1);
  w.Assign(host);
  ExpectNone();
}

TEST_F(RacesTest, AThreadThatIsJoinedHappensBefore) {
  if (!base::WatchesThreads()) GTEST_SKIP() << "the sanitizer watches the threads";
  const Variable w = Named("w", Scalar(1.0f));
  const Tensor best = w.value();
  const float host = best.scalar<float>();
  std::thread([&] {
    w.AssignAdd(5);
    std::thread([&] { w.AssignAdd(5); }).join();
  }).join();
  w.Assign(best + 1);
  std::thread([&] { w.Assign(best * 3); }).join();  // was started after it
  w.Assign(host);
  ExpectNone();
}

TEST_F(RacesTest, AnOrderThatIsToldHappensBefore) {
  const Variable w = Named("w", Scalar(1.0f));
  HappensBefore told;
  Tensor best;
  Interleave([&] { best = w.value(); },
             [&] {
               w.AssignAdd(5);
               told.Signal();
             },
             [&] {
               told.Wait();
               w.Assign(best + 1);
             });
  ExpectNone();
  // What comes after the signal is not before the wait.
  Interleave([&] { best = w.value(); },
             [&] {
               told.Signal();
               w.AssignAdd(5);
             },
             [&] {
               told.Wait();
               w.Assign(best + 1);
             });
  EXPECT_TRUE(Only().certain);
}

TEST_F(RacesTest, ALockAroundTheAssignmentAloneCuresNothing) {
  const Variable w = Named("w", Scalar(1.0f));
  Tensor seen;
  const auto locked = [&](const std::function<void()>& body) {
    const Lock lock(w);
    body();
  };
  Interleave([&] { seen = w.value(); }, [&] { locked([&] { w.AssignAdd(5); }); },
             [&] { locked([&] { w.Assign(seen + 1); }); });
  EXPECT_TRUE(Only().certain);
  // Rolling back to what was there is meant.
  Interleave([&] { seen = w.value(); }, [&] { locked([&] { w.AssignAdd(5); }); },
             [&] { locked([&] { w.Assign(seen); }); });
  ExpectNone();
}

TEST_F(RacesTest, AGradientThatMixesVersions) {
  const Variable w = Named("w", Scalar(3.0f));
  const auto gradient = [&](const std::function<void()>& between) {
    GradientTape tape;
    const Tensor first = w.value() * 2;
    between();
    return tape.Gradient(first * w.value(), w);
  };
  gradient([&] { w.AssignAdd(1); });  // its own doing
  ExpectNone();
  gradient([&] { std::thread([&] { w.AssignAdd(1); }).join(); });  // ordered by the join
  if (base::WatchesThreads()) ExpectNone();
  TakeRaceReports();
  Turns turns;
  std::thread other([&] {
    turns.Begin(1);
    w.AssignAdd(1);
    turns.End();
    turns.Begin(3);
  });
  gradient([&] {
    turns.End();
    turns.Begin(2);
  });
  turns.End();
  other.join();
  const RaceReport report = Only();
  EXPECT_EQ(report.kind, RaceReport::Kind::kMixedGradient);
  EXPECT_EQ(report.read.version, 2u);
  EXPECT_EQ(report.assigned.version, 3u);
  EXPECT_EQ(report.written.version, 3u);
  EXPECT_THAT(report.ToString(),
              HasSubstr("mixed gradient: `w`, read at version 2 in races_test.cc:"));
}

TEST_F(RacesTest, AGradientThatMixesVersionsThoughTheWriterWasJoinedLater) {
  const Variable w = Named("w", Scalar(3.0f));
  Turns turns;
  std::thread other([&] {
    turns.Begin(1);
    w.AssignAdd(1);
    turns.End();
  });
  GradientTape tape;
  const Tensor first = w.value() * 2;
  turns.End();
  turns.Begin(2);
  const Tensor loss = first * w.value();
  other.join();
  tape.Gradient(loss, w);
  EXPECT_EQ(Only().kind, RaceReport::Kind::kMixedGradient);
}

// The program of many questions: read, add 1, assign.
int WrongAndSilent(int runs, const std::function<void(const Variable&)>& task) {
  int silent = 0;
  for (int run = 0; run < runs; ++run) {
    const Variable shared(Scalar(0.0f));
    std::atomic<int> raised{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t) {
      threads.emplace_back([&] {
        try {
          task(shared);
        } catch (const Error&) {
          ++raised;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const bool told = raised > 0 || !TakeRaceReports().empty();
    silent += shared.value().scalar<float>() != 5 && !told;
  }
  return silent;
}

TEST_F(RacesTest, FiveThreadsAreNeverSilentlyWrong) {
  const auto directly = [](const Variable& v) { v.Assign(v.value() + 1); };
  const auto slowly = [](const Variable& v) {
    const Tensor local = v.value() + 1;
    std::this_thread::yield();
    v.Assign(local);
  };
  const auto through_host = [](const Variable& v) {
    const float local = v.value().scalar<float>() + 1;
    std::this_thread::yield();
    v.Assign(local);
  };
  for (const RaceCheck check : {RaceCheck::kWarn, RaceCheck::kRaise}) {
    SetRaceCheck(check);
    EXPECT_EQ(WrongAndSilent(100, directly), 0);
    EXPECT_EQ(WrongAndSilent(100, slowly), 0);
    EXPECT_EQ(WrongAndSilent(100, through_host), 0);
  }
}

TEST_F(RacesTest, NoAlarmInWhatIsRight) {
  SetRaceCheck(RaceCheck::kRaise);
  const auto add = [](const Variable& v) { v.AssignAdd(1); };
  const auto update = [](const Variable& v) { v.Update([](const Tensor& x) { return x + 1; }); };
  const auto lock = [](const Variable& v) {
    const Lock hold(v);
    v.Assign(v.value() + 1);
  };
  const auto function = [](const Variable& v) {
    Function([&] { return v.Assign(v.value() + 1); })();
  };
  const auto compare = [](const Variable& v) {
    for (Tensor seen = v.value(); !v.CompareAndAssign(seen, seen + 1).scalar<bool>();)
      seen = v.value();
  };
  for (const auto& task :
       std::vector<std::function<void(const Variable&)>>{add, update, lock, function, compare}) {
    EXPECT_EQ(WrongAndSilent(20, task), 0);
    ExpectNone();
  }
}

}  // namespace
}  // namespace lockstep
