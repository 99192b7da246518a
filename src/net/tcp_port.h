#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/link.h"
#include "net/shared_memory_hub.h"
#include "net/tcp_connection.h"
#include "net/tcp_socket.h"

namespace lockstep::net {

struct TcpOptions {
  /// "IP:PORT" to listen on, and no other; port 0: any. Empty: no TCP.
  std::string listen;
  /// What peers are told instead of `listen`, where the network translates addresses.
  std::string advertise;
  /// Bytes and faces in the open: only where the network is trusted.
  bool plain_text = false;
  TcpConnection::Limits limits;
  /// Connections that have not shown who they are; further ones push the oldest out.
  int most_strangers = 64;
  base::Duration stranger_limit = std::chrono::seconds(5);
  /// Whose address refuses connections for so long has gone: addresses are told once they are open.
  base::Duration refused_limit = std::chrono::seconds(1);
  /// What came and was not taken yet, per peer; beyond it nothing more is read.
  size_t most_untaken_bytes = size_t{256} << 20;
};

class TcpSide;

/// A task's connections to peers over TCP, with a thread of their own, so that they beat and move
/// bytes while others compute. Of two ranks the higher calls the lower.
/// Threads: those of the loop that takes part in memberships.
class TcpPort {
 public:
  /// `tls`: null for plain text. Errors: as ListenTcp.
  static Result<std::unique_ptr<TcpPort>> Open(const TcpOptions& options, uint64_t job,
                                               std::unique_ptr<Tls> tls);
  ~TcpPort();

  const std::string& address() const { return address_; }

  /// Begins a membership; `addresses` by rank, empty where TCP is not the road.
  void Join(const Place& place, std::vector<std::string> addresses, base::Duration connect_limit);
  void Leave();
  /// A link of the membership; `events` outlives it.
  std::unique_ptr<Link> MakeLink(int peer, base::Executor& executor, LinkEvents& events);

 private:
  friend class TcpLink;
  TcpPort() = default;
  std::string address_;
  std::shared_ptr<TcpSide> side_;  // lives on the thread
  base::EventThread thread_;       // last: it ends before what it uses
};

}  // namespace lockstep::net
