#include "net/tcp_side.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/printf.h"
#include "base/probe.h"
#include "net/little_endian.h"

namespace lockstep::net {
namespace {

constexpr uint64_t kHelloMagic = 0x6c6f636b73746570;  // "lockstep"
constexpr uint32_t kHelloVersion = 1;
constexpr base::Duration kCallAgain = std::chrono::milliseconds(20);
constexpr base::Duration kCloseLimit = std::chrono::seconds(2);
// Who leaves before it is connected may still have a handshake to do.
constexpr base::Duration kFarewellLimit = std::chrono::seconds(20);
constexpr size_t kMostGone = 256;
constexpr base::Duration kListenAgain = std::chrono::milliseconds(50);
// Authenticated callers may wait for this rank to enter their membership.
constexpr base::Duration kEarlyLimit = std::chrono::seconds(60);

enum Refusal : uint32_t { kOtherJob = 1, kOtherBuild, kOtherMembership, kOtherRanks, kLeft };

const char* Explain(uint32_t refusal) {
  constexpr const char* kTexts[] = {"a refusal",
                                    "a refusal: it belongs to another job",
                                    "a refusal: it runs another build",
                                    "a refusal: it is in another membership",
                                    "a refusal: it knows other ranks",
                                    "its leave"};
  return kTexts[refusal <= kLeft ? refusal : 0];
}

struct HelloFields {
  uint64_t magic = 0;
  uint32_t version = 0;
  uint64_t job = 0;
  uint64_t membership = 0;
  uint32_t rank = 0;
  uint32_t num_ranks = 0;
};

bool Decode(const Frame& frame, HelloFields* hello) {
  FieldReader reader(frame.payload.bytes());
  hello->magic = reader.Take<uint64_t>();
  hello->version = reader.Take<uint32_t>();
  hello->job = reader.Take<uint64_t>();
  hello->membership = reader.Take<uint64_t>();
  hello->rank = reader.Take<uint32_t>();
  hello->num_ranks = reader.Take<uint32_t>();
  return frame.kind == FrameKind::kHello && reader.ok() && hello->magic == kHelloMagic;
}

}  // namespace

TcpSide::TcpSide(base::EventLoop& loop, const TcpOptions& options, uint64_t job,
                 std::unique_ptr<Tls> tls, FileDescriptor listener)
    : loop_(loop),
      options_(options),
      job_(job),
      tls_(std::move(tls)),
      listener_(std::move(listener)) {}

TcpSide::~TcpSide() { loop_.UnwatchFile(listener_.get()); }

std::unique_ptr<Stream> TcpSide::MakeStream(FileDescriptor socket, bool is_server) const {
  if (tls_ == nullptr) return MakePlainStream(std::move(socket));
  return tls_->MakeStream(std::move(socket), is_server);
}

TcpSide::Peer* TcpSide::Find(int rank) {
  const bool is_rank = joined_ && rank >= 0 && rank < place_.num_ranks;
  return is_rank ? peers_[rank].get() : nullptr;
}

// ---- being called ------------------------------------------------------------------------------

void TcpSide::Listen() {
  loop_.WatchFile(listener_.get(), true, false, [this](base::FileEvents) { Accept(); });
}

void TcpSide::Accept() {
  FileDescriptor socket;
  while (true) {
    const int error = AcceptTcp(listener_.get(), &socket);
    if (error == EAGAIN) return;
    if (error == ECONNABORTED || error == EINTR) continue;
    if (error != 0) {
      LOCKSTEP_PROBE("no room to accept a connection");
      loop_.UnwatchFile(listener_.get());
      listen_again_.StartAfter(loop_, kListenAgain, [this] { Listen(); });
      return;
    }
    if (callers_.size() >= static_cast<size_t>(options_.most_strangers)) {
      LOCKSTEP_PROBE("too many callers of a port");
      DropCaller(callers_.begin());
    }
    const auto caller = callers_.emplace(callers_.end());
    caller->deadline.StartAfter(loop_, options_.stranger_limit,
                                [this, caller] { DropCaller(caller); });
    caller->connection = std::make_unique<TcpConnection>(
        loop_, MakeStream(std::move(socket), true), options_.limits,
        TcpConnection::Events{[this, caller](Frame frame) { HearCaller(caller, frame); },
                              [this, caller](Status) { HangUp(caller); }});
  }
}

void TcpSide::DropCaller(Callers::iterator caller) { callers_.erase(caller); }

// Once this rank enters the caller's membership, it does not wait for it there.
void TcpSide::HangUp(Callers::iterator caller) {
  if (caller->rank >= 0 && gone_.size() < kMostGone)
    gone_.push_back({caller->membership, caller->rank});
  DropCaller(caller);
}

// Whether that rank had hung up; from now on it has not.
bool TcpSide::Forget(uint64_t membership, int rank) {
  return std::erase_if(gone_, [&](const Gone& gone) {
           return gone.membership == membership && gone.rank == rank;
         }) > 0;
}

bool TcpSide::IsOver(uint64_t membership) const {
  return joined_ ? membership < place_.membership : left_.has_value() && membership <= *left_;
}

void TcpSide::Refuse(Callers::iterator caller, uint32_t why) {
  auto payload = std::make_shared<Bytes>();
  FieldWriter(payload.get()).Put(why);
  caller->connection->Send({FrameKind::kRefusal, Channel{0}, 0, payload});
  DropCaller(caller);
}

void TcpSide::HearCaller(Callers::iterator caller, const Frame& frame) {
  if (caller->rank >= 0) return HangUp(caller);  // its leave
  HelloFields hello;
  if (!Decode(frame, &hello)) return DropCaller(caller);
  if (hello.version != kHelloVersion) return Refuse(caller, kOtherBuild);
  if (hello.job != job_) return Refuse(caller, kOtherJob);
  if (hello.rank >= hello.num_ranks || hello.num_ranks > (1u << 20)) return DropCaller(caller);
  caller->rank = static_cast<int>(hello.rank);
  caller->membership = hello.membership;
  Forget(caller->membership, caller->rank);
  caller->deadline.StartAfter(loop_, kEarlyLimit, [this, caller] { DropCaller(caller); });
  if (joined_ && hello.membership == place_.membership &&
      hello.num_ranks != static_cast<uint32_t>(place_.num_ranks))
    return Refuse(caller, kOtherRanks);
  Consider(caller);
}

void TcpSide::Consider(Callers::iterator caller) {
  if (IsOver(caller->membership)) return Refuse(caller, kLeft);
  if (!joined_ || caller->membership > place_.membership) return;
  const int rank = caller->rank;
  if (rank <= place_.rank || Find(rank) == nullptr) return Refuse(caller, kOtherMembership);
  if (Find(rank)->bridge == nullptr) return;  // it is bound in a moment
  std::unique_ptr<TcpConnection> connection = std::move(caller->connection);
  callers_.erase(caller);
  connection->Send(Hello());
  if (Find(rank)->connection != nullptr) {
    LOCKSTEP_PROBE("a peer calls again before its old connection was seen to end");
    Lose(rank, Fault(rank, Code::kUnavailable, "must keep its connection during an epoch",
                     "another call from it", "enter the next epoch"));
  }
  Adopt(rank, std::move(connection));
}

// ---- calling -----------------------------------------------------------------------------------

Frame TcpSide::Hello() const {
  auto payload = std::make_shared<Bytes>();
  FieldWriter(payload.get())
      .Put(kHelloMagic)
      .Put(kHelloVersion)
      .Put(job_)
      .Put(place_.membership)
      .Put(static_cast<uint32_t>(place_.rank))
      .Put(static_cast<uint32_t>(place_.num_ranks));
  return {FrameKind::kHello, Channel{0}, 0, payload};
}

void TcpSide::Join(const Place& place, std::vector<std::string> addresses,
                   base::Duration connect_limit) {
  joined_ = true;
  place_ = place;
  left_.reset();
  std::erase_if(gone_, [&](const Gone& gone) { return gone.membership < place.membership; });
  connect_limit_ = connect_limit;
  peers_.clear();
  for (int rank = 0; rank < place.num_ranks; ++rank) {
    peers_.emplace_back();
    if (rank == place.rank || addresses[rank].empty()) continue;
    peers_.back() = std::make_unique<Peer>();
    peers_.back()->address = std::move(addresses[rank]);
  }
}

void TcpSide::Bind(std::shared_ptr<TcpBridge> bridge) {
  const int rank = bridge->peer;
  Peer& peer = *Find(rank);
  peer.bridge = std::move(bridge);
  AwaitConnection(rank);
  if (Forget(place_.membership, rank)) return HearLeave(rank);
  if (rank < place_.rank) return Call(rank);
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const auto next = std::next(caller);
    if (caller->rank == rank) Consider(caller);
    caller = next;
  }
}

