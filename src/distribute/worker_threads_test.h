#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/event_loop.h"
#include "base/team.h"
#include "distribute/communicator.h"
#include "net/in_process.h"

namespace lockstep::distribute {

/// Calls `body(workers)` for each of `count` workers at once, each on a thread and an event loop of
/// its own, joined by messages within the process. What a worker throws ends the test program.
inline void RunWorkers(int count, const std::function<void(std::shared_ptr<Communicator>)>& body) {
  std::vector<base::EventLoop> loops(count);
  std::vector<base::Executor*> executors;
  for (base::EventLoop& loop : loops) executors.push_back(&loop);
  net::InProcessNetwork network(executors);
  base::Team threads(count);
  threads.Run([&](int rank) {
    base::EventLoop& loop = loops[rank];
    body(std::make_shared<Communicator>(network.transport(rank),
                                        [&loop](const std::function<bool()>& done) {
                                          loop.RunUntil(done, std::chrono::minutes(2));
                                        }));
  });
}

}  // namespace lockstep::distribute
