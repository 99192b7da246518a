// Races of clients about variables of servers are told to who loses an update, and nothing else is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/error_of_test.h"
#include "base/thread_watch.h"
#include "check/race_reports_test.h"
#include "distribute/servers/served_cluster_test.h"
#include "lockstep/check/races.h"
#include "lockstep/distribute/coordinator.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/session.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class ServerRaces : public ServedCluster, protected RaceReportsTest {
 protected:
  void SetUp() override {
    ServedCluster::SetUp();
    if (IsSkipped()) return;
    const auto scope = graph.AsDefault();
    {
      const Device placed("/job:ps/task:1");
      w = Variable(0.f, {.name = "w"});
    }
    given = Placeholder(DType::kFloat32, {}, "given");
    assign = w.Assign(given);
    add = w.AssignAdd(Scalar(1.f));
    twice = w.Assign(w.value() * 2.f);
    session = std::make_unique<Session>(servers[0]->target(),
                                        SessionOptions{.graph = std::make_shared<Graph>(graph)});
    other = std::make_unique<Session>(servers[1]->target(),
                                      SessionOptions{.graph = std::make_shared<Graph>(graph)});
    session->Run({graph.GlobalVariablesInitializer()});
  }
  float Value() const { return session->Eval(w).scalar<float>(); }

  const Graph graph;
  Variable w;
  Tensor given, add, assign, twice;
  std::unique_ptr<Session> session, other;
};

TEST_F(ServerRaces, ALostUpdateIsToldWithAllPlaces) {
  session->Run({add});
  Tensor seen;
  Interleave([&] { seen = session->Eval(w); }, [&] { other->Run({add}); },
             [&] {
               session->Run({assign}, {{given, seen + 1.f}});
             });
  const RaceReport report = Only();
  EXPECT_THAT(report.ToString(),
              MatchesRegex("lost update: `w`, read at version 2 in server_races_test.cc:[0-9]+ by "
                           "thread 1, overwrites version 3 written in server_races_test.cc:[0-9]+ "
                           "by thread [0-9]+ \\(assigned in server_races_test.cc:[0-9]+\\); .*"));
  EXPECT_TRUE(report.certain);
  EXPECT_EQ(report.written.line, report.read.line);
  EXPECT_EQ(report.assigned.line, report.read.line + 2);
  EXPECT_EQ(Value(), 2);  // it was only told
}

TEST_F(ServerRaces, WhatIsRefusedIsNotAssigned) {
  SetRaceCheck(RaceCheck::kRaise);
  Tensor seen;
  const auto lose = [&] {
    Interleave([&] { seen = session->Eval(w); }, [&] { other->Run({add}); },
               [&] {
                 session->Run({assign}, {{given, seen + 10.f}});
               });
  };
  ExpectError(Code::kFailedPrecondition, "lost update: `w`, read at version 1 in server_races",
              lose);
  EXPECT_EQ(Value(), 1);
  // The refused run has left nothing behind: neither locks nor a trace in the log.
  TakeRaceReports();
  session->Run({assign}, {{given, session->Eval(w) + 10.f}});
  EXPECT_EQ(Value(), 11);
  ExpectNone();
}

TEST_F(ServerRaces, AValueThatWentThroughTheHostIsPossiblyLost) {
  float seen = 0;
  Interleave([&] { seen = session->Eval(w).scalar<float>(); }, [&] { other->Run({add}); },
             [&] {
               session->Run({assign}, {{given, Scalar(seen + 1.f)}});
             });
  EXPECT_THAT(Only().ToString(), HasSubstr("possible lost update: `w`, read at version 1"));
}

// The server writes what it has computed from one version, while another client writes between two
// ops of the run.
TEST_F(ServerRaces, WhatTasksHandToEachOtherIsFollowed) {
  Tensor roundabout;
  {
    const auto scope = graph.AsDefault();
    const Device elsewhere("/job:ps/task:0");
    roundabout = w.value() + given;
  }
  Tensor value;
  Interleave(
      [&] {
        value = session->Eval(roundabout, {{given, Scalar(3.f)}});
      },
      [&] { other->Run({add}); },
      [&] {
        session->Run({assign}, {{given, value}});
      });
  EXPECT_THAT(Only().ToString(), MatchesRegex("lost update: `w`, read at version 1 in .*"));
}