void TcpSide::Leave() {
  for (const auto& peer : peers_) {
    if (peer == nullptr) continue;
    if (peer->socket.ok()) loop_.UnwatchFile(peer->socket.get());
    if (peer->connection != nullptr) {
      const auto closing = AddClosing(kCloseLimit);
      closing->connection = std::move(peer->connection);
      SayLeave(closing);
    } else if (peer->bridge != nullptr && peer->bridge->peer < place_.rank && !peer->is_lost) {
      SayLeaveUnconnected(*peer);
    }
  }
  peers_.clear();
  if (joined_) left_ = place_.membership;
  joined_ = false;
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const auto next = std::next(caller);
    if (caller->rank >= 0) Consider(caller);
    caller = next;
  }
}

TcpSide::Closings::iterator TcpSide::AddClosing(base::Duration limit) {
  const auto closing = closing_.emplace(closing_.end());
  closing->deadline.StartAfter(loop_, limit, [this, closing] { DropClosing(closing); });
  return closing;
}

void TcpSide::SayLeave(Closings::iterator closing) {
  // Whoever hears of the leave closes; closing first could take back what it has not read.
  closing->connection->Trust({[this, closing](Frame frame) {
                                if (frame.kind == FrameKind::kLeave) DropClosing(closing);
                              },
                              [this, closing](Status) { DropClosing(closing); }});
  for (Frame& frame : closing->frames) closing->connection->Send(std::move(frame));
  closing->connection->Send({FrameKind::kLeave});
}

