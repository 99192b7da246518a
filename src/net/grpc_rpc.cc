#include "net/grpc_rpc.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/requested_memory.h"
#include "net/file_descriptor.h"
#include "net/limited_listener.h"
#include "net/tcp_socket.h"
#include "net/user_token.h"

namespace lockstep::net {
namespace {

constexpr char kTokenKey[] = "lockstep-token";
constexpr char kService[] = "/lockstep/";
// Memory that all connections together may hold before gRPC stops reading from them.
constexpr size_t kConnectionMemory = size_t{64} << 20;
constexpr int kStreamsOfAConnection = 256;
// Who has connected and does not go on is sent away after this.
constexpr int kHandshakeMilliseconds = 5000;
// Longer than a task is waited for that is silent: whom a connection leads to is out by then.
constexpr int kUnacknowledgedMilliseconds = 3000;

grpc::ByteBuffer BufferOf(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  text.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices)
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

// The bodies are sent from where they lie.
grpc::ByteBuffer BufferOf(const Parcel& parcel) {
  std::vector<grpc::Slice> slices{grpc::Slice(BeginOf(parcel))};
  static constexpr char kGap[64] = {};
  size_t at = 0;
  for (const Payload& body : parcel.bodies) {
    const size_t gap = (sizeof(kGap) - at % sizeof(kGap)) % sizeof(kGap);
    if (gap > 0) slices.emplace_back(kGap, gap, grpc::Slice::STATIC_SLICE);
    at += gap + body.size();
    if (body.size() == 0) continue;
    auto* held = new Payload(body);
    slices.emplace_back(
        const_cast<std::byte*>(body.data()), body.size(),
        [](void* payload) { delete static_cast<Payload*>(payload); }, held);
  }
  return {slices.data(), slices.size()};
}

// In one piece, so that bodies are where tensors may be.
Result<Parcel> ParcelOf(const grpc::ByteBuffer& buffer) {
  Block block = Block::OnHeap(buffer.Length());
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok())
    return Status(Code::kDataLoss, "[rpc] a parcel must have arrived; got none");
  size_t at = 0;
  for (const grpc::Slice& slice : slices) {
    std::memcpy(block.bytes.data() + at, slice.begin(), slice.size());
    at += slice.size();
  }
  return Unpack(Payload(std::move(block)));
}

// gRPC's codes and ours have the same numbers.
Status FromGrpc(const grpc::Status& status, const std::string& address) {
  const int code = static_cast<int>(status.error_code());
  const bool is_known = code > 0 && code <= static_cast<int>(Code::kUnauthenticated);
  return Status(is_known ? static_cast<Code>(code) : Code::kUnknown,
                status.error_message() + " (" + address + ")");
}

grpc::Status ToGrpc(const Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), status.message());
}

// Takes the same time wherever the texts differ.
bool IsSameToken(const std::string& expected, const grpc::string_ref& given) {
  unsigned difference = expected.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size() && !expected.empty(); ++i)
    difference |= static_cast<unsigned char>(expected[i % expected.size()] ^ given.data()[i]);
  return difference == 0;
}

// One call that came in. Ends once: by the answer, or by the end of the server.
class Incoming {
 public:
  class Reactor;
  explicit Incoming(Reactor* reactor) : reactor_(reactor) {}
  ~Incoming() {
    Finish(Status(Code::kCancelled, "[rpc] a call must be answered; got a handler that did not"));
  }
  void Finish(const Result<grpc::ByteBuffer>& result);

 private:
  std::mutex mutex_;
  Reactor* reactor_;  // guarded by mutex_; null once finished
};

// The way from gRPC's threads to the executor; closed before either end goes.
class Gate {
 public:
  explicit Gate(base::Executor& executor) : executor_(executor) {}

  void BeginOutgoing() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++outgoing_;
  }
  // The last thing that gRPC's thread does with the call.
  void EndOutgoing(base::Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (open_) executor_.Post(std::move(work));
    if (--outgoing_ == 0) no_outgoing_.notify_all();
  }
  // Cancelled calls end in well under a millisecond.
  void WaitForOutgoing() {
    std::unique_lock<std::mutex> lock(mutex_);
    no_outgoing_.wait(lock, [this] { return outgoing_ == 0; });
  }
  void PostCall(const std::shared_ptr<Incoming>& call, base::Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!open_) return;
    std::erase_if(incoming_, [](const auto& weak) { return weak.expired(); });
    incoming_.push_back(call);
    executor_.Post(std::move(work));
  }
  // What has come in and is not answered.
  std::vector<std::weak_ptr<Incoming>> Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = false;
    return std::move(incoming_);
  }
  bool open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return open_;
  }
  base::Time Now() const { return executor_.Now(); }

 private:
  std::mutex mutex_;
  base::Executor& executor_;
  std::vector<std::weak_ptr<Incoming>> incoming_;  // guarded by mutex_
  bool open_ = true;                               // guarded by mutex_
  int outgoing_ = 0;                               // guarded by mutex_
  std::condition_variable no_outgoing_;
};

