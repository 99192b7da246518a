#include "net/reliable.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/printf.h"
#include "base/probe.h"
#include "net/endpoint.h"
#include "net/little_endian.h"

namespace lockstep::net {
namespace {

enum class Kind : uint8_t {
  kData = 1,
  kAcknowledge = 2,
  kAbort = 3,
  kLater = 4,  // heard, not taken: the peer is alive, send again
};

// An abort is told once per epoch and peer; data is numbered from 0 in each epoch.
constexpr uint64_t kAbortSequence = ~uint64_t{0};

struct Header {
  Kind kind = Kind::kData;
  Epoch epoch = 0;
  uint64_t sequence = 0;
};

void Write(const Header& header, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(header.kind)).Put(header.epoch).Put(header.sequence);
}

// Which sequences of a peer were taken: all below `next`, and `ahead`.
struct Taken {
  uint64_t next = 0;
  std::set<uint64_t> ahead;

  bool Contains(uint64_t sequence) const { return sequence < next || ahead.contains(sequence); }
  void Insert(uint64_t sequence) {
    ahead.insert(sequence);
    while (ahead.erase(next) > 0) ++next;
  }
};

class Reliable final : public Endpoint {
 public:
  Reliable(Datagrams& datagrams, const ReliableOptions& options)
      : Endpoint(datagrams.rank(), datagrams.num_ranks(), datagrams.executor()),
        datagrams_(datagrams),
        options_(options),
        peers_(datagrams.num_ranks()) {
    datagrams_.OnReceive([this](int from, const Payload& datagram) { Arrive(from, datagram); });
  }
  ~Reliable() override { datagrams_.OnReceive(nullptr); }
  std::vector<Loss> losses() const override { return losses_; }

 private:
  std::string RoadTo(int) const override { return "datagrams"; }
  using Number = std::pair<Epoch, uint64_t>;
  // A datagram that no answer has settled yet. Data shares its epoch's fate; an abort outlives it.
  struct Unsettled {
    Kind kind = Kind::kData;
    Payload datagram;
    base::Time first_sent;
    base::Duration interval{};
    base::Timer resend;
  };
  struct Peer {
    Epoch numbered = 0;  // the epoch that next_sequence counts in
    uint64_t next_sequence = 0;
    std::map<Number, Unsettled> unsettled;
    std::map<Epoch, Taken> taken;  // of the current epoch and later ones
    base::Time heard{};
  };

  void SendOut(int to, Message message) override {
    Peer& peer = peers_[to];
    if (peer.numbered != message.epoch) peer.next_sequence = 0;
    peer.numbered = message.epoch;
    const Number number{message.epoch, peer.next_sequence++};
    auto datagram = std::make_shared<Bytes>();
    datagram->reserve(32 + message.size());
    FieldWriter writer(datagram.get());
    Write({Kind::kData, number.first, number.second}, &writer);
    writer.Put(static_cast<uint8_t>(message.channel));
    writer.Put(static_cast<uint32_t>(message.payload.size()));
    writer.PutBytes(message.payload.data(), message.payload.size());
    writer.PutBytes(message.body.data(), message.body.size());
    SendNumbered(to, Kind::kData, number, std::move(datagram));
  }

  void TellAbort(Epoch epoch, const Abort& abort) override {
    for (int to = 0; to < num_ranks(); ++to) {
      if (to == rank()) continue;
      auto datagram = std::make_shared<Bytes>();
      FieldWriter writer(datagram.get());
      Write({Kind::kAbort, epoch, kAbortSequence}, &writer);
      writer.Put(static_cast<uint32_t>(abort.by)).Put(static_cast<uint8_t>(abort.reason.code()));
      writer.PutBytes(abort.reason.message().data(), abort.reason.message().size());
      SendNumbered(to, Kind::kAbort, {epoch, kAbortSequence}, std::move(datagram));
    }
  }

  void Abandon() override {
    const Epoch oldest_alive = aborted() != nullptr ? epoch() + 1 : epoch();
    for (Peer& peer : peers_) {
      std::erase_if(peer.unsettled, [&](const auto& entry) {
        return entry.second.kind == Kind::kData && entry.first.first < oldest_alive;
      });
      peer.taken.erase(peer.taken.begin(), peer.taken.lower_bound(epoch()));
    }
    if (aborted() == nullptr) losses_.clear();
  }

  // What was answered kLater lies with its sender, who tries again.
  void RetryLater() override {}

  void SendNumbered(int to, Kind kind, Number number, Payload datagram) {
    Unsettled& unsettled = peers_[to].unsettled[number];
    unsettled.kind = kind;
    unsettled.datagram = datagram;
    unsettled.first_sent = executor().Now();
    unsettled.interval = options_.first_resend;
    ScheduleResend(to, number, &unsettled);
    datagrams_.Send(to, std::move(datagram));
  }