// It waits for our call, which therefore is made yet, or made to its end.
void TcpSide::SayLeaveUnconnected(Peer& peer) {
  LOCKSTEP_PROBE("a rank leaves before it is connected");
  const auto closing = AddClosing(kFarewellLimit);
  if (peer.call == nullptr) closing->frames.push_back(Hello());
  for (Frame& frame : peer.waiting)
    if (frame.kind == FrameKind::kAbort) closing->frames.push_back(std::move(frame));
  if (peer.call != nullptr) {
    closing->connection = std::move(peer.call);
    return SayLeave(closing);
  }
  closing->socket = std::move(peer.socket);
  if (!closing->socket.ok() && ConnectTcp(peer.address, &closing->socket) != 0)
    return DropClosing(closing);
  loop_.WatchFile(closing->socket.get(), false, true,
                  [this, closing](base::FileEvents) { GreetAndLeave(closing); });
}

void TcpSide::GreetAndLeave(Closings::iterator closing) {
  loop_.UnwatchFile(closing->socket.get());
  if (ConnectError(closing->socket.get()) != 0) return DropClosing(closing);
  closing->connection = std::make_unique<TcpConnection>(
      loop_, MakeStream(std::move(closing->socket), false), options_.limits,
      TcpConnection::Events{[](Frame) {}, [](Status) {}});
  SayLeave(closing);
}

void TcpSide::DropClosing(Closings::iterator closing) {
  if (closing->socket.ok()) loop_.UnwatchFile(closing->socket.get());
  closing_.erase(closing);
  if (closing_.empty() && on_closed_ != nullptr)
    closed_.StartAfter(loop_, base::Duration{0}, [on_closed = on_closed_] { on_closed(); });
}

void TcpSide::Close(base::Work on_closed) {
  Leave();
  loop_.UnwatchFile(listener_.get());
  listen_again_.Stop();
  callers_.clear();
  on_closed_ = std::move(on_closed);
  for (auto closing = closing_.begin(); closing != closing_.end(); ++closing)
    closing->deadline.StartAfter(loop_, kCloseLimit, [this, closing] { DropClosing(closing); });
  if (closing_.empty())
    closed_.StartAfter(loop_, base::Duration{0}, [on_closed = on_closed_] { on_closed(); });
}

void TcpSide::AwaitConnection(int rank) {
  peers_[rank]->deadline.StartAfter(loop_, connect_limit_, [this, rank] {
    const std::string rule =
        base::Printf("must be connected within %.1f s", base::Milliseconds(connect_limit_) / 1000);
    const Peer& peer = *peers_[rank];
    Lose(rank, Fault(rank, Code::kUnavailable, rule, peer.fault,
                     "see whether it runs at " + peer.address +
                         ", and whether firewalls let that address through"));
  });
}

void TcpSide::Call(int rank) {
  Peer& peer = *peers_[rank];
  FileDescriptor socket;
  const int error = ConnectTcp(peer.address, &socket);
  if (error != 0) return FailCall(rank, error);
  peer.socket = std::move(socket);
  loop_.WatchFile(peer.socket.get(), false, true,
                  [this, rank](base::FileEvents) { Connected(rank); });
}

