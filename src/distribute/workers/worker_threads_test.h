#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/event_loop.h"
#include "base/team.h"
#include "distribute/workers/communicator.h"
#include "net/in_process.h"

namespace lockstep::distribute {

/// Calls `body(ranks)` for each rank at once, each on a thread and an event loop of its own, joined
/// by messages within the process. What one throws ends the test program.
inline void RunTasks(const Roles& roles,
                     const std::function<void(std::shared_ptr<Communicator>)>& body) {
  const int count = roles.num_ranks();
  std::vector<base::EventLoop> loops(count);
  std::vector<base::Executor*> executors;
  for (base::EventLoop& loop : loops) executors.push_back(&loop);
  net::InProcessNetwork network(executors);
  base::Team threads(count);
  threads.Run([&](int rank) {
    base::EventLoop& loop = loops[rank];
    body(std::make_shared<Communicator>(
        network.transport(rank),
        [&loop](const std::function<bool()>& done) {
          loop.RunUntil(done, std::chrono::minutes(2));
        },
        nullptr, roles));
  });
}

/// The same for `count` workers.
inline void RunWorkers(int count, const std::function<void(std::shared_ptr<Communicator>)>& body) {
  RunTasks(Roles(count), body);
}

/// As though so many ranks were on one host with so many cores.
inline std::vector<HostPlace> OnOneHost(int ranks, int cores) {
  HostPlace place;
  for (int core = 0; core < cores; ++core) place.cores.push_back(core);
  for (int rank = 0; rank < ranks; ++rank) place.beside.push_back(rank);
  return std::vector<HostPlace>(ranks, place);
}

}  // namespace lockstep::distribute