  void ScheduleResend(int to, Number number, Unsettled* unsettled) {
    unsettled->resend.StartAfter(executor(), unsettled->interval,
                                 [this, to, number] { Resend(to, number); });
    unsettled->interval = std::min(2 * unsettled->interval, options_.longest_resend);
  }

  void Resend(int to, Number number) {
    Unsettled& unsettled = peers_[to].unsettled.at(number);
    const base::Time heard = std::max(peers_[to].heard, unsettled.first_sent);
    const base::Duration silence = executor().Now() - heard;
    if (silence > options_.silence_limit) {
      GiveUp(to, silence);
      return;
    }
    LOCKSTEP_PROBE("a datagram without an answer is sent again");
    ScheduleResend(to, number, &unsettled);
    datagrams_.Send(to, unsettled.datagram);
  }

  void GiveUp(int to, base::Duration silence) {
    LOCKSTEP_PROBE("a peer was silent for too long");
    Peer& peer = peers_[to];
    bool has_data = false;
    for (const auto& [number, unsettled] : peer.unsettled)
      has_data = has_data || unsettled.kind == Kind::kData;
    const size_t waiting = peer.unsettled.size();
    peer.unsettled.clear();
    if (!has_data) return;  // an abort that could not be told: the peer finds out by itself
    const Status why(
        Code::kUnavailable,
        base::Printf("[net] rank %d must answer within %.1f ms; got silence for %.1f ms with %zu "
                     "messages waiting (rank %d of %d, epoch %llu)",
                     to, base::Milliseconds(options_.silence_limit), base::Milliseconds(silence),
                     waiting, rank(), num_ranks(), static_cast<unsigned long long>(epoch())));
    losses_.push_back({.rank = to, .why = why});
    AbortEpoch(why);
  }

  void Answer(int to, Kind kind, const Header& header) {
    auto datagram = std::make_shared<Bytes>();
    FieldWriter writer(datagram.get());
    Write({kind, header.epoch, header.sequence}, &writer);
    datagrams_.Send(to, std::move(datagram));
  }

  void Arrive(int from, const Payload& datagram) {
    FieldReader reader(datagram.bytes());
    Header header;
    header.kind = static_cast<Kind>(reader.Take<uint8_t>());
    header.epoch = reader.Take<uint64_t>();
    header.sequence = reader.Take<uint64_t>();
    if (!reader.ok()) return;  // not one of ours
    Peer& peer = peers_[from];
    peer.heard = executor().Now();
    switch (header.kind) {
      case Kind::kAcknowledge:
        peer.unsettled.erase({header.epoch, header.sequence});
        return;
      case Kind::kLater:
        return;
      case Kind::kData:
        return ArriveData(from, header, reader, datagram);
      case Kind::kAbort:
        return ArriveAbort(from, header, reader);
    }
  }

  bool HasTaken(int from, const Header& header) const {
    const auto taken = peers_[from].taken.find(header.epoch);
    return taken != peers_[from].taken.end() && taken->second.Contains(header.sequence);
  }

  void ArriveData(int from, const Header& header, FieldReader reader, const Payload& datagram) {
    Message message{header.epoch, static_cast<Channel>(reader.Take<uint8_t>()), {}, {}};
    const auto payload_bytes = reader.Take<uint32_t>();
    if (!reader.ok() || payload_bytes > reader.rest().size()) return;
    Receipt receipt = Receipt::kTaken;
    if (header.epoch >= epoch() && !HasTaken(from, header)) {
      message.payload = Payload(datagram.owner(), reader.rest().first(payload_bytes));
      const auto body = reader.rest().subspan(payload_bytes);
      message.body = std::make_shared<Bytes>(body.begin(), body.end());
      receipt = Deliver(from, message);
      if (receipt == Receipt::kTaken && header.epoch >= epoch())
        peers_[from].taken[header.epoch].Insert(header.sequence);
    } else {
      LOCKSTEP_PROBE("a datagram arrives a second time or too late");
    }
    Answer(from, receipt == Receipt::kTaken ? Kind::kAcknowledge : Kind::kLater, header);
  }

  void ArriveAbort(int from, const Header& header, FieldReader reader) {
    const int by = static_cast<int>(reader.Take<uint32_t>());
    const Code code = static_cast<Code>(reader.Take<uint8_t>());
    if (!reader.ok() || code == Code::kOk) return;
    const auto* text = reinterpret_cast<const char*>(reader.rest().data());
    Answer(from, Kind::kAcknowledge, header);
    EndEpoch(header.epoch, {by, Status(code, std::string(text, reader.rest().size()))});
  }

  Datagrams& datagrams_;
  const ReliableOptions options_;
  std::vector<Peer> peers_;
  std::vector<Loss> losses_;  // of the current epoch
};

}  // namespace

std::unique_ptr<Transport> MakeReliable(Datagrams& datagrams, const ReliableOptions& options) {
  return std::make_unique<Reliable>(datagrams, options);
}

}  // namespace lockstep::net