void TcpSide::Connected(int rank) {
  Peer& peer = *peers_[rank];
  loop_.UnwatchFile(peer.socket.get());
  FileDescriptor socket = std::move(peer.socket);
  if (const int error = ConnectError(socket.get()); error != 0) return FailCall(rank, error);
  peer.refused_since.reset();
  peer.call = std::make_unique<TcpConnection>(
      loop_, MakeStream(std::move(socket), false), options_.limits,
      TcpConnection::Events{[this, rank](Frame frame) { HearAnswer(rank, frame); },
                            [this, rank](Status why) { EndCall(rank, why.message(), true); }});
  peer.call->Send(Hello());
}

void TcpSide::HearAnswer(int rank, const Frame& frame) {
  if (frame.kind == FrameKind::kRefusal) {
    FieldReader reader(frame.payload.bytes());
    const auto why = reader.Take<uint32_t>();
    if (why == kLeft) {
      peers_[rank]->call.reset();
      return HearLeave(rank);
    }
    return EndCall(rank, Explain(why), why == kOtherMembership);
  }
  HelloFields hello;
  const bool is_right = Decode(frame, &hello) && hello.version == kHelloVersion &&
                        hello.job == job_ && hello.membership == place_.membership &&
                        hello.rank == static_cast<uint32_t>(rank);
  if (!is_right) return EndCall(rank, "an answer without sense", true);
  Adopt(rank, std::move(peers_[rank]->call));
}

void TcpSide::EndCall(int rank, const std::string& fault, bool again) {
  Peer& peer = *peers_[rank];
  peer.call.reset();
  peer.fault = fault;
  if (again) peer.retry.StartAfter(loop_, kCallAgain, [this, rank] { Call(rank); });
}

void TcpSide::FailCall(int rank, int error) {
  Peer& peer = *peers_[rank];
  const bool is_refused = error == ECONNREFUSED;
  if (!is_refused) peer.refused_since.reset();
  if (is_refused && !peer.refused_since) peer.refused_since = loop_.Now();
  if (is_refused && !peer.is_lost && loop_.Now() - *peer.refused_since > options_.refused_limit)
    return Lose(rank, Fault(rank, Code::kUnavailable, "must listen at " + peer.address,
                            "connections refused", "enter the next epoch without it"));
  EndCall(rank, std::strerror(error), true);
}

// ---- a peer's connection -----------------------------------------------------------------------

void TcpSide::Adopt(int rank, std::unique_ptr<TcpConnection> connection) {
  Peer& peer = *peers_[rank];
  peer.deadline.Stop();
  peer.is_lost = false;
  peer.has_left = false;
  peer.is_paused = false;
  peer.connection = std::move(connection);
  peer.connection->Trust({[this, rank](Frame frame) { Hear(rank, std::move(frame)); },
                          [this, rank](Status why) {
                            Lose(rank,
                                 Fault(rank, why.code(), "must keep its connection during an epoch",
                                       why.message(), "enter the next epoch"));
                          }});
  std::deque<Frame> waiting;
  waiting.swap(peer.waiting);
  for (Frame& frame : waiting) peer.connection->Send(std::move(frame));
}

void TcpSide::Lose(int rank, Status why) {
  Peer& peer = *peers_[rank];
  peer.connection.reset();
  peer.waiting.clear();
  peer.deadline.Stop();
  peer.is_lost = true;
  peer.fault = why.message();
  peer.bridge->executor.Post([bridge = peer.bridge, why] {
    if (bridge->events != nullptr) bridge->events->Lose(bridge->peer, why);
  });
  // The next epoch shall find a connection.
  if (rank < place_.rank && peer.call == nullptr && !peer.socket.ok() && !peer.has_left)
    peer.retry.StartAfter(loop_, kCallAgain, [this, rank] { Call(rank); });
}

void TcpSide::HearLeave(int rank) {
  peers_[rank]->has_left = true;
  Lose(rank, Fault(rank, Code::kUnavailable, "must outlive the epoch", "its leave",
                   "enter the next epoch without it"));
}

void TcpSide::Revive(int rank) {
  Peer* peer = Find(rank);
  if (peer == nullptr || !peer->is_lost) return;
  if (peer->has_left) return HearLeave(rank);
  peer->is_lost = false;
  peer->refused_since.reset();
  AwaitConnection(rank);
}

void TcpSide::SendOrKeep(int rank, Frame frame) {
  Peer* peer = Find(rank);
  if (peer == nullptr || peer->is_lost) return;
  if (peer->connection != nullptr) return peer->connection->Send(std::move(frame));
  peer->waiting.push_back(std::move(frame));
}

void TcpSide::Send(int rank, Message message) {
  SendOrKeep(rank, {FrameKind::kData, message.channel, message.epoch, std::move(message.payload),
                    std::move(message.body)});
}

