#include "remote/transport_rpc.h"

#include <cstring>

#include "cluster/fields.h"

namespace lockstep::remote {

namespace {

enum Kind : uint8_t { kRequest, kAnswer, kFailure };

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

// One body goes as it is: where it lies in the transport's memory, nothing is copied.
void TransportRpc::Send(uint8_t kind, uint64_t call, std::string_view name,
                        const net::Parcel& parcel) {
  cluster::FieldWriter writer;
  writer.Put(kind).Put(call).PutText(name);
  const auto text = std::make_shared<const std::string>(writer.Take() + net::HeadOf(parcel));
  net::Message message{.epoch = transport_.epoch(), .channel = net::Channel::kRemote};
  message.payload = net::Payload(text, std::as_bytes(std::span(*text)));
  if (parcel.bodies.size() == 1) {
    message.body = parcel.bodies[0];
  } else if (!parcel.bodies.empty()) {
    net::Block block = transport_.Allocate(net::BulkBytes(parcel));
    net::WriteBulk(parcel, block.bytes.data());
    message.body = net::Payload(std::move(block));
  }
  transport_.Send(1 - transport_.rank(), std::move(message));
}

void TransportRpc::Call(const std::string& address, const std::string& method, std::string request,
                        base::Duration timeout, Answer done) {
  CallParcel(address, method, {.text = std::move(request), .bodies = {}}, timeout,
             [done = std::move(done)](Result<net::Parcel> answer) {
               done(answer.ok() ? Result<std::string>(std::move(answer->text)) : answer.status());
             });
}

void TransportRpc::CallParcel(const std::string&, const std::string& method, net::Parcel request,
                              base::Duration timeout, ParcelAnswer done) {
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
    return;
  }
  handlers_[method] = [handler = std::move(handler)](net::Parcel request,
                                                     const ParcelAnswer& answer) {
    handler(std::move(request.text), [answer](Result<std::string> result) {
      if (!result.ok()) return answer(result.status());
      answer(net::Parcel{.text = std::move(*result), .bodies = {}});
    });
  };
}

void TransportRpc::ServeParcels(const std::string& method, ParcelHandler handler) {
  if (handler == nullptr) {
    handlers_.erase(method);
  } else {
    handlers_[method] = std::move(handler);
  }
}

// Where the sender has laid it, until too much of its memory is lent.
net::Payload TransportRpc::Borrow(const net::Payload& body) {
  const size_t bytes = body.size();
  if (bytes == 0) return body;
  if (lent_->bytes.load(std::memory_order_relaxed) + bytes > kMostLentBytes ||
      lent_->bodies.load(std::memory_order_relaxed) >= kMostLentBodies) {
    net::Block copy = net::Block::OnHeap(bytes);
    std::memcpy(copy.bytes.data(), body.data(), bytes);
    return net::Payload(std::move(copy));
  }
  lent_->bytes.fetch_add(bytes, std::memory_order_relaxed);
  lent_->bodies.fetch_add(1, std::memory_order_relaxed);
  const auto give_back = [lent = lent_, bytes, owner = body.owner()](const void*) mutable {
    owner.reset();
    lent->bytes.fetch_sub(bytes, std::memory_order_relaxed);
    lent->bodies.fetch_sub(1, std::memory_order_relaxed);
  };
  return {std::shared_ptr<const void>(body.data(), give_back), body.bytes()};
}

void TransportRpc::Take(const net::Message& message) {
  cluster::FieldReader reader(
      {reinterpret_cast<const char*>(message.payload.data()), message.payload.size()});
  const auto kind = reader.Take<uint8_t>();
  const auto call = reader.Take<uint64_t>();
  const std::string name = reader.TakeText();
  Result<net::Parcel> parcel = net::ReadParcel(reader.rest(), Borrow(message.body));
  if (kind == kRequest) {
    if (parcel.ok()) return Handle(call, name, std::move(*parcel));
    const char code = static_cast<char>(parcel.status().code());
    Send(kFailure, call, std::string_view(&code, 1), {parcel.status().message(), {}});
  } else if (kind == kFailure && parcel.ok()) {
    const auto code = name.size() == 1 ? static_cast<Code>(name[0]) : Code::kInternal;
    End(call, Status(code, parcel->text));
  } else {
    End(call, std::move(parcel));
  }
}

void TransportRpc::Handle(uint64_t call, const std::string& method, net::Parcel request) {
  const auto answer = [this, alive = std::weak_ptr<int>(alive_),
                       call](const Result<net::Parcel>& result) {
    if (alive.expired() || broken()) return;
    if (result.ok()) {
      Send(kAnswer, call, "", *result);
    } else {
      const char code = static_cast<char>(result.status().code());
      Send(kFailure, call, std::string_view(&code, 1), {result.status().message(), {}});
    }
  };
  const auto handler = handlers_.find(method);
  if (handler == handlers_.end()) {
    answer(Status(Code::kUnimplemented, "[rpc] a method must be served; got " + method));
    return;
  }
  handler->second(std::move(request), answer);
}

void TransportRpc::End(uint64_t call, Result<net::Parcel> result) {
  const auto place = pending_.find(call);
  if (place == pending_.end()) return;
  const ParcelAnswer done = std::move(place->second.done);
  pending_.erase(place);
  done(std::move(result));
}

void TransportRpc::EndAll(const Status& status) {
  while (!pending_.empty()) End(pending_.begin()->first, status);
}

}  // namespace lockstep::remote
