#pragma once

#include <memory>

#include "net/datagrams.h"
#include "net/transport.h"

namespace lockstep::net {

struct ReliableOptions {
  /// First and longest pause before a datagram without an answer is sent again; it doubles each
  /// time.
  base::Duration first_resend = std::chrono::milliseconds(2);
  base::Duration longest_resend = std::chrono::milliseconds(50);
  /// A peer that owes an answer and was silent for so long makes the epoch Unavailable.
  base::Duration silence_limit = std::chrono::seconds(10);
};

/// A transport over lossy datagrams: each is numbered, acknowledged, sent again by timer until it
/// is, and dropped on its second arrival. docs/collectives.md has the fields. `datagrams` outlives
/// it.
std::unique_ptr<Transport> MakeReliable(Datagrams& datagrams, const ReliableOptions& options = {});

}  // namespace lockstep::net
