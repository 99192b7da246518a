#include "net/rank_processes.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>
#include <sstream>

namespace lockstep::net {
namespace {

using std::chrono::seconds;

std::byte PatternByte(uint64_t step, int rank, size_t i) {
  return static_cast<std::byte>(step * 13 + static_cast<uint64_t>(rank) * 101 + i / 64);
}

// What runs in a child: exchanges with all others, step after step, until told otherwise.
class Rank {
 public:
  Rank(const RankProcessOptions& options, int number, int from_parent, int to_parent)
      : options_(options), from_parent_(from_parent), to_parent_(to_parent) {
    PortOptions port_options = options.port;
    if (options.mixes_roads && number % 2 == 1) port_options.use_shared_memory = false;
    auto port = Port::Open(loop_, port_options);
    if (!port.ok()) {
      Say("wrong " + port.status().message());
      _exit(1);
    }
    port_ = std::move(*port);
    loop_.WatchFile(from_parent, true, false, [this](base::FileEvents) { ReadOrders(); });
    Say("at " + port_->address());
  }
  void Live() { loop_.Run(); }

 private:
  void Say(const std::string& line) {
    const std::string text = line + "\n";
    if (write(to_parent_, text.data(), text.size()) < 0) _exit(1);
  }
  void SayNow(const char* word, Epoch epoch, const std::string& text) {
    Say(std::string(word) + " " + std::to_string(epoch) + " " +
        std::to_string(loop_.Now().time_since_epoch().count()) + " " + text);
  }

  void ReadOrders() {
    char bytes[4096];
    const ssize_t size = read(from_parent_, bytes, sizeof(bytes));
    if (size <= 0) _exit(0);
    orders_.append(bytes, static_cast<size_t>(size));
    for (size_t end; (end = orders_.find('\n')) != std::string::npos;) {
      const std::string line = orders_.substr(0, end);
      orders_.erase(0, end + 1);
      Begin(line);
    }
  }

  // "EPOCH RANK ADDRESS;ADDRESS;..."
  void Begin(const std::string& line) {
    std::istringstream words(line);
    Membership membership;
    words >> membership.id >> membership.rank;
    for (std::string address; std::getline(words >> std::ws, address, ';');)
      membership.addresses.push_back(address);
    epoch_ = membership.id;
    step_ = 0;
    received_.clear();
    if (transport_ == nullptr || !options_.keep_transport) {
      transport_.reset();
      auto transport = port_->Join(membership);
      if (!transport.ok()) return Say("wrong " + transport.status().message());
      transport_ = std::move(*transport);
      transport_->WatchAborts([this](Epoch epoch, const Abort& abort) {
        SayNow("abort", epoch,
               std::string(CodeName(abort.reason.code())) + " " + abort.reason.message());
      });
    }
    transport_->Listen(Channel::kTest,
                       [this](int from, const Message& message) { return Take(from, message); });
    transport_->EnterEpoch(membership.id);
    received_.resize(transport_->num_ranks());
    SendStep();
  }

  void SendStep() {
    auto header = std::make_shared<Bytes>(8);
    std::memcpy(header->data(), &step_, 8);
    Block block = transport_->Allocate(options_.body_bytes);
    for (size_t i = 0; i < block.bytes.size(); ++i)
      block.bytes[i] = PatternByte(step_, transport_->rank(), i);
    const Payload body(block);
    for (int to = 0; to < transport_->num_ranks(); ++to)
      if (to != transport_->rank()) transport_->Send(to, {epoch_, Channel::kTest, header, body});
  }

  Receipt Take(int from, const Message& message) {
    uint64_t step = 0;
    std::memcpy(&step, message.payload.data(), 8);
    if (step != received_[from]) Say("wrong step");
    ++received_[from];
    if (message.body.size() != options_.body_bytes) Say("wrong size");
    for (size_t i = 0; i < message.body.size(); ++i) {
      if (message.body.data()[i] == PatternByte(step, from, i)) continue;
      Say("wrong byte " + std::to_string(i) + " of step " + std::to_string(step));
      break;
    }
    for (int rank = 0; rank < transport_->num_ranks(); ++rank)
      if (rank != transport_->rank() && received_[rank] <= step_) return Receipt::kTaken;
    if (step_++ == 0) SayNow("step", epoch_, "");
    SendStep();
    return Receipt::kTaken;
  }