TEST_F(ServerRaces, WhatIsOrderedIsNoRace) {
  if (!base::WatchesThreads()) GTEST_SKIP() << "the sanitizer watches the threads";
  // One client in sequence.
  const Tensor seen = session->Eval(w);
  session->Run({add});
  session->Run({assign}, {{given, seen + 1.f}});
  ExpectNone();
  // Another one that has been waited for.
  const Tensor before = session->Eval(w);
  std::thread([&] { other->Run({add}); }).join();
  session->Run({assign}, {{given, before + 1.f}});
  ExpectNone();
  // Somebody says so.
  HappensBefore done;
  const Tensor earlier = session->Eval(w);
  Interleave([] {},
             [&] {
               other->Run({add});
               done.Signal();
             },
             [&] {
               done.Wait();
               session->Run({assign}, {{given, earlier + 1.f}});
             });
  ExpectNone();
}

TEST_F(ServerRaces, WhatReadsAndWritesInOneStepLosesNothing) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Session& own = i % 2 == 0 ? *session : *other;
      for (int k = 0; k < 50; ++k) {
        own.Eval(w);
        own.Run({k % 2 == 0 ? add : twice});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ExpectNone();
}

TEST_F(ServerRaces, WhatNobodyWantsToKnowIsNotFollowed) {
  SetRaceCheck(RaceCheck::kIgnore);
  Tensor seen;
  Interleave([&] { seen = session->Eval(w); }, [&] { other->Run({add}); },
             [&] {
               session->Run({assign}, {{given, seen + 1.f}});
             });
  ExpectNone();
}

TEST_F(ServerRaces, WhatWasTakenBackHasNeverBeen) {
  Tensor failing, index;
  {
    const auto scope = graph.AsDefault();
    const Device elsewhere("/job:ps/task:0");
    index = Placeholder(DType::kInt32, {}, "index");
    const ControlDependencies after({add});
    failing = Gather(Tensor({1, 2}), index);
  }
  EXPECT_EQ(session->Eval(failing, {{index, Scalar(0)}}).scalar<float>(), 1);
  Tensor seen;
  Interleave([&] { seen = session->Eval(w); },
             [&] {
               ExpectError(Code::kInvalidArgument, "Gather", [&] {
                 other->Run({failing}, {{index, Scalar(7)}});
               });
             },
             [&] {
               session->Run({add});
               session->Run({assign}, {{given, seen + 1.f}});
             });
  ExpectNone();
}

// ---- two processes

constexpr char kTarget[] = "LOCKSTEP_TEST_TARGET";

// The variables of both programs.
struct Shared {
  Shared() {
    const auto scope = graph.AsDefault();
    value = Variable(0.f, {.name = "value"});
    turn = Variable(0.f, {.name = "turn"});
    given = Placeholder(DType::kFloat32, {}, "given");
    assign = value.Assign(given);
    add = value.AssignAdd(Scalar(10.f));
    next = turn.AssignAdd(Scalar(1.f));
  }
  Session Open(const std::string& target) const {
    return Session(target, {.graph = std::make_shared<Graph>(graph)});
  }
  // The check does not see that this waits.
  void WaitFor(const Session& session, float when) const {
    while (session.Eval(turn).scalar<float>() != when) std::this_thread::yield();
  }
  const Graph graph;
  Variable value, turn;
  Tensor given, assign, add, next;
};

// The other process: its update is lost in turn 1, and it would lose one in turn 3.
void ActAsOther(const std::string& target) {
  const Shared shared;
  const Session session = shared.Open(target);
  shared.WaitFor(session, 1);
  session.Run({shared.add});
  session.Run({shared.next});
  shared.WaitFor(session, 3);
  const Tensor seen = session.Eval(shared.value);
  session.Run({shared.next});
  shared.WaitFor(session, 5);
  SetRaceCheck(RaceCheck::kRaise);
  const auto lose = [&] { session.Run({shared.assign}, {{shared.given, seen + 1.f}}); };
  ExpectError(Code::kFailedPrecondition,
              " by thread 1 of process " + std::to_string(getppid()) + " on ", lose);
}

