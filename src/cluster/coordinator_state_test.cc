#include "cluster/coordinator_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "cluster/coordinator_messages.h"
#include "cluster/health.h"
#include "cluster/host_arbiter.h"
#include "cluster/join_board.h"
#include "cluster/membership_requests.h"

namespace lockstep::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Peer Worker(int index, Incarnation incarnation) {
  Peer peer;
  peer.incarnation = incarnation;
  peer.job = "worker";
  peer.index = index;
  peer.control = "host:" + std::to_string(7000 + index);
  peer.data = {"tcp=host:1"};
  peer.host = "host";
  peer.devices = 2;
  return peer;
}

Command OfTask(CommandKind kind, Incarnation by, uint64_t sequence, uint64_t epoch = 0) {
  Command command;
  command.kind = kind;
  command.by = by;
  command.sequence = sequence;
  command.epoch = epoch;
  return command;
}

// Two members, 10 and 11, in epoch 3; 12 waits.
State TwoMembers() {
  State state;
  state.stamp = {4, 17};
  state.group = 99;
  state.voters = {Worker(0, 10)};
  Command join;
  join.kind = CommandKind::kJoin;
  join.peers = {Worker(2, 12)};
  state.Apply(join);
  Command enter;
  enter.kind = CommandKind::kEpoch;
  enter.membership.epoch = 3;
  enter.membership.peers = {Worker(0, 10), Worker(1, 11)};
  enter.membership.reason = "why";
  state.Apply(enter);
  return state;
}

TEST(CoordinatorState, CarriesOutEachCommandOnce) {
  State state = TwoMembers();
  Command set = OfTask(CommandKind::kCompareAndSet, 10, 1);
  set.key = "k";
  set.value = "1";
  state.Apply(set);
  EXPECT_EQ(state.sessions.at(10).outcome, (Outcome{Code::kOk, "1"}));
  set.value = "other";
  state.Apply(set);  // the same asking again
  EXPECT_EQ(*state.job_values.Get("k"), "1");
  EXPECT_EQ(state.sessions.at(10).outcome, (Outcome{Code::kOk, "1"}));
  set.sequence = 2;  // expects no value, and there is one
  state.Apply(set);
  EXPECT_EQ(state.sessions.at(10).outcome, (Outcome{Code::kOk, "0"}));
  set.by = 77;  // a stranger
  state.Apply(set);
  EXPECT_FALSE(state.sessions.contains(77));
}

TEST(CoordinatorState, EndsWhatBelongsToAnEpochWithIt) {
  State state = TwoMembers();
  Command set = OfTask(CommandKind::kSet, 10, 1, 3);
  set.scope = Scope::kEpoch;
  set.key = "k";
  state.Apply(set);
  state.Apply(OfTask(CommandKind::kReady, 10, 2, 3));
  state.Apply(OfTask(CommandKind::kLeave, 11, 1, 3));
  Command arrive = OfTask(CommandKind::kArrive, 10, 3, 3);
  arrive.key = "b";
  state.Apply(arrive);
  EXPECT_NE(state.epoch_values.Get("k"), nullptr);
  EXPECT_EQ(state.barriers.Missing("b", state.membership.peers).size(), 1u);
  EXPECT_EQ(state.leaving.size(), 1u);
  Command enter;
  enter.kind = CommandKind::kEpoch;
  enter.membership.epoch = 4;
  enter.membership.peers = {Worker(0, 10), Worker(2, 12)};
  enter.membership.reason = "worker 1 left";
  state.Apply(enter);
  EXPECT_EQ(state.epoch_values.Get("k"), nullptr);
  EXPECT_EQ(state.barriers.Missing("b", state.membership.peers).size(), 2u);
  EXPECT_TRUE(state.ready.empty());
  EXPECT_TRUE(state.leaving.empty());
  EXPECT_TRUE(state.waiting.empty());
  EXPECT_FALSE(state.sessions.contains(11));
  set.sequence = 4;
  state.Apply(set);
  EXPECT_EQ(state.sessions.at(10).outcome.code, Code::kAborted);
  EXPECT_EQ(state.sessions.at(10).outcome.text,
            "[membership] the epoch must be the present one; got 3, now 4 (worker 1 left)");
  enter.membership.epoch = 4;  // epochs only rise
  enter.membership.peers = {};
  state.Apply(enter);
  EXPECT_EQ(state.membership.peers.size(), 2u);
}

