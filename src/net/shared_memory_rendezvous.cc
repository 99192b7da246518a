#include "net/shared_memory_rendezvous.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/printf.h"
#include "base/probe.h"
#include "base/randomness.h"
#include "net/shared_memory_layout.h"
#include "net/socket_packets.h"

namespace lockstep::net {
namespace {

// Connections that have not met anybody yet; further ones push the oldest out.
constexpr size_t kMostCallers = 256;
constexpr base::Duration kCallerLimit = std::chrono::seconds(30);
constexpr base::Duration kCallAgain = std::chrono::milliseconds(5);
// Names are told once they are open, so whose name refuses calls has gone.
constexpr base::Duration kRefusedLimit = std::chrono::milliseconds(100);

enum class Answer : uint32_t {
  kHello = 1,
  kOtherJob,
  kOtherLayout,
  kOtherMembership,
  kOtherRanks,
  kLeft
};

const char* Explain(Answer answer) {
  switch (answer) {
    case Answer::kOtherJob:
      return "a refusal: it belongs to another job";
    case Answer::kOtherLayout:
      return "a refusal: it runs another build";
    case Answer::kOtherMembership:
      return "a refusal: it is in another membership";
    case Answer::kOtherRanks:
      return "a refusal: it knows other ranks";
    case Answer::kLeft:
      return "its leave";
    case Answer::kHello:
      break;
  }
  return "an answer without sense";
}

}  // namespace

struct SharedMemoryRendezvous::Hello {
  uint64_t magic = kControlMagic;
  uint32_t version = kControlVersion;
  Answer answer = Answer::kHello;
  uint64_t job = 0;
  uint64_t membership = 0;
  uint32_t rank = 0;
  uint32_t num_ranks = 0;
};

Result<std::unique_ptr<SharedMemoryRendezvous>> SharedMemoryRendezvous::Open(base::EventLoop& loop,
                                                                             uint64_t job) {
  base::SystemRandomness randomness;
  const auto random = [&] { return static_cast<unsigned long long>(randomness.Next()); };
  const std::string name = base::Printf("lockstep-%016llx%016llx", random(), random());
  auto listener = ListenForPackets(name);
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<SharedMemoryRendezvous>(
      new SharedMemoryRendezvous(loop, job, name, std::move(*listener)));
}

SharedMemoryRendezvous::SharedMemoryRendezvous(base::EventLoop& loop, uint64_t job,
                                               std::string name, FileDescriptor listener)
    : loop_(loop), job_(job), name_(std::move(name)), listener_(std::move(listener)) {
  loop_.WatchFile(listener_.get(), true, false, [this](base::FileEvents) { Accept(); });
}

SharedMemoryRendezvous::~SharedMemoryRendezvous() {
  Leave();
  while (!callers_.empty()) Drop(callers_.begin());
  loop_.UnwatchFile(listener_.get());
}

// ---- being called ------------------------------------------------------------------------------

void SharedMemoryRendezvous::Accept() {
  while (true) {
    FileDescriptor socket = AcceptPackets(listener_.get());
    if (!socket.ok()) return;
    if (callers_.size() >= kMostCallers) {
      LOCKSTEP_PROBE("too many callers of a rendezvous");
      Drop(callers_.begin());
    }
    const auto caller = callers_.emplace(callers_.end());
    caller->socket = std::move(socket);
    caller->deadline.StartAfter(loop_, kCallerLimit, [this, caller] { Drop(caller); });
    loop_.WatchFile(caller->socket.get(), true, false,
                    [this, caller](base::FileEvents) { Hear(caller); });
  }
}

void SharedMemoryRendezvous::Drop(Callers::iterator caller) {
  loop_.UnwatchFile(caller->socket.get());
  callers_.erase(caller);
}

void SharedMemoryRendezvous::Hear(Callers::iterator caller) {
  Hello hello;
  size_t size = 0;
  FileDescriptor file;
  const int error = ReceivePacket(caller->socket.get(), &hello, sizeof(hello), &size, &file);
  if (error == EAGAIN) return;
  if (caller->rank >= 0) {
    // It has gone before this rank is in its membership, where its segment shall say so.
    loop_.UnwatchFile(caller->socket.get());
    return;
  }
  if (error != 0 || size != sizeof(hello) || hello.magic != kControlMagic) {
    Drop(caller);
    return;
  }
  const auto refuse = [&](Answer answer) {
    Hello own;
    own.answer = answer;
    SendPacket(caller->socket.get(), &own, sizeof(own), -1);
    Drop(caller);
  };
  if (hello.version != kControlVersion) return refuse(Answer::kOtherLayout);
  if (hello.job != job_) return refuse(Answer::kOtherJob);
  if (!file.ok() || hello.rank >= hello.num_ranks || hello.num_ranks > (1u << 20))
    return Drop(caller);
  caller->rank = static_cast<int>(hello.rank);
  caller->membership = hello.membership;
  caller->control = std::move(file);
  if (joined_ && hello.membership == place_.membership &&
      hello.num_ranks != static_cast<uint32_t>(place_.num_ranks))
    return refuse(Answer::kOtherRanks);
  Consider(caller);
}

bool SharedMemoryRendezvous::IsOver(uint64_t membership) const {
  return joined_ ? membership < place_.membership : left_.has_value() && membership <= *left_;
}

// Meets who belongs to our membership, sends away who belongs to a past one, keeps the others.
void SharedMemoryRendezvous::Consider(Callers::iterator caller) {
  const bool is_over = IsOver(caller->membership);
  if (!is_over && (!joined_ || caller->membership > place_.membership)) return;
  const int peer = caller->rank;
  const bool is_expected = !is_over && peer > place_.rank && peer < place_.num_ranks &&
                           !names_[peer].empty() && !met_[peer];
  Hello hello = OwnHello();
  if (!is_expected) hello.answer = is_over ? Answer::kLeft : Answer::kOtherMembership;
  SendPacket(caller->socket.get(), &hello, sizeof(hello), is_expected ? control_->file() : -1);
  if (!is_expected) return Drop(caller);
  // One that has gone already is met, too: the link finds out.
  loop_.UnwatchFile(caller->socket.get());
  Met met{std::move(caller->socket), std::move(caller->control)};
  callers_.erase(caller);
  Meet(peer, std::move(met));
}

// ---- calling -----------------------------------------------------------------------------------

SharedMemoryRendezvous::Hello SharedMemoryRendezvous::OwnHello() const {
  Hello hello;
  hello.job = job_;
  hello.membership = place_.membership;
  hello.rank = static_cast<uint32_t>(place_.rank);
  hello.num_ranks = static_cast<uint32_t>(place_.num_ranks);
  return hello;
}

void SharedMemoryRendezvous::Join(const Place& place, const Segment& control,
                                  std::vector<std::string> names, base::Duration limit,
                                  OnMet on_met) {
  LOCKSTEP_CHECK(!joined_);
  joined_ = true;
  left_.reset();
  place_ = place;
  control_ = &control;
  names_ = std::move(names);
  met_.assign(place.num_ranks, false);
  calls_.clear();
  calls_.resize(place.num_ranks);
  limit_ = limit;
  on_met_ = std::move(on_met);
  deadline_.StartAfter(loop_, limit, [this] { Expire(); });
  for (int peer = 0; peer < place.rank; ++peer) {
    if (names_[peer].empty()) continue;
    calls_[peer] = std::make_unique<Call>();
    calls_[peer]->retry.StartAfter(loop_, base::Duration{0}, [this, peer] { TryCall(peer); });
  }
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const auto next = std::next(caller);
    if (caller->rank >= 0) Consider(caller);
    caller = next;
  }
}

