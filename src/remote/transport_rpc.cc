#include "remote/transport_rpc.h"

#include <cstring>

#include "cluster/fields.h"

namespace lockstep::remote {

namespace {

enum Kind : uint8_t { kRequest, kAnswer, kFailure };

constexpr size_t kSmall = 2048;  // goes with the head, else as a body of its own

}  // namespace

TransportRpc::TransportRpc(net::Transport& transport, std::string address)
    : transport_(transport), address_(std::move(address)) {
  transport_.Listen(net::Channel::kRemote, [this](int, const net::Message& message) {
    Take(message);
    return net::Receipt::kTaken;
  });
  transport_.WatchAborts([this](net::Epoch, const net::Abort& abort) {
    EndAll(Status(Code::kUnavailable, abort.reason.message()));
    if (ended_ != nullptr) ended_();
  });
}

TransportRpc::~TransportRpc() {
  transport_.Listen(net::Channel::kRemote, nullptr);
  transport_.WatchAborts(nullptr);
}

void TransportRpc::Send(uint8_t kind, uint64_t call, std::string_view head, std::string_view body) {
  cluster::FieldWriter writer;
  writer.Put(kind).Put(call).PutText(head);
  net::Message message{.epoch = transport_.epoch(), .channel = net::Channel::kRemote};
  if (body.size() <= kSmall) {
    writer.PutText(body);
  } else {
    net::Block block = transport_.Allocate(body.size());
    std::memcpy(block.bytes.data(), body.data(), body.size());
    message.body = net::Payload(std::move(block));
  }
  const std::string text = writer.Take();
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  message.payload = net::Payload(std::make_shared<net::Bytes>(begin, begin + text.size()));
  transport_.Send(1 - transport_.rank(), std::move(message));
}

void TransportRpc::Call(const std::string&, const std::string& method, std::string request,
                        base::Duration timeout, Answer done) {
  if (broken()) {
    executor().Post([done = std::move(done), reason = transport_.aborted()->reason] {
      done(Status(Code::kUnavailable, reason.message()));
    });
    return;
  }
  const uint64_t call = ++next_call_;
  Pending& pending = pending_[call];
  pending.done = std::move(done);
  // Longer ones end with the epoch.
  if (timeout < std::chrono::hours(1)) {
    pending.timeout.StartAfter(executor(), timeout, [this, call, method] {
      End(call, Status(Code::kDeadlineExceeded,
                       "[rpc] a call must be answered in time; got none of " + method));
    });
  }
  Send(kRequest, call, method, request);
}

void TransportRpc::Serve(const std::string& method, Handler handler) {
  if (handler == nullptr) {
    handlers_.erase(method);
  } else {
    handlers_[method] = std::move(handler);
  }
}

void TransportRpc::Take(const net::Message& message) {
  const auto text = [](const net::Payload& payload) {
    return std::string_view(reinterpret_cast<const char*>(payload.data()), payload.size());
  };
  cluster::FieldReader reader(text(message.payload));
  const auto kind = reader.Take<uint8_t>();
  const auto call = reader.Take<uint64_t>();
  const std::string head = reader.TakeText();
  std::string body(message.body.size() > 0 ? text(message.body) : reader.TakeView());
  if (kind == kAnswer) {
    End(call, std::move(body));
    return;
  }
  if (kind == kFailure) {
    const auto code = head.size() == 1 ? static_cast<Code>(head[0]) : Code::kInternal;
    End(call, Status(code, body));
    return;
  }
  const auto answer = [this, alive = std::weak_ptr<int>(alive_),
                       call](const Result<std::string>& result) {
    if (alive.expired() || broken()) return;
    if (result.ok()) {
      Send(kAnswer, call, "", *result);
    } else {
      const char code = static_cast<char>(result.status().code());
      Send(kFailure, call, std::string_view(&code, 1), result.status().message());
    }
  };
  const auto handler = handlers_.find(head);
  if (handler == handlers_.end()) {
    answer(Status(Code::kUnimplemented, "[rpc] a method must be served; got " + head));
    return;
  }
  handler->second(std::move(body), answer);
}

void TransportRpc::End(uint64_t call, Result<std::string> result) {
  const auto place = pending_.find(call);
  if (place == pending_.end()) return;
  const Answer done = std::move(place->second.done);
  pending_.erase(place);
  done(std::move(result));
}

void TransportRpc::EndAll(const Status& status) {
  while (!pending_.empty()) End(pending_.begin()->first, status);
}

}  // namespace lockstep::remote