TEST(Barriers, MeetAgainAndAgain) {
  const std::vector<Peer> members{Worker(0, 10), Worker(1, 11)};
  Barriers barriers;
  for (uint64_t meeting = 0; meeting < 3; ++meeting) {
    EXPECT_EQ(barriers.Arrive("b", 10, members), meeting);
    EXPECT_EQ(barriers.Arrive("b", 10, members), meeting);  // does not count twice
    EXPECT_FALSE(barriers.IsOver("b", meeting));
    EXPECT_EQ(barriers.Missing("b", members).at(0).index, 1);
    EXPECT_EQ(barriers.Arrive("b", 11, members), meeting);
    EXPECT_TRUE(barriers.IsOver("b", meeting));
  }
  EXPECT_FALSE(barriers.IsOver("c", 0));
}

// The quick ones go when they have met, and another epoch may begin before a slow one has asked.
TEST(Barriers, AreKnownToHaveBeenMetInAnEarlierEpoch) {
  const std::vector<Peer> members{Worker(0, 10), Worker(1, 11)};
  Barriers barriers;
  barriers.Enter(3);
  barriers.Arrive("end", 10, members);
  EXPECT_FALSE(barriers.IsOver("end", 3, 0));
  EXPECT_FALSE(barriers.HasMet("end"));
  barriers.Arrive("half", 10, members);
  barriers.Arrive("end", 11, members);
  EXPECT_TRUE(barriers.IsOver("end", 3, 0));
  for (const uint64_t epoch : {4, 5}) {
    barriers.Enter(epoch);
    EXPECT_TRUE(barriers.IsOver("end", 3, 0)) << epoch;
    EXPECT_FALSE(barriers.IsOver("end", 3, 1));
    EXPECT_FALSE(barriers.IsOver("end", epoch, 0));
    EXPECT_FALSE(barriers.IsOver("half", 3, 0));
    EXPECT_TRUE(barriers.HasMet("end"));
    FieldWriter writer;
    barriers.WriteTo(&writer);
    const std::string bytes = writer.Take();
    FieldReader reader(bytes);
    EXPECT_TRUE(Barriers::ReadFrom(&reader) == barriers);
    EXPECT_TRUE(reader.ok());
  }
}

TEST(KeyValueStore, LimitsWhatItHolds) {
  KeyValueStore store;
  EXPECT_TRUE(store.Set("k", std::string(KeyValueStore::kLongestValue, 'x')).ok());
  const Status value = store.Set("k", std::string(KeyValueStore::kLongestValue + 1, 'x'));
  EXPECT_EQ(value.code(), Code::kResourceExhausted);
  EXPECT_EQ(value.message(), "[key_value] a value must be at most 65536 bytes; got 65537 (key k)");
  EXPECT_EQ(store.Set(std::string(1025, 'k'), "").code(), Code::kResourceExhausted);
  Status full;
  for (int i = 0; i < 100 && full.ok(); ++i)
    full = store.Set(std::to_string(i), std::string(KeyValueStore::kLongestValue, 'x'));
  EXPECT_EQ(full.code(), Code::kResourceExhausted);
  EXPECT_LE(store.bytes(), KeyValueStore::kMostBytes);
  for (int i = 0; i < 100; ++i) store.Delete(std::to_string(i));
  store.Delete("k");
  EXPECT_EQ(store.bytes(), 0u);
}

std::string Encoded(const State& state) {
  FieldWriter writer;
  Write(state, &writer);
  return writer.Take();
}

