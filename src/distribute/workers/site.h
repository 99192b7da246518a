#pragma once

#include <functional>
#include <string>

#include "base/executor.h"
#include "base/randomness.h"
#include "lockstep/base/status.h"
#include "net/port.h"
#include "net/rpc.h"
#include "net/transport.h"

namespace lockstep::distribute {

/// Where a task of a job stands: what its work runs on, and how it reaches the others. A process is
/// one (`ProcessSite`), a rank of a simulated world another. Two lines of work: `data` belongs to
/// the thread that trains and goes on while that waits; `control` always goes on.
class Site {
 public:
  virtual ~Site() = default;

  virtual base::Executor& data() = 0;
  /// Lets the data's work go on until `done` (asked after each piece) or for `limit`; says whether
  /// `done`. Not called from this work.
  virtual bool Wait(const std::function<bool()>& done, base::Duration limit) = 0;
  /// Where others reach this task's transports, to be published.
  virtual const std::string& data_address() const = 0;
  /// The transport of a membership; one at a time. Errors: as net::Port::Join.
  virtual Result<std::unique_ptr<net::Transport>> Join(const net::Membership& membership) = 0;
  /// There will be no more transports.
  virtual void CloseData() = 0;

  virtual base::Executor& control() = 0;
  /// Calls, on `control`, until `CloseControl`, which is called there.
  virtual net::Rpc& rpc() = 0;
  virtual base::Randomness& randomness() = 0;
  virtual void CloseControl() = 0;
  /// As `Wait`, for what the control's work does at last, after which what it uses may go: however
  /// long it takes, as long as that work goes on at all.
  virtual void WaitForControl(const std::function<bool()>& done) = 0;
};

}  // namespace lockstep::distribute