  const RankProcessOptions options_;
  const int from_parent_, to_parent_;
  base::EventLoop loop_;
  std::unique_ptr<Port> port_;
  std::unique_ptr<Transport> transport_;
  std::string orders_;
  Epoch epoch_ = 0;
  uint64_t step_ = 0;
  std::vector<uint64_t> received_;  // steps, by rank
};

}  // namespace

int RankProcesses::Start() {
  int down[2], up[2];
  EXPECT_EQ(pipe(down), 0);
  EXPECT_EQ(pipe(up), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(down[1]);
    close(up[0]);
    for (const Child& other : children_) close(other.to), close(other.from);
    Rank(options_, static_cast<int>(children_.size()), down[0], up[1]).Live();
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  children_.push_back({pid, down[1], up[0], "", ""});
  Child& child = children_.back();
  std::string line;
  EXPECT_TRUE(ReadLine(child, &line, Now() + seconds(20)));
  EXPECT_TRUE(line.starts_with("at ")) << line;
  if (line.size() > 3) child.address = line.substr(3);
  return static_cast<int>(children_.size()) - 1;
}

RankProcesses::~RankProcesses() {
  for (Child& child : children_) {
    close(child.to);
    close(child.from);
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
  }
}

void RankProcesses::Begin(uint64_t epoch, const std::vector<int>& members) {
  std::string addresses;
  for (int member : members) addresses += children_[member].address + ";";
  for (size_t rank = 0; rank < members.size(); ++rank) {
    const std::string line =
        std::to_string(epoch) + " " + std::to_string(rank) + " " + addresses + "\n";
    EXPECT_EQ(write(children_[members[rank]].to, line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
  }
}

bool RankProcesses::ReadLine(Child& child, std::string* line, base::Time until) {
  while (true) {
    if (const size_t end = child.buffer.find('\n'); end != std::string::npos) {
      *line = child.buffer.substr(0, end);
      child.buffer.erase(0, end + 1);
      return true;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Now()).count();
    pollfd watched{child.from, POLLIN, 0};
    if (left <= 0 || poll(&watched, 1, static_cast<int>(left)) <= 0) return false;
    char bytes[4096];
    const ssize_t size = read(child.from, bytes, sizeof(bytes));
    if (size <= 0) return false;
    child.buffer.append(bytes, static_cast<size_t>(size));
  }
}

Report RankProcesses::Await(int process, const std::string& word, uint64_t epoch,
                            base::Duration limit) {
  Report report;
  if (!TryAwait(process, word, epoch, limit, &report))
    ADD_FAILURE() << "process " << process << " did not say " << word << " of epoch " << epoch;
  return report;
}

bool RankProcesses::TryAwait(int process, const std::string& word, uint64_t epoch,
                             base::Duration limit, Report* found) {
  const base::Time until = Now() + limit;
  std::string line;
  while (ReadLine(children_[process], &line, until)) {
    std::istringstream words(line);
    Report report;
    int64_t when = 0;
    words >> report.word >> report.epoch >> when;
    if (report.word == "wrong") {
      ADD_FAILURE() << "process " << process << ": " << line;
      return false;
    }
    std::getline(words >> std::ws, report.text);
    report.when = base::Time(base::Duration(when));
    if (report.word != word || report.epoch != epoch) continue;
    *found = report;
    return true;
  }
  return false;
}

void RankProcesses::Signal(int process, int signal) { kill(children_[process].pid, signal); }

// ---- the tests ---------------------------------------------------------------------------------

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Road { kSharedMemory, kTls, kMixed };

std::string NameOf(Road road) {
  constexpr const char* kNames[] = {"SharedMemory", "Tls", "Mixed"};
  return kNames[static_cast<int>(road)];
}

class ProcessesTest : public ::testing::TestWithParam<Road> {
 protected:
  // By default limits are wide: the machine may be busy with other tests.
  static RankProcessOptions Options(base::Duration silence) {
    static const Credentials credentials = MakeCredentials().value();
    RankProcessOptions options;
    options.port.shared_memory.beat_limit = silence;
    options.port.tcp.limits.silence = silence;
    options.port.tcp.limits.beat_interval = silence / 5;
    options.port.use_shared_memory = GetParam() != Road::kTls;
    if (GetParam() != Road::kSharedMemory) options.port.tcp.listen = "127.0.0.1:0";
    options.port.credentials = credentials;
    options.mixes_roads = GetParam() == Road::kMixed;
    return options;
  }
  void Wait(base::Duration time) {
    poll(nullptr, 0, static_cast<int>(std::chrono::duration_cast<milliseconds>(time).count()));
  }
  static double Since(base::Time begin, const Report& report) {
    return base::Milliseconds(report.when - begin);
  }
};

// The name under which an address's process can be reached in shared memory; empty: by none.
std::string SharedName(const std::string& address) {
  const size_t begin = address.find("lockstep-");
  if (begin == std::string::npos) return "";
  return address.substr(begin, address.find(' ', begin) - begin);
}

// How many of these names are still those of files in /dev/shm or of sockets.
int StillThere(const std::set<std::string>& names) {
  int count = 0;
  for (const char* command : {"ls /dev/shm 2>/dev/null", "cat /proc/net/unix"}) {
    std::FILE* output = popen(command, "r");
    char line[512];
    while (std::fgets(line, sizeof(line), output) != nullptr) {
      for (const std::string& name : names) count += std::strstr(line, name.c_str()) != nullptr;
    }
    pclose(output);
  }
  return count;
}

TEST_P(ProcessesTest, SurvivorsHearOfAKilledRankAtOnceAndGoOnWithoutIt) {
  std::set<std::string> names;
  {
    RankProcesses ranks(Options(seconds(20)));
    const auto start = [&] {
      const int process = ranks.Start();
      const std::string name = SharedName(ranks.address(process));
      EXPECT_FALSE(name.empty() && GetParam() == Road::kSharedMemory) << ranks.address(process);
      if (!name.empty()) names.insert(name);
      return process;
    };
    for (int i = 0; i < 4; ++i) start();
    EXPECT_EQ(StillThere(names), static_cast<int>(names.size()));
    uint64_t epoch = 1;
    std::vector<int> members = {0, 1, 2, 3};
    for (int round = 0; round < 3; ++round) {
      ranks.Begin(epoch, members);
      for (int member : members) ranks.Await(member, "step", epoch);
      Wait(milliseconds(10 + 7 * round));
      const int victim = members[1];
      const base::Time killed = ranks.Now();
      ranks.Signal(victim, SIGKILL);
      std::erase(members, victim);
      double heard = 0;
      for (int member : members) {
        const Report report = ranks.Await(member, "abort", epoch);
        const bool is_shared = report.text.starts_with(
            "Unavailable [net] rank 1 must outlive the epoch; got the end of its process (shared "
            "memory, rank ");
        const bool is_tls = report.text.starts_with(
            "Unavailable [net] rank 1 must keep its connection during an epoch; got ");
        EXPECT_TRUE(GetParam() == Road::kMixed ? is_shared || is_tls
                    : is_tls                   ? GetParam() == Road::kTls
                                               : is_shared)
            << report.text;
        heard = std::max(heard, Since(killed, report));
      }
      EXPECT_LT(heard, 10000);  // sooner than by its silence
      members.push_back(start());
      const base::Time began = ranks.Now();
      ranks.Begin(++epoch, members);
      double resumed = 0;
      for (int member : members)
        resumed = std::max(resumed, Since(began, ranks.Await(member, "step", epoch)));
      std::printf("killed: all heard after %.1f ms, new epoch's first step %.1f ms\n", heard,
                  resumed);
      ++epoch;
    }
  }
  EXPECT_EQ(StillThere(names), 0);
}

TEST_P(ProcessesTest, AStoppedRankIsToldByItsSilenceAndMayComeBack) {
  RankProcessOptions options = Options(milliseconds(1000));
  options.keep_transport = true;
  options.body_bytes = 1 << 20;
  RankProcesses ranks(options);
  for (int i = 0; i < 3; ++i) ranks.Start();
  ranks.Begin(1, {0, 1, 2});
  for (int i = 0; i < 3; ++i) ranks.Await(i, "step", 1);
  const base::Time stopped = ranks.Now();
  ranks.Signal(2, SIGSTOP);
  for (int i : {0, 1}) {
    const Report report = ranks.Await(i, "abort", 1);
    const bool is_shared =
        report.text.starts_with("Unavailable [net] rank 2 must beat within 1000.0 ms; got silence");
    const bool is_tls = report.text.find("got silence for ") != std::string::npos &&
                        report.text.find("where 1000.0 ms are allowed") != std::string::npos;
    EXPECT_TRUE(is_shared || is_tls) << report.text;
    EXPECT_GE(Since(stopped, report), 60);  // a while may have passed since its last word
    std::printf("stopped: rank %d heard after %.1f ms\n", i, Since(stopped, report));
  }
  // It stays out of a new epoch as long as it is silent, on the same transport, too.
  if (GetParam() == Road::kSharedMemory) {
    ranks.Begin(2, {0, 1, 2});
    for (int i : {0, 1}) ranks.Await(i, "abort", 2);
  }
  ranks.Signal(2, SIGCONT);
  // On a busy machine so short a limit may strike again: then it is the next epoch's turn.
  bool is_back = false;
  for (uint64_t epoch = 3; epoch < 13 && !is_back; ++epoch) {
    Wait(milliseconds(300));
    ranks.Begin(epoch, {0, 1, 2});
    is_back = true;
    Report report;
    for (int i : {0, 1, 2})
      is_back = is_back && ranks.TryAwait(i, "step", epoch, seconds(5), &report);
  }
  EXPECT_TRUE(is_back);
}

TEST_P(ProcessesTest, TwoRanksKilledAtOnceAndBodiesBeyondASegment) {
  RankProcessOptions options = Options(seconds(20));
  options.body_bytes = size_t{5} << 20;
  RankProcesses ranks(options);
  for (int i = 0; i < 4; ++i) ranks.Start();
  ranks.Begin(7, {3, 2, 1, 0});
  for (int i = 0; i < 4; ++i) ranks.Await(i, "step", 7);
  for (int i : {0, 2}) ranks.Signal(i, SIGKILL);
  for (int i : {1, 3}) ranks.Await(i, "abort", 7);
  ranks.Begin(8, {1, 3});
  for (int i : {1, 3}) ranks.Await(i, "step", 8);
}

INSTANTIATE_TEST_SUITE_P(All, ProcessesTest,
                         ::testing::Values(Road::kSharedMemory, Road::kTls, Road::kMixed),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace lockstep::net
