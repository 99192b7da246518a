#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "net/frame.h"
#include "net/stream.h"

namespace lockstep::net {

/// Frames both ways over one stream, with a beat and a limit on silence. Threads: the loop's.
class TcpConnection {
 public:
  struct Events {
    std::function<void(Frame frame)> on_frame;
    /// The connection is over; it may be destroyed in here.
    std::function<void(Status why)> on_end;
  };
  struct Limits {
    FrameLimits frames;
    base::Duration beat_interval = std::chrono::milliseconds(200);
    base::Duration silence = std::chrono::seconds(1);
  };

  /// Begins with the stream's handshake; nothing but a hello is taken until `Trust`.
  TcpConnection(base::EventLoop& loop, std::unique_ptr<Stream> stream, const Limits& limits,
                Events events);
  ~TcpConnection();

  void Send(Frame frame);
  void SendFirst(Frame frame);
  void AbandonBefore(Epoch oldest) { queue_.AbandonBefore(oldest); }
  /// The other side is a peer: all frames are taken, and it has to beat.
  void Trust(Events events);
  /// Reads no more until told otherwise; silence does not count meanwhile.
  void Pause(bool is_paused);
  /// Tries once more to write what waits.
  void Flush() { Write(); }

 private:
  void Ready(base::FileEvents events);
  bool Handshake();
  void Read();
  void Write();
  void Watch();
  void Beat();
  /// Tells the end; `this` may be gone afterwards.
  void End(Status why);
  Status Broken(Flow flow) const;

  base::EventLoop& loop_;
  std::unique_ptr<Stream> stream_;
  const Limits limits_;
  Events events_;
  const std::shared_ptr<FrameReader> reader_;
  FrameQueue queue_;
  bool is_open_ = false;  // the handshake is done
  bool is_paused_ = false;
  bool awaits_write_ = false;
  bool watches_write_ = false, watches_read_ = false;
  bool wrote_ = false;  // since the last beat
  base::Time heard_;
  int silent_beats_ = 0;
  base::Timer beat_, again_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace lockstep::net