TEST(CoordinatorMessages, ComeBackAsTheyWent) {
  State state = TwoMembers();
  Command arrive = OfTask(CommandKind::kArrive, 10, 1, 3);
  arrive.key = "b";
  Command set = OfTask(CommandKind::kSet, 11, 1, 3);
  set.key = std::string("\0k", 2);
  set.value = "v";
  set.expected = "e";
  state.Apply(arrive);
  state.Apply(set);
  const std::string text = Encoded(state);
  FieldReader reader(text);
  EXPECT_EQ(ReadState(&reader), state);
  EXPECT_TRUE(reader.done());

  AppendRequest append;
  append.to = 5;
  append.term = 6;
  append.leader = Worker(1, 11);
  append.form = AppendForm::kCommands;
  append.base = {1, 2};
  append.commands = {arrive, set};
  const AppendRequest back = DecodeAppendRequest(Encode(append)).OrThrow();
  EXPECT_EQ(back.leader, append.leader);
  EXPECT_EQ(back.base, append.base);
  ASSERT_EQ(back.commands.size(), 2u);
  EXPECT_EQ(back.commands[1].expected, "e");
  append.form = AppendForm::kState;
  append.state = std::make_shared<State>(state);
  EXPECT_EQ(*DecodeAppendRequest(Encode(append)).OrThrow().state, state);
}

TEST(CoordinatorMessages, HalfAMessageIsNone) {
  AppendRequest append;
  append.form = AppendForm::kState;
  append.state = std::make_shared<State>(TwoMembers());
  const std::string text = Encode(append);
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(DecodeAppendRequest(text.substr(0, size)).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(DecodeAppendRequest(text + "x").status().code(), Code::kInvalidArgument);
  // Lengths that ask for more memory than there is.
  base::SeededRandomness randomness(1);
  for (int i = 0; i < 2000; ++i) {
    std::string wrong = text;
    for (int j = 0; j < 4; ++j) wrong[randomness.Below(wrong.size())] = '\xff';
    (void)DecodeAppendRequest(wrong);
    (void)DecodeSubmit(wrong);
    (void)DecodeJoinRequest(wrong);
    (void)DecodeVoteReply(wrong);
  }
  Command epoch;
  epoch.kind = CommandKind::kEpoch;
  epoch.sequence = 1;
  EXPECT_EQ(DecodeSubmit(EncodeSubmit(epoch)).status().code(), Code::kInvalidArgument);
}

TEST(Handshake, NamesEveryDifferenceWithItsCure) {
  const Hello job{"0.1.0", "abc", "", "f00", 8, 4};
  EXPECT_TRUE(CompareHellos(job, job, "worker 2 at b:1").ok());
  Hello task = job;
  task.build = "";
  task.isa = "avx2";
  task.replicas = 4;
  const Status status = CompareHellos(job, task, "worker 2 at b:1");
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "[handshake] all tasks must be alike; got build none where the job has abc, isa avx2 "
            "where the job has none, replicas 4 where the job has 8 (worker 2 at b:1); copy the "
            "same liblockstep.so to every machine; give every task the same --isa; give every task "
            "the same --replicas");
  task = {"0.2.0", "abc", "", "f01", 8, 3};
  const std::string text = CompareHellos(job, task, "x").message();
  EXPECT_NE(text.find("version 0.2.0 where the job has 0.1.0"), std::string::npos);
  EXPECT_NE(text.find("program f01 where the job has f00"), std::string::npos);
  EXPECT_NE(text.find("tasks 3 where the job has 4"), std::string::npos);
}