void SharedMemoryRendezvous::Leave() {
  if (!joined_) return;
  joined_ = false;
  left_ = place_.membership;
  deadline_.Stop();
  for (int peer = 0; peer < place_.num_ranks; ++peer) {
    if (calls_[peer] == nullptr) continue;
    FileDescriptor socket;
    if (calls_[peer]->socket.ok()) {
      loop_.UnwatchFile(calls_[peer]->socket.get());
    } else if (!met_[peer]) {
      LOCKSTEP_PROBE("a rank leaves before it has called");
      SayHello(peer, &socket);
    }
  }
  calls_.clear();
  on_met_ = nullptr;
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const auto next = std::next(caller);
    if (caller->rank >= 0) Consider(caller);
    caller = next;
  }
}

int SharedMemoryRendezvous::SayHello(int peer, FileDescriptor* socket) const {
  const int error = ConnectPackets(names_[peer], socket);
  if (error != 0) return error;
  const Hello hello = OwnHello();
  return SendPacket(socket->get(), &hello, sizeof(hello), control_->file());
}

void SharedMemoryRendezvous::TryCall(int peer) {
  Call& call = *calls_[peer];
  FileDescriptor socket;
  const int error = SayHello(peer, &socket);
  if (error != ECONNREFUSED) call.refused_since.reset();
  if (error != 0) {
    if (!call.refused_since) call.refused_since = loop_.Now();
    const bool again = loop_.Now() - *call.refused_since <= kRefusedLimit;
    return EndCall(peer, std::strerror(error), again || error != ECONNREFUSED);
  }
  call.socket = std::move(socket);
  loop_.WatchFile(call.socket.get(), true, false,
                  [this, peer](base::FileEvents) { HearAnswer(peer); });
}

