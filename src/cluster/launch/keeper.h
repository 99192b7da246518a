#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "base/process.h"
#include "cluster/launch/frames.h"
#include "cluster/membership.h"
#include "net/ports.h"

namespace lockstep::cluster {

/// Keeps one task on the host where it runs, for a launcher at the other end of two pipes (or of
/// ssh): reserves its port, starts it when told, again if told again, hands on its output and its
/// end. When the launcher is gone it stops the task and whatever that has started, so that nothing
/// stays behind.
class Keeper {
 public:
  /// `input`, `output`: descriptors of frames from and to the launcher.
  Keeper(base::EventLoop& loop, int input, int output);
  ~Keeper();

  /// Reserves a port of the interface `host`, and tells the launcher. Errors: those of
  /// `net::ReservedPort::Reserve`.
  Status Begin(const std::string& host);
  /// The launcher is gone, and so is the task.
  bool done() const { return closing_ && task_ == nullptr; }

 private:
  struct Stream {
    base::OwnedFile file;
    FrameKind kind;
  };
  void OnInput();
  void OnFrame(const Frame& frame);
  void Run(const RunOrder& order);
  Status Start(const RunOrder& order);
  void Watch(Stream& stream);
  void OnStream(Stream& stream);
  void OnEnded();
  void TellEnd();
  void LookForListener();
  void Close();
  void Tell(FrameKind kind, std::string_view body);

  base::EventLoop& loop_;
  const int input_, output_;
  FrameReader reader_;
  std::string host_, job_directory_;
  std::optional<net::ReservedPort> port_;
  std::unique_ptr<base::Process> task_;
  Peer process_;  // of the task, as others on this host would describe it
  std::optional<base::ProcessEnd> end_;
  Stream streams_[2] = {{{}, FrameKind::kOutput}, {{}, FrameKind::kError}};
  base::Timer drain_, kill_, look_;
  base::Time started_{};
  bool closing_ = false;
};

/// `lockstep keep`: a keeper on standard input and output. Returns an exit status.
int RunKeeper(const std::string& host);

}  // namespace lockstep::cluster
