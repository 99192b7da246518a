// How long a run on a server of this host takes, in another process, and what the bare transport
// needs for a large tensor.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/event_loop.h"
#include "lockstep/ops/math.h"
#include "lockstep/remote/server.h"
#include "lockstep/runtime/session.h"
#include "net/port.h"

namespace {

using namespace lockstep;

template <typename Body>
void Measure(const char* what, int runs, const Body& body) {
  constexpr int kRepeats = 5;
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) body();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / runs);
  }
  std::printf("%-44s %9.2f us\n", what, best);
}

constexpr size_t kPulled = size_t{100} << 20;

void Serve(const ClusterSpec& cluster, int ready) {
  Server server(cluster, "ps", 0);
  const char byte = 0;
  if (write(ready, &byte, 1) == 1) server.Join();
}

// One end of the bare transport. Addresses go through pipes.
struct End {
  base::EventLoop loop;
  std::unique_ptr<net::Port> port;
  std::unique_ptr<net::Transport> transport;

  void Join(int rank, int in, int out) {
    net::PortOptions options{.job = 1};
    options.shared_memory.beat_limit = std::chrono::seconds(10);
    port = net::Port::Open(loop, options).value();
    char peer[512] = {};
    const std::string own = port->address();
    if (write(out, own.c_str(), own.size()) < 0 || read(in, peer, sizeof(peer) - 1) <= 0) _exit(1);
    net::Membership membership{.id = 1, .rank = rank};
    membership.addresses = {rank == 0 ? own : peer, rank == 0 ? peer : own};
    transport = port->Join(membership).value();
    transport->EnterEpoch(1);
  }
};

// Answers each message with so many bytes of its own memory, until none comes for a while.
void AnswerWithBytes(int in, int out) {
  End end;
  const net::Block memory = net::Block::OnHeap(kPulled);
  std::memset(memory.bytes.data(), 1, kPulled);
  end.Join(0, in, out);
  end.transport->Listen(net::Channel::kTest, [&](int, const net::Message&) {
    end.transport->Send(1, {.epoch = 1, .payload = {}, .body = net::Payload(memory)});
    return net::Receipt::kTaken;
  });
  end.loop.RunUntil([&] { return end.transport->aborted() != nullptr; }, std::chrono::minutes(10));
}

// What the bare transport needs for the same: one copy into shared memory, where it is read.
void MeasureTransport() {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) _exit(1);
  const pid_t child = fork();
  if (child == 0) {
    AnswerWithBytes(there[0], back[1]);
    _exit(0);
  }
  {
    End end;
    end.Join(1, back[0], there[1]);
    bool taken = false;
    end.transport->Listen(net::Channel::kTest, [&](int, const net::Message& message) {
      taken = message.body.size() == kPulled;
      return net::Receipt::kTaken;
    });
    Measure("the transport's 100 MiB", 2, [&] {
      taken = false;
      end.transport->Send(0, {.epoch = 1, .payload = {}, .body = {}});
      end.loop.RunUntil([&] { return taken; }, std::chrono::seconds(60));
    });
  }
  int status = 0;
  waitpid(child, &status, 0);
}

}  // namespace

int main() {
  MeasureTransport();
  const std::string address = "unix:/tmp/lockstep-remote-run-" + std::to_string(getpid());
  const ClusterSpec cluster({{"ps", {address}}});
  int ready[2];
  if (pipe(ready) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    Serve(cluster, ready[1]);
    return 0;
  }
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) return 1;
  {
    const Graph graph;
    const auto scope = graph.AsDefault();
    const Tensor x = Placeholder(DType::kFloat32, {4});
    const Variable v(Tensor({1, 2, 3, 4}), {.name = "v"});
    const Tensor y = x * 2 + 1;
    const Tensor update = v.AssignAdd(x);
    const Variable large(Constant<float>(std::vector<float>(25 << 20), {25 << 20}),
                         {.name = "large"});
    const Session session("lockstep://" + address, {.graph = std::make_shared<Graph>(graph)});
    session.Run({graph.GlobalVariablesInitializer()});
    const Feeds feeds{{x, Tensor({1, 2, 3, 4})}};
    Measure("Run, a feed, two ops", 2000, [&] { session.Run({y}, feeds); });
    Measure("Run, a feed, a variable changed", 2000, [&] { session.Run({update}, feeds); });
    Measure("pull of 100 MiB", 2, [&] { session.Run({large}); });
  }
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  return 0;
}