class GrpcRpc;

// Lives until gRPC says that the call is over.
class Incoming::Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(std::string method, std::shared_ptr<Gate> gate, GrpcRpc* rpc)
      : method_(std::move(method)), gate_(std::move(gate)), rpc_(rpc) {}
  void Read() { StartRead(&request_); }
  void Refuse(const Status& status) { grpc::ServerGenericBidiReactor::Finish(ToGrpc(status)); }
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }
  void Answer(const Result<grpc::ByteBuffer>& result) {
    if (!result.ok()) return Refuse(result.status());
    response_ = *result;
    StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
  }

 private:
  const std::string method_;
  const std::shared_ptr<Gate> gate_;
  GrpcRpc* const rpc_;  // used by work of the gate only
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

void Incoming::Finish(const Result<grpc::ByteBuffer>& result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (reactor_ == nullptr) return;
  std::exchange(reactor_, nullptr)->Answer(result);
}

class GrpcRpc final : public Rpc, public grpc::CallbackGenericService {
 public:
  // `user_token` counts where the options have no token.
  GrpcRpc(base::Executor& executor, const GrpcOptions& options, std::string user_token)
      : executor_(executor),
        options_(options),
        user_token_(std::move(user_token)),
        gate_(std::make_shared<Gate>(executor)) {}

