#pragma once

#include <memory>
#include <string>

#include "lockstep/cluster/cluster_spec.h"

namespace lockstep {

struct ServerOptions {
  /// Plain connections beyond this machine, in a network that is private.
  bool trusted_network = false;
  /// Callers without this token are refused. Empty: LOCKSTEP_TOKEN; if that is absent, the token of
  /// this user, which the user's other processes on this machine find by themselves.
  std::string token = {};
  /// Every user of this machine may call; only for addresses of this machine.
  bool insecure = false;
};

/// A task that keeps variables and runs the parts of graphs that sessions give it, until it is
/// stopped. Its variables are those of all sessions, by name. Threads: all members from any thread;
/// the work of a task is done on one. Errors: InvalidArgument (no such task, an address that is
/// none), Unavailable (the address is taken). Source: tf.distribute.Server.
class Server {
 public:
  /// Listens at the task's address; port 0 takes a free one, which only this task then knows.
  Server(const ClusterSpec& cluster, const std::string& job, int task,
         const ServerOptions& options = {});
  /// A cluster of this one task, "/job:localhost/replica:0/task:0", at a free port.
  static Server Local(const ServerOptions& options = {});
  ~Server();
  Server(Server&&) noexcept;

  /// "lockstep://host:port", for `Session`.
  const std::string& target() const;
  /// Waits until `Stop`.
  void Join();
  void Stop();

 private:
  struct Serving;
  std::unique_ptr<Serving> serving_;
};

}  // namespace lockstep