void TcpSide::TellAbort(int rank, Epoch epoch, const Abort& abort) {
  Peer* peer = Find(rank);
  if (peer == nullptr) return;
  auto payload = std::make_shared<Bytes>();
  const std::string& text = abort.reason.message();
  FieldWriter(payload.get())
      .Put(static_cast<uint32_t>(abort.by))
      .Put(static_cast<uint32_t>(abort.reason.code()))
      .PutBytes(text.data(), std::min<size_t>(text.size(), 4096));
  Frame frame{FrameKind::kAbort, Channel{0}, epoch, payload};
  if (peer->connection != nullptr) return peer->connection->SendFirst(std::move(frame));
  if (!peer->is_lost) peer->waiting.push_front(std::move(frame));
}

void TcpSide::AbandonBefore(int rank, Epoch oldest) {
  Peer* peer = Find(rank);
  if (peer == nullptr) return;
  if (peer->connection != nullptr) peer->connection->AbandonBefore(oldest);
  std::erase_if(peer->waiting, [&](const Frame& frame) {
    return frame.kind == FrameKind::kData && frame.epoch < oldest;
  });
}

void TcpSide::Hear(int rank, Frame frame) {
  switch (frame.kind) {
    case FrameKind::kData:
      return HearData(rank, std::move(frame));
    case FrameKind::kAbort:
      return HearAbort(rank, frame);
    case FrameKind::kLeave:
      return Lose(rank, Fault(rank, Code::kUnavailable, "must outlive the epoch", "its leave",
                              "enter the next epoch without it"));
    default:
      return Lose(rank, Fault(rank, Code::kDataLoss, "must send frames that have a place",
                              "a second hello", "run the same build on all ranks"));
  }
}

void TcpSide::HearData(int rank, Frame frame) {
  Peer& peer = *peers_[rank];
  const size_t size = frame.payload.size() + frame.body.size() + sizeof(Frame);
  const size_t untaken = peer.bridge->untaken_bytes.fetch_add(size) + size;
  if (untaken > options_.most_untaken_bytes && !peer.is_paused) {
    LOCKSTEP_PROBE("a peer sends faster than its messages are taken");
    peer.is_paused = true;
    peer.connection->Pause(true);
  }
  peer.bridge->executor.Post([this, bridge = peer.bridge, size, frame = std::move(frame),
                              limit = options_.most_untaken_bytes]() mutable {
    const size_t before = bridge->untaken_bytes.fetch_sub(size);
    if (bridge->events == nullptr) return;
    bridge->events->Arrive(bridge->peer, {frame.epoch, frame.channel, std::move(frame.payload),
                                          std::move(frame.body)});
    if (before > limit && before - size <= limit && bridge->events != nullptr)
      loop_.Post([this, rank = bridge->peer] { Resume(rank); });
  });
}

void TcpSide::Resume(int rank) {
  Peer* peer = Find(rank);
  if (peer == nullptr || !peer->is_paused || peer->connection == nullptr) return;
  peer->is_paused = false;
  peer->connection->Pause(false);
}

void TcpSide::HearAbort(int rank, const Frame& frame) {
  FieldReader reader(frame.payload.bytes());
  const auto by = reader.Take<uint32_t>();
  const auto code = reader.Take<uint32_t>();
  const bool is_right = reader.ok() && by < static_cast<uint32_t>(place_.num_ranks) && code > 0 &&
                        code <= static_cast<uint32_t>(Code::kUnauthenticated);
  if (!is_right)
    return Lose(rank, Fault(rank, Code::kDataLoss, "must name who aborts and why",
                            "fields without sense", "run the same build on all ranks"));
  const auto* text = reinterpret_cast<const char*>(reader.rest().data());
  Abort abort{static_cast<int>(by),
              Status(static_cast<Code>(code), std::string(text, reader.rest().size()))};
  const Peer& peer = *peers_[rank];
  peer.bridge->executor.Post([bridge = peer.bridge, epoch = frame.epoch, abort] {
    if (bridge->events != nullptr) bridge->events->HearAbort(epoch, abort);
  });
}

Status TcpSide::Fault(int rank, Code code, const std::string& rule, const std::string& got,
                      const std::string& cure) const {
  return Status(code, "[net] rank " + std::to_string(rank) + " " + rule + "; got " + got + " (" +
                          (tls_ == nullptr ? "TCP" : "TLS") + ", rank " +
                          std::to_string(place_.rank) + " of " + std::to_string(place_.num_ranks) +
                          "); " + cure);
}

}  // namespace lockstep::net