  ~GrpcRpc() override {
    for (const auto& weak : gate_->Close()) {
      if (const auto call = weak.lock())
        call->Finish(Status(Code::kUnavailable, "[rpc] the task has ended"));
    }
    for (const auto& [number, call] : outgoing_) call->context.TryCancel();
    // Else the last of them would end gRPC's threads on one of those.
    gate_->WaitForOutgoing();
    listener_.reset();
    // What runs without the gate has no call to be told of.
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::time_point());
  }

  Status Start() {
    grpc::ServerBuilder builder;
    // We listen ourselves, as gRPC has no limit for connections.
    const bool is_unix = options_.listen.starts_with("unix:");
    std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
    if (is_unix) {
      builder.AddListeningPort(options_.listen, ServerCredentials());
      address_ = options_.listen;
    } else {
      auto listener = LimitedListener::Open(options_.listen);
      if (!listener.ok()) return NotFree(listener.status());
      listener_ = std::move(*listener);
      address_ = listener_->address();
      acceptor = builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          ServerCredentials());
    }
    expected_token_ = options_.insecure ? "" : TokenOfCallsTo(address_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(options_.longest_message));
    builder.SetMaxSendMessageSize(static_cast<int>(options_.longest_message));
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMilliseconds);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsOfAConnection);
    builder.SetResourceQuota(grpc::ResourceQuota("lockstep").Resize(kConnectionMemory));
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return NotFree(Status(Code::kUnavailable, "gRPC does not begin"));
    if (is_unix) chmod(options_.listen.substr(sizeof("unix:") - 1).c_str(), 0600);
    if (options_.insecure)
      base::Log(base::Severity::kWarning,
                "[rpc] --insecure: every user of this machine may call " + address_);
    if (listener_ != nullptr) {
      listener_->Begin([acceptor](FileDescriptor connection) {
        LimitUnacknowledged(connection.get(), kUnacknowledgedMilliseconds);
        grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
        parameters.fd = connection.Release();
        acceptor->HandleNewConnection(&parameters);
      });
    }
    return Status::Ok();
  }

  Status NotFree(const Status& why) const {
    return Status(Code::kUnavailable, "[rpc] the address must be free and of this machine; got " +
                                          options_.listen + ": " + why.message() +
                                          "; name another port, or port 0");
  }

  base::Executor& executor() override { return executor_; }
  const std::string& address() const override { return address_; }

  void Serve(const std::string& method, Rpc::Handler handler) override {
    if (handler == nullptr) {
      handlers_.erase(method);
      return;
    }
    handlers_[method] = [handler = std::move(handler)](const grpc::ByteBuffer& request,
                                                       const std::shared_ptr<Incoming>& call) {
      handler(TextOf(request), [call](const Result<std::string>& result) {
        call->Finish(result.ok() ? Result<grpc::ByteBuffer>(BufferOf(*result)) : result.status());
      });
    };
  }

  void ServeParcels(const std::string& method, ParcelHandler handler) override {
    if (handler == nullptr) return Serve(method, nullptr);
    handlers_[method] = [handler = std::move(handler)](const grpc::ByteBuffer& request,
                                                       const std::shared_ptr<Incoming>& call) {
      Result<Parcel> parcel = ParcelOf(request);
      if (!parcel.ok()) return call->Finish(parcel.status());
      handler(std::move(*parcel), [call](const Result<Parcel>& result) {
        call->Finish(result.ok() ? Result<grpc::ByteBuffer>(BufferOf(*result)) : result.status());
      });
    };
  }

  void Call(const std::string& address, const std::string& method, std::string request,
            base::Duration timeout, Answer done) override {
    Send(address, method, BufferOf(request), timeout,
         [done = std::move(done)](const Result<grpc::ByteBuffer>& answer) {
           done(answer.ok() ? Result<std::string>(TextOf(*answer)) : answer.status());
         });
  }

  void CallParcel(const std::string& address, const std::string& method, Parcel request,
                  base::Duration timeout, ParcelAnswer done) override {
    Send(address, method, BufferOf(request), timeout,
         [done = std::move(done)](const Result<grpc::ByteBuffer>& answer) {
           done(answer.ok() ? ParcelOf(*answer) : answer.status());
         });
  }

 private:
  friend class Incoming::Reactor;
  using OnBuffer = std::function<void(const Result<grpc::ByteBuffer>&)>;

  void Send(const std::string& address, const std::string& method, const grpc::ByteBuffer& request,
            base::Duration timeout, OnBuffer done) {
    if (!options_.credentials && !options_.trusted_network && !IsLocalAddress(address)) {
      executor_.Post([address, done = std::move(done)] {
        done(Status(Code::kFailedPrecondition,
                    "[rpc] calls beyond this machine must be encrypted; "
                    "got " +
                        address +
                        " without certificates; make "
                        "them with `lockstep cert --out DIR`, and set LOCKSTEP_CREDENTIALS=DIR in "
                        "every task"));
      });
      return;
    }
    const uint64_t number = next_call_++;
    auto& call =
        *(outgoing_[number] = std::make_unique<Outgoing>(address, std::move(done), request));
    call.context.set_deadline(std::chrono::system_clock::now() +
                              std::chrono::duration_cast<std::chrono::microseconds>(timeout));
    const std::string token = TokenOfCallsTo(address);
    if (!token.empty()) call.context.AddMetadata(kTokenKey, token);
    gate_->BeginOutgoing();
    Stub(address).UnaryCall(&call.context, kService + method, grpc::StubOptions(), &call.request,
                            &call.response,
                            [this, number, &call, gate = gate_](grpc::Status status) {
                              call.status = std::move(status);
                              gate->EndOutgoing([this, number, gate] {
                                if (gate->open()) Done(number);
                              });
                            });
  }

  // The user's token does not leave the machine.
  std::string TokenOfCallsTo(const std::string& address) const {
    if (!options_.token.empty() || user_token_.empty()) return options_.token;
    return IsLocalAddress(address) ? TokenFor(user_token_, address) : "";
  }

  struct Outgoing {
    Outgoing(std::string called, OnBuffer then, grpc::ByteBuffer sent)
        : address(std::move(called)), done(std::move(then)), request(std::move(sent)) {}
    const std::string address;
    const OnBuffer done;
    const grpc::ByteBuffer request;
    grpc::ByteBuffer response;
    grpc::ClientContext context;
    grpc::Status status;
  };

  void Done(uint64_t number) {
    const auto call = std::move(outgoing_.extract(number).mapped());
    if (call->status.ok()) {
      call->done(call->response);
    } else {
      call->done(FromGrpc(call->status, call->address));
    }
  }

  // On a thread of gRPC.
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const std::string& path = context->method();
    const std::string method =
        path.starts_with(kService) ? path.substr(sizeof(kService) - 1) : std::string();
    auto* reactor = new Incoming::Reactor(method, gate_, this);
    const auto& metadata = context->client_metadata();
    const auto token = metadata.find(kTokenKey);
    const grpc::string_ref given = token == metadata.end() ? grpc::string_ref() : token->second;
    if (!expected_token_.empty() && !IsSameToken(expected_token_, given)) {
      SayRefused(context->peer());
      const std::string got = given.empty() ? "none" : "another";
      reactor->Refuse(Status(
          Code::kUnauthenticated,
          options_.token.empty()
              ? "[rpc] only the user of the task at " + address_ + " may call it; got " +
                    (given.empty() ? "no token" : "the token of another user") +
                    "; run the client as that user, set the same LOCKSTEP_TOKEN for both, or start "
                    "the server with --insecure"
              : "[rpc] a call must carry the job's token; got " + got +
                    "; give every task the same LOCKSTEP_TOKEN"));
    } else {
      reactor->Read();
    }
    return reactor;
  }

  // One line a second at most, whoever knocks how often.
  void SayRefused(const std::string& peer) {
    const std::lock_guard<std::mutex> lock(refused_mutex_);
    ++refused_;
    const base::Time now = gate_->Now();
    if (said_refused_ != base::Time() && now - said_refused_ < std::chrono::seconds(1)) return;
    said_refused_ = now;
    base::Log(base::Severity::kWarning, "[rpc] refused a call without the job's token from " +
                                            peer + " (" + std::to_string(refused_) + " so far)");
  }

  void Handle(const std::string& method, const grpc::ByteBuffer& request,
              const std::shared_ptr<Incoming>& call) {
    const auto handler = handlers_.find(method);
    if (handler == handlers_.end()) {
      call->Finish(Status(Code::kUnimplemented, "[rpc] a method must be served; got " + method));
      return;
    }
    const auto copy = handler->second;  // which may replace itself
    copy(request, call);
  }

  std::shared_ptr<grpc::ServerCredentials> ServerCredentials() const {
    if (!options_.credentials) return grpc::InsecureServerCredentials();
    grpc::SslServerCredentialsOptions ssl(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    ssl.pem_root_certs = options_.credentials->authority;
    ssl.pem_key_cert_pairs.push_back(
        {options_.credentials->server_key, options_.credentials->server_certificate});
    return grpc::SslServerCredentials(ssl);
  }

  std::shared_ptr<grpc::ChannelCredentials> ChannelCredentials() const {
    if (!options_.credentials) return grpc::InsecureChannelCredentials();
    return grpc::SslCredentials({options_.credentials->authority, options_.credentials->client_key,
                                 options_.credentials->client_certificate});
  }

  grpc::GenericStub& Stub(const std::string& address) {
    auto& stub = stubs_[address];
    if (stub != nullptr) return *stub;
    grpc::ChannelArguments arguments;
    if (options_.credentials) arguments.SetSslTargetNameOverride(kJobName);
    arguments.SetMaxReceiveMessageSize(static_cast<int>(options_.longest_message));
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
    // A connection through a network that was cut is given up, or it would wait for as long again
    // as the cut took: this sets the limit for what the other side's system does not acknowledge.
    // No pings are sent: they begin after a day.
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 24 * 3600 * 1000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kUnacknowledgedMilliseconds);
    // Who is not there yet is tried again soon; the callers decide how often they ask.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
    // A refusal that is older than this says nothing of a task that has just begun to listen.
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
    stub = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(address, ChannelCredentials(), arguments));
    return *stub;
  }

  base::Executor& executor_;
  const GrpcOptions options_;
  const std::string user_token_;
  const std::shared_ptr<Gate> gate_;
  std::string address_;
  std::string expected_token_;  // of calls that come in; empty: none is asked for
  using Taker = std::function<void(const grpc::ByteBuffer&, const std::shared_ptr<Incoming>&)>;
  std::map<std::string, Taker> handlers_;
  std::map<std::string, std::unique_ptr<grpc::GenericStub>> stubs_;
  std::map<uint64_t, std::unique_ptr<Outgoing>> outgoing_;
  uint64_t next_call_ = 0;
  std::mutex refused_mutex_;
  base::Time said_refused_{};  // guarded by refused_mutex_
  uint64_t refused_ = 0;       // guarded by refused_mutex_
  std::unique_ptr<LimitedListener> listener_;
  std::unique_ptr<grpc::Server> server_;
};