TEST(RacesOfProcesses, AreToldWithBothPlaces) {
  if (const char* target = std::getenv(kTarget)) return ActAsOther(target);
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const std::string address = "unix:" + testing::TempDir() + "lockstep-races-" +
                              std::to_string(static_cast<unsigned long long>(getpid()));
  const Server server(ClusterSpec({{"ps", {address}}}), "ps", 0);
  SetRaceCheck(RaceCheck::kWarn);
  TakeRaceReports();
  const Shared shared;
  const Session session = shared.Open(server.target());
  session.Run({shared.graph.GlobalVariablesInitializer()});
  setenv(kTarget, server.target().c_str(), 1);
  const pid_t other = fork();
  if (other == 0) {
    execl("/proc/self/exe", "other", "--gtest_filter=RacesOfProcesses.AreToldWithBothPlaces",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  unsetenv(kTarget);
  const Tensor seen = session.Eval(shared.value);
  session.Run({shared.next});
  shared.WaitFor(session, 2);
  session.Run({shared.assign}, {{shared.given, seen + 1.f}});
  const auto reports = TakeRaceReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_THAT(reports[0].ToString(),
              MatchesRegex("lost update: `value`, read at version 1 in server_races_test.cc:[0-9]+ "
                           "by thread 1, overwrites version 2 written in "
                           "server_races_test.cc:[0-9]+ by thread 1 of process " +
                           std::to_string(other) + " on .*; use AssignAdd, .*"));
  EXPECT_EQ(session.Eval(shared.value).scalar<float>(), 1);
  session.Run({shared.next});
  shared.WaitFor(session, 4);
  session.Run({shared.add});
  session.Run({shared.next});
  int status = -1;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(session.Eval(shared.value).scalar<float>(), 11);  // nothing of the other one's
}

// ---- functions of a coordinator

class FunctionRaces : public ServerRaces {
 protected:
  void SetUp() override {
    ServerRaces::SetUp();
    if (IsSkipped()) return;
    coordinator = std::make_unique<ClusterCoordinator>(cluster);
    const auto scope = coordinator->scope();
    v = Variable(0.f, {.name = "v"});
    count = Function([this](const std::vector<Tensor>&) {
      return std::vector<Tensor>{v.AssignAdd(Scalar(1.f))};
    });
  }
  std::unique_ptr<ClusterCoordinator> coordinator;
  Variable v;
  Function count{[](const std::vector<Tensor>& x) { return x; }};
};

TEST_F(FunctionRaces, AFunctionsUpdateIsLost) {
  const Tensor seen = v.value();
  coordinator->Schedule(count);
  while (v.value().scalar<float>() != 1) std::this_thread::yield();
  v.Assign(seen + 5.f);
  EXPECT_THAT(Only().ToString(),
              MatchesRegex("lost update: `v`, read at version 1 in server_races_test.cc:[0-9]+ "
                           "by thread 1, overwrites version 2 written in "
                           "server_races_test.cc:[0-9]+ by a function .*"));
  coordinator->Join();
}

TEST_F(FunctionRaces, WhatWasWaitedForIsNoRace) {
  Tensor seen = v.value();
  coordinator->Schedule(count);
  coordinator->Join();
  v.Assign(seen + 5.f);
  seen = v.value();
  coordinator->Schedule(count).Fetch();
  v.Assign(seen + 5.f);
  seen = v.value();
  for (int i = 0; i < 20; ++i) {
    coordinator->Schedule(count);
    v.AssignAdd(1.f);
  }
  coordinator->Join();
  ExpectNone();
}

TEST_F(FunctionRaces, AFunctionLosesWhatTheChiefHasWritten) {
  SetRaceCheck(RaceCheck::kRaise);
  const Tensor seen = v.value();
  const Function set(
      [&](const std::vector<Tensor>& x) { return std::vector<Tensor>{v.Assign(x[0] + 1.f)}; });
  Interleave([] {}, [&] { v.AssignAdd(2.f); },
             [&] {
               coordinator->Schedule(set, {seen});
               ExpectError(Code::kFailedPrecondition, "lost update: `",
                           [&] { coordinator->Join(); });
             });
  EXPECT_EQ(v.value().scalar<float>(), 2);
}

}  // namespace
}  // namespace lockstep
