#include "net/tcp_connection.h"

#include <utility>
#include <vector>

#include "base/printf.h"

namespace lockstep::net {
namespace {

// How much one connection reads before others get their turn.
constexpr size_t kReadBudget = size_t{4} << 20;
constexpr size_t kReadBytes = 64 << 10;

}  // namespace

TcpConnection::TcpConnection(base::EventLoop& loop, std::unique_ptr<Stream> stream,
                             const Limits& limits, Events events)
    : loop_(loop),
      stream_(std::move(stream)),
      limits_(limits),
      events_(std::move(events)),
      reader_(std::make_shared<FrameReader>(FrameReader::kStranger)) {
  // Not from in here: the owner learns of an end after it has the connection.
  again_.StartAfter(loop_, base::Duration{0}, [this] { Ready({.writable = true}); });
}

TcpConnection::~TcpConnection() {
  *alive_ = false;
  loop_.UnwatchFile(stream_->file());
}

void TcpConnection::Send(Frame frame) {
  queue_.Push(std::move(frame));
  if (is_open_ && !awaits_write_) Write();
}

void TcpConnection::SendFirst(Frame frame) {
  queue_.PushFirst(std::move(frame));
  if (is_open_ && !awaits_write_) Write();
}

void TcpConnection::Trust(Events events) {
  events_ = std::move(events);
  reader_->set_limits(limits_.frames);
  heard_ = loop_.Now();
  beat_.StartAfter(loop_, limits_.beat_interval, [this] { Beat(); });
}

void TcpConnection::Pause(bool is_paused) {
  is_paused_ = is_paused;
  silent_beats_ = 0;
  heard_ = loop_.Now();
  Watch();
  if (!is_paused_) again_.StartAfter(loop_, base::Duration{0}, [this] { Read(); });
}

void TcpConnection::Watch() {
  const bool reads = !is_paused_;
  if (reads == watches_read_ && awaits_write_ == watches_write_) return;
  watches_read_ = reads;
  watches_write_ = awaits_write_;
  loop_.WatchFile(stream_->file(), reads, awaits_write_,
                  [this](base::FileEvents events) { Ready(events); });
}

void TcpConnection::Ready(base::FileEvents events) {
  const std::shared_ptr<bool> alive = alive_;
  if (!is_open_ && !Handshake()) return;
  if (!queue_.empty()) Write();
  if (*alive && !is_paused_) Read();
}

bool TcpConnection::Handshake() {
  const Flow flow = stream_->Handshake();
  if (flow == Flow::kEnded || flow == Flow::kBroken) {
    End(Broken(flow));
    return false;
  }
  is_open_ = flow == Flow::kMoved;
  awaits_write_ = flow == Flow::kAwaitsWrite;
  Watch();
  if (is_open_) Write();
  return is_open_;
}

void TcpConnection::Read() {
  // A handler may end the connection, whose parts in use here last until the return.
  const std::shared_ptr<bool> alive = alive_;
  const std::shared_ptr<FrameReader> reader = reader_;
  const auto on_frame = [&](Frame frame) {
    if (!*alive || frame.kind == FrameKind::kBeat) return;
    const auto handler = events_.on_frame;
    handler(std::move(frame));
  };
  static thread_local std::vector<std::byte> buffer(kReadBytes);
  size_t budget = kReadBudget;
  while (*alive && !is_paused_) {
    std::span<std::byte> room = reader->DirectRoom();
    const bool is_direct = !room.empty();
    if (!is_direct) room = buffer;
    size_t got = 0;
    const Flow flow = stream_->Read(room, &got);
    if (flow == Flow::kAwaitsRead || flow == Flow::kAwaitsWrite) return;
    if (flow != Flow::kMoved) return End(Broken(flow));
    heard_ = loop_.Now();
    silent_beats_ = 0;
    Status status =
        is_direct ? reader->Advance(got, on_frame) : reader->Feed({buffer.data(), got}, on_frame);
    if (!*alive) return;
    if (!status.ok()) return End(std::move(status));
    if (got >= budget) {
      again_.StartAfter(loop_, base::Duration{0}, [this] { Read(); });
      return;
    }
    budget -= got;
  }
}

void TcpConnection::Write() {
  while (!queue_.empty()) {
    size_t put = 0;
    const Flow flow = stream_->Write(queue_.Next(), &put);
    if (flow == Flow::kEnded || flow == Flow::kBroken) {
      // Told from a work of its own: whoever sends need not expect an end.
      again_.StartAfter(loop_, base::Duration{0}, [this, why = Broken(flow)] { End(why); });
      awaits_write_ = false;
      return;
    }
    if (flow != Flow::kMoved) {
      awaits_write_ = flow == Flow::kAwaitsWrite;
      Watch();
      return;
    }
    wrote_ = true;
    queue_.Written(put);
  }
  awaits_write_ = false;
  Watch();
}

void TcpConnection::Beat() {
  beat_.StartAfter(loop_, limits_.beat_interval, [this] { Beat(); });
  const base::Duration silence = loop_.Now() - heard_;
  ++silent_beats_;
  // In beats of our own, too: after a stop of this process its peers are heard first.
  const bool is_silent =
      silence > limits_.silence && 2 * silent_beats_ * limits_.beat_interval >= limits_.silence;
  if (is_silent && !is_paused_) {
    return End(
        Status(Code::kUnavailable,
               base::Printf("silence for %.1f ms, where %.1f ms are allowed",
                            base::Milliseconds(silence), base::Milliseconds(limits_.silence))));
  }
  if (!wrote_ && queue_.empty()) Send({FrameKind::kBeat});
  wrote_ = false;
}

Status TcpConnection::Broken(Flow flow) const {
  return Status(Code::kUnavailable,
                flow == Flow::kEnded ? "a closed connection" : stream_->fault());
}

void TcpConnection::End(Status why) {
  beat_.Stop();
  again_.Stop();
  loop_.UnwatchFile(stream_->file());
  is_paused_ = true;
  const auto on_end = events_.on_end;
  on_end(std::move(why));
}

}  // namespace lockstep::net