void Incoming::Reactor::OnReadDone(bool ok) {
  if (!ok) return Refuse(Status(Code::kInvalidArgument, "[rpc] a call must carry a request"));
  auto call = std::make_shared<Incoming>(this);
  // If the gate is closed, the call ends with the last reference to it: here.
  gate_->PostCall(call, [gate = gate_, rpc = rpc_, method = method_, request = request_, call] {
    if (gate->open()) rpc->Handle(method, request, call);
  });
}

// gRPC's lines speak of its insides; what matters is in the status of each call.
void LogOfGrpc(gpr_log_func_args* line) {
  base::Log(base::Severity::kDebug, std::string("[grpc] ") + line->message);
}

bool MeansAllInterfaces(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return host.empty() || host == "0.0.0.0" || host == "[::]" || host == "*" || host == "::";
}

}  // namespace

bool IsLocalAddress(const std::string& address) {
  return address.starts_with("unix:") || address.starts_with("127.") ||
         address.starts_with("localhost:") || address.starts_with("[::1]:");
}

namespace {

Status HasRoomForThreads() {
  constexpr uint64_t kThreads = 12, kUsualStack = uint64_t{8} << 20;
  const base::AddressSpace space = base::ReadAddressSpace();
  if (space.limit == std::numeric_limits<uint64_t>::max()) return Status::Ok();
  mallopt(M_ARENA_MAX, 1);
  rlimit stack{};
  const bool known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
  const uint64_t needed = kThreads * (known ? stack.rlim_cur : kUsualStack);
  const uint64_t left = space.limit - std::min(space.used, space.limit);
  if (left >= needed) return Status::Ok();
  return Status(Code::kResourceExhausted,
                "[rpc] " + std::to_string(needed) + " bytes of address space are needed for " +
                    std::to_string(kThreads) + " threads; got " + std::to_string(left) +
                    " bytes, with " + std::to_string(space.used) + " in use and a limit of " +
                    std::to_string(space.limit) + "; give this process more (ulimit -v)");
}

Status HasRoomForFiles() {
  constexpr size_t kNeeded = 16;
  std::vector<FileDescriptor> files;
  while (files.size() < kNeeded) {
    files.emplace_back(eventfd(0, EFD_CLOEXEC));
    if (files.back().ok()) continue;
    return Status(Code::kResourceExhausted,
                  "[rpc] a process must be able to open " + std::to_string(kNeeded) +
                      " more files; got " + std::to_string(files.size() - 1) +
                      ", then: " + std::strerror(errno) + "; let it open more (ulimit -n)");
  }
  return Status::Ok();
}

}  // namespace