void SharedMemoryRendezvous::EndCall(int peer, const std::string& fault, bool again) {
  Call& call = *calls_[peer];
  if (call.socket.ok()) loop_.UnwatchFile(call.socket.get());
  call.socket.Close();
  call.fault = fault;
  if (!again) return Meet(peer, Unreached(peer));
  call.retry.StartAfter(loop_, kCallAgain, [this, peer] { TryCall(peer); });
}

void SharedMemoryRendezvous::HearAnswer(int peer) {
  Call& call = *calls_[peer];
  Hello hello;
  size_t size = 0;
  FileDescriptor file;
  const int error = ReceivePacket(call.socket.get(), &hello, sizeof(hello), &size, &file);
  if (error == EAGAIN) return;
  if (error != 0) return EndCall(peer, std::strerror(error), true);
  if (size == 0) return EndCall(peer, "a closed connection", true);
  const bool is_hello = size == sizeof(hello) && hello.magic == kControlMagic;
  if (!is_hello) return EndCall(peer, "an answer without sense", false);
  if (hello.answer == Answer::kLeft) {
    loop_.UnwatchFile(call.socket.get());
    call.socket.Close();
    return Meet(peer, HasLeft(peer));
  }
  if (hello.answer != Answer::kHello)
    return EndCall(peer, Explain(hello.answer), hello.answer == Answer::kOtherMembership);
  if (hello.rank != static_cast<uint32_t>(peer) || !file.ok())
    return EndCall(peer, "an answer of rank " + std::to_string(hello.rank), false);
  loop_.UnwatchFile(call.socket.get());
  Meet(peer, Met{std::move(call.socket), std::move(file)});
}

void SharedMemoryRendezvous::Meet(int peer, Result<Met> met) {
  if (met_[peer]) return;
  met_[peer] = true;
  const OnMet on_met = on_met_;
  on_met(peer, std::move(met));
}

Status SharedMemoryRendezvous::HasLeft(int peer) const {
  return Status(Code::kUnavailable, "[net] rank " + std::to_string(peer) +
                                        " must outlive the epoch; got its leave (rank " +
                                        std::to_string(place_.rank) + " of " +
                                        std::to_string(place_.num_ranks) +
                                        "); enter the next epoch without it");
}

Status SharedMemoryRendezvous::Unreached(int peer) const {
  const std::string limit = base::Printf("%.1f s", base::Milliseconds(limit_) / 1000);
  const std::string fault = calls_[peer] != nullptr ? calls_[peer]->fault : "no call from it";
  return Status(
      Code::kUnavailable,
      "[net] rank " + std::to_string(peer) + " must be met through shared memory within " + limit +
          "; got " + fault + " (rank " + std::to_string(place_.rank) + " of " +
          std::to_string(place_.num_ranks) + ", membership " + std::to_string(place_.membership) +
          "); see whether it runs on this host, as the same user, in the same network "
          "namespace");
}

void SharedMemoryRendezvous::Expire() {
  for (int peer = 0; peer < place_.num_ranks && joined_; ++peer) {
    if (peer == place_.rank || names_[peer].empty() || met_[peer]) continue;
    if (calls_[peer] != nullptr) {
      calls_[peer]->retry.Stop();
      if (calls_[peer]->socket.ok()) loop_.UnwatchFile(calls_[peer]->socket.get());
      calls_[peer]->socket.Close();
    }
    Meet(peer, Unreached(peer));
  }
}

}  // namespace lockstep::net