TEST(Handshake, KnowsItsOwnBuild) {
  const Hello hello = LocalHello();
  EXPECT_EQ(hello.build.size(), 40u);
  EXPECT_EQ(hello.build.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(hello.build, LocalHello().build);
  EXPECT_EQ(std::count(hello.version.begin(), hello.version.end(), '.'), 2);
}

TEST(HostArbiter, JudgesProcessesOfThisHostOnly) {
  HostArbiter arbiter(::testing::TempDir());
  Peer self;
  DescribeProcess(&self);
  self.incarnation = 1;
  EXPECT_GT(self.process_start, 0u);
  Peer reused = self;  // the number of another process
  reused.incarnation = 2;
  reused.process_start -= 1;
  Peer gone = self;
  gone.incarnation = 3;
  gone.process = int64_t{1} << 40;
  Peer elsewhere = gone;
  elsewhere.incarnation = 4;
  elsewhere.host = "other";
  Peer unknown = gone;
  unknown.incarnation = 5;
  unknown.process_start = 0;
  const std::string path = ::testing::TempDir() + "/epochs";
  std::remove(path.c_str());
  EXPECT_FALSE(IsComingUp(::testing::TempDir()));
  HostArbiter another(::testing::TempDir());
  EXPECT_TRUE(IsComingUp(::testing::TempDir()));
  for (const uint64_t epoch : {3, 7, 5}) arbiter.NoteEpoch(epoch);
  std::vector<Incarnation> ended;
  uint64_t newest = 0;
  arbiter.Ask({self, reused, gone, elsewhere, unknown}, [&](const Arbiter::Verdict& verdict) {
    ended = verdict.ended;
    newest = verdict.newest_epoch;
  });
  EXPECT_EQ(ended, (std::vector<Incarnation>{2, 3}));
  EXPECT_EQ(newest, 7u);
  EXPECT_EQ(NewestEpochIn(::testing::TempDir()), 7u);
  EXPECT_FALSE(IsComingUp(::testing::TempDir()));
  HostArbiter().Ask({gone},
                    [&](const Arbiter::Verdict& verdict) { newest = verdict.newest_epoch; });
  EXPECT_EQ(newest, 0u);
  std::remove(path.c_str());
}

TEST(HostArbiter, TellsThatTheJobHasComeToItsEnd) {
  const std::string path = ::testing::TempDir() + "/finished";
  std::remove(path.c_str());
  HostArbiter arbiter(::testing::TempDir());
  const auto has_finished = [](HostArbiter& asked) {
    bool finished = false;
    asked.Ask({}, [&](const Arbiter::Verdict& verdict) { finished = verdict.has_finished; });
    return finished;
  };
  EXPECT_FALSE(has_finished(arbiter));
  arbiter.NoteFinished();
  HostArbiter another(::testing::TempDir()), of_no_job;
  EXPECT_TRUE(has_finished(another));
  EXPECT_FALSE(has_finished(of_no_job));
  std::remove(path.c_str());
}

TEST(HostArbiter, BelievesWhatALauncherTellsOfOtherHosts) {
  const std::string path = ::testing::TempDir() + "/ended";
  std::remove(path.c_str());
  Peer elsewhere;
  elsewhere.incarnation = 4;
  elsewhere.host = "boot.1.0/pid:[7]";
  elsewhere.process = 4711;
  elsewhere.process_start = 99;
  Peer lives = elsewhere;
  lives.incarnation = 5;
  lives.process_start = 100;
  HostArbiter arbiter(::testing::TempDir());
  Arbiter::Verdict got;
  const auto ask = [&] {
    arbiter.Ask({elsewhere, lives}, [&](const Arbiter::Verdict& verdict) { got = verdict; });
  };
  ask();
  EXPECT_TRUE(got.ended.empty());
  NoteEnded(::testing::TempDir(), {"boot.1.0/pid:[7]", 4711, 99, 1 << 20});
  ask();
  EXPECT_EQ(got.ended, std::vector<Incarnation>{4});
  EXPECT_EQ(got.newest_epoch, uint64_t{1} << 20);
  for (const char* text : {"", "host 1 2", "host x 2 3", "host 0 2 3", "host 1 0 3"}) {
    EXPECT_FALSE(EndedProcess::Parse(text)) << text;
  }
  std::remove(path.c_str());
}

TEST(HealthTable, TellsStuckFromSlowFromSilent) {
  const std::vector<Peer> peers{Worker(0, 10), Worker(1, 11), Worker(2, 12), Worker(3, 13)};
  HealthTable table;
  base::Time now{seconds(100)};
  table.Begin(peers, now);
  Progress progress;
  for (int i = 1; i <= 120; ++i) {
    now += milliseconds(100);
    progress.op = static_cast<uint64_t>(i);
    progress.step = static_cast<uint64_t>(i) / 10;
    table.Answered(peers[0], progress, now);
    if (i < 90) table.Answered(peers[1], progress, now);
    Progress old{1, 9, "input"};
    table.Answered(peers[2], old, now);
    Progress late = progress;
    late.op = 60;
    late.step = 6;
    table.Answered(peers[3], i < 60 ? progress : late, now);
  }
  const auto read = table.Read(peers, now, seconds(10));
  EXPECT_EQ(read[0].condition, Condition::kWell);
  EXPECT_EQ(read[1].condition, Condition::kSilent);
  EXPECT_EQ(read[2].condition, Condition::kStuck);
  EXPECT_EQ(read[3].condition, Condition::kSlow);
  EXPECT_EQ(read[2].ToString(), "worker 2 at host:7002: stuck for 11.9 s at step 1, op 9 (input)");
  EXPECT_EQ(read[1].ToString(), "worker 1 at host:7001: silent for 3.1 s at step 8, op 89");
  // Where all stand still nobody is stuck alone.
  for (const TaskHealth& health : table.Read(peers, now + seconds(1), seconds(60)))
    EXPECT_EQ(health.condition, Condition::kWell);
}

TEST(JoinBoard, SaysWhyATaskIsSilent) {
  const std::pair<Status, const char*> cases[] = {
      {Status(Code::kUnavailable, "failed to connect: Connection refused (b:1)"),
       "connection refused"},
      {Status(Code::kUnavailable, "timed out before receiving SETTINGS frame (b:1)"),
       "another program has its port"},
      {Status(Code::kUnavailable, "Ssl handshake failed: certificate verify failed (b:1)"),
       "has keys of another `lockstep cert`"},
      {Status(Code::kUnavailable, "Ssl handshake failed: wrong version number (b:1)"),
       "has no keys (LOCKSTEP_CREDENTIALS)"},
      {Status(Code::kUnavailable, "Socket closed (b:1)"),
       "closes a call without keys (LOCKSTEP_CREDENTIALS)"},
      {Status(Code::kUnavailable, "DNS resolution failed for b (b:1)"),
       "its host's name has no address"},
      {Status(Code::kDeadlineExceeded, "Deadline Exceeded (b:1)"), "no answer"},
      {Status(Code::kUnauthenticated, "x"), "has another token"},
      {Status(Code::kInternal, "x"), "x"}};
  for (const auto& [status, text] : cases) EXPECT_EQ(DescribeSilence(status), text);
}

TEST(JoinBoard, NamesWhoIsMissingWhereWhyAndSinceWhen) {
  const base::Time begin{seconds(5)};
  JoinBoard board({{"chief", 0, "a:1"}, {"worker", 0, "b:1"}, {"worker", 1, ""}}, begin);
  EXPECT_EQ(board.Text(begin + seconds(3)),
            "0 of 3 here; missing chief 0 at a:1, for 3 s; worker 0 at b:1, for 3 s; worker 1, for "
            "3 s");
  Peer chief = Worker(0, 10);
  chief.job = "chief";
  board.SetHere({chief});
  board.Note("worker", 0, "connection refused");
  EXPECT_EQ(board.Text(begin + seconds(12)),
            "1 of 3 here; missing worker 0 at b:1, connection refused, for 12 s; worker 1, for 12 "
            "s");
  board.SetHere({chief, Worker(0, 11), Worker(1, 12)});
  EXPECT_EQ(board.Text(begin + seconds(12)), "3 of 3 here");
}

}  // namespace
}  // namespace lockstep::cluster