Status HasRoomForRpc() {
  LOCKSTEP_RETURN_IF_ERROR(HasRoomForThreads());
  return HasRoomForFiles();
}

Result<std::unique_ptr<Rpc>> MakeGrpcRpc(base::Executor& executor, const GrpcOptions& options) {
  const bool is_unix = options.listen.starts_with("unix:");
  if (!is_unix &&
      (options.listen.rfind(':') == std::string::npos || MeansAllInterfaces(options.listen)))
    return Status(Code::kInvalidArgument, "[rpc] the interface to listen on must be named; got '" +
                                              options.listen +
                                              "'; give its address, for example "
                                              "10.0.0.7:0");
  if (!IsLocalAddress(options.listen) && !options.credentials) {
    if (!options.trusted_network)
      return Status(Code::kFailedPrecondition,
                    "[rpc] control between machines must be encrypted; got " + options.listen +
                        " without certificates; make them with `lockstep cert --out DIR` and set "
                        "LOCKSTEP_CREDENTIALS=DIR in every task, or say that the network is "
                        "private with --trusted-network");
    base::Log(base::Severity::kWarning,
              "[rpc] --trusted-network: control is not encrypted at " + options.listen);
  }
  if (!IsLocalAddress(options.listen) && options.token.empty())
    return Status(Code::kFailedPrecondition,
                  "[rpc] tasks on several machines must share a token; "
                  "got none (" +
                      options.listen +
                      "); set "
                      "LOCKSTEP_TOKEN in every task");
  if (options.insecure && !IsLocalAddress(options.listen))
    return Status(Code::kInvalidArgument,
                  "[rpc] --insecure is for an address of this machine alone; got " +
                      options.listen + "; set LOCKSTEP_TOKEN in every task instead");
  std::string user_token;
  if (options.token.empty()) {
    auto own = UserToken();
    if (!own.ok() && !options.insecure) return own.status();
    if (own.ok()) user_token = std::move(*own);
  }
  LOCKSTEP_RETURN_IF_ERROR(HasRoomForRpc());
  gpr_set_log_function(LogOfGrpc);
  auto rpc = std::make_unique<GrpcRpc>(executor, options, std::move(user_token));
  LOCKSTEP_RETURN_IF_ERROR(rpc->Start());
  return std::unique_ptr<Rpc>(std::move(rpc));
}

}  // namespace lockstep::net
