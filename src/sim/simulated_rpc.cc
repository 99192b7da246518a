#include "sim/simulated_rpc.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/little_endian.h"

namespace lockstep::sim {
namespace {

constexpr uint8_t kRequest = 0;
constexpr uint8_t kAnswer = 1;
constexpr base::Duration kRefusal = std::chrono::microseconds(300);

void PutText(const std::string& text, net::FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(text.size())).PutBytes(text.data(), text.size());
}

std::string TextOf(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int RankOf(const std::string& address) {
  LOCKSTEP_CHECK(address.starts_with("rank:"));
  return std::atoi(address.c_str() + 5);
}

}  // namespace

SimulatedRpc::SimulatedRpc(net::Datagrams& datagrams, uint64_t first_call,
                           std::function<bool(int)> refuses)
    : datagrams_(datagrams),
      address_("rank:" + std::to_string(datagrams.rank())),
      refuses_(std::move(refuses)),
      next_call_(first_call) {
  datagrams_.OnReceive([this](int from, const net::Payload& datagram) { Arrive(from, datagram); });
}

SimulatedRpc::~SimulatedRpc() { datagrams_.OnReceive(nullptr); }

void SimulatedRpc::Call(const std::string& address, const std::string& method, std::string request,
                        base::Duration timeout, Answer done) {
  const uint64_t call = next_call_++;
  Pending& pending = pending_[call];
  pending.to = RankOf(address);
  pending.done = std::move(done);
  const bool refused = refuses_(pending.to);
  pending.timeout.StartAfter(executor(), refused ? kRefusal : timeout, [this, call, refused] {
    End(call, refused ? Status(Code::kUnavailable, "[rpc] connection refused")
                      : Status(Code::kDeadlineExceeded, "[rpc] no answer in time"));
  });
  auto datagram = std::make_shared<net::Bytes>();
  net::FieldWriter writer(datagram.get());
  writer.Put(kRequest).Put(call);
  PutText(method, &writer);
  writer.PutBytes(request.data(), request.size());
  if (pending.to == datagrams_.rank()) {
    // A task may call itself; that needs no wire.
    executor().Post([this, alive = std::weak_ptr<int>(alive_), call, method, request] {
      if (!alive.expired()) HandleRequest(datagrams_.rank(), call, method, request);
    });
  } else {
    datagrams_.Send(pending.to, net::Payload(std::move(datagram)));
  }
}

void SimulatedRpc::Serve(const std::string& method, Handler handler) {
  if (handler == nullptr) {
    handlers_.erase(method);
  } else {
    handlers_[method] = std::move(handler);
  }
}

void SimulatedRpc::PeerEnded(int rank) {
  if (!refuses_(rank)) return;
  for (auto& [number, pending] : pending_) {
    if (pending.to != rank) continue;
    pending.timeout.StartAfter(executor(), kRefusal, [this, call = number] {
      End(call, Status(Code::kUnavailable, "[rpc] connection reset"));
    });
  }
}

void SimulatedRpc::Arrive(int from, const net::Payload& datagram) {
  net::FieldReader reader(datagram.bytes());
  const auto kind = reader.Take<uint8_t>();
  const auto call = reader.Take<uint64_t>();
  if (kind == kRequest) {
    const auto length = reader.Take<uint32_t>();
    const std::string method = TextOf(reader.rest().first(length));
    HandleRequest(from, call, method, TextOf(reader.rest().subspan(length)));
    return;
  }
  const auto code = static_cast<Code>(reader.Take<uint8_t>());
  std::string text = TextOf(reader.rest());
  End(call, code == Code::kOk ? Result<std::string>(std::move(text))
                              : Result<std::string>(Status(code, std::move(text))));
}

void SimulatedRpc::HandleRequest(int from, uint64_t call, const std::string& method,
                                 std::string request) {
  Answer answer = [this, alive = std::weak_ptr<int>(alive_), from,
                   call](const Result<std::string>& result) {
    if (alive.expired()) return;
    if (from == datagrams_.rank()) return End(call, result);
    auto datagram = std::make_shared<net::Bytes>();
    net::FieldWriter writer(datagram.get());
    writer.Put(kAnswer).Put(call).Put(static_cast<uint8_t>(result.status().code()));
    const std::string& text = result.ok() ? *result : result.status().message();
    writer.PutBytes(text.data(), text.size());
    datagrams_.Send(from, net::Payload(std::move(datagram)));
  };
  const auto handler = handlers_.find(method);
  if (handler == handlers_.end())
    return answer(Status(Code::kUnimplemented, "[rpc] a method must be served; got " + method));
  const Handler copy = handler->second;  // which may replace itself
  copy(std::move(request), std::move(answer));
}

void SimulatedRpc::End(uint64_t call, Result<std::string> result) {
  auto pending = pending_.extract(call);
  if (pending.empty()) return;  // repeated, or too late
  pending.mapped().timeout.Stop();
  pending.mapped().done(std::move(result));
}

}  // namespace lockstep::sim
