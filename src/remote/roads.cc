#include "remote/roads.h"

#include "cluster/fields.h"
#include "net/grpc_rpc.h"
#include "net/port.h"
#include "remote/messages.h"

namespace lockstep::remote {

namespace {

constexpr base::Duration kAttaching = std::chrono::seconds(5);
constexpr base::Duration kMeeting = std::chrono::seconds(2);
constexpr base::Duration kBetweenQuestions = std::chrono::seconds(10);

}  // namespace

SharedRoad::SharedRoad() = default;
SharedRoad::~SharedRoad() = default;

Status SharedRoad::Open(base::EventLoop& loop, uint64_t job) {
  net::PortOptions options{.job = job};
  // A death is seen at once; silence alone is none.
  options.shared_memory.beat_limit = std::chrono::seconds(10);
  LOCKSTEP_ASSIGN_OR_RETURN(port_, net::Port::Open(loop, options));
  return Status::Ok();
}

const std::string& SharedRoad::address() const { return port_->address(); }

Status SharedRoad::Join(int rank, const std::string& peer, const std::string& name) {
  net::Membership membership{.id = 1, .rank = rank};
  membership.addresses = {rank == 0 ? address() : peer, rank == 0 ? peer : address()};
  LOCKSTEP_ASSIGN_OR_RETURN(transport_, port_->Join(membership));
  transport_->EnterEpoch(1);
  rpc_ = std::make_unique<TransportRpc>(*transport_, name);
  return Status::Ok();
}

Roads::Roads(net::Rpc& rpc, base::EventLoop& loop, base::Randomness& randomness, bool attaches)
    : rpc_(rpc), loop_(loop), randomness_(randomness), attaches_(attaches) {}
Roads::~Roads() = default;

net::Rpc& Roads::WayTo(const std::string& address) const {
  const auto road = roads_.find(address);
  if (road == roads_.end() || road->second->rpc().broken()) return rpc_;
  return road->second->rpc();
}

void Roads::Call(const std::string& address, const std::string& method, std::string request,
                 base::Duration timeout, Answer done) {
  WayTo(address).Call(address, method, std::move(request), timeout, std::move(done));
}

void Roads::CallParcel(const std::string& address, const std::string& method, net::Parcel request,
                       base::Duration timeout, ParcelAnswer done) {
  if (attaches_) AttachOnUse(address);
  WayTo(address).CallParcel(address, method, std::move(request), timeout, std::move(done));
}

// A server that has none to give is asked again after a while, in case it was started anew.
void Roads::AttachOnUse(const std::string& address) {
  const auto known = roads_.find(address);
  if (known != roads_.end() && !known->second->rpc().broken()) return;
  const base::Time now = loop_.Now();
  const auto asked = asked_.find(address);
  if (asked != asked_.end() && now < asked->second + kBetweenQuestions) return;
  asked_[address] = now;
  if (net::IsLocalAddress(address)) Attach(address, [] {});
}

void Roads::Attach(const std::string& address, std::function<void()> done) {
  const uint64_t job = randomness_.Next();
  const auto road = std::make_shared<std::unique_ptr<SharedRoad>>(std::make_unique<SharedRoad>());
  const auto known = roads_.find(address);
  if (known != roads_.end() && known->second->rpc().broken()) roads_.erase(known);
  if (roads_.contains(address) || !(*road)->Open(loop_, job).ok()) {
    loop_.Post(std::move(done));
    return;
  }
  cluster::FieldWriter writer;
  writer.Put(job).PutText((*road)->address());
  rpc_.Call(address, kAttach, writer.Take(), kAttaching,
            [this, alive = std::weak_ptr<int>(alive_), road, job, address,
             done = std::move(done)](const Result<std::string>& answer) {
              if (alive.expired()) return;
              if (!answer.ok() || !(*road)->Join(1, *answer, address).ok()) {
                done();
                return;
              }
              // A road is taken when it has led there: the server may have ended meanwhile.
              const auto led = [this, alive, job, address, done](const Result<std::string>& hello) {
                if (alive.expired()) return;
                if (hello.ok()) roads_[address] = std::move(joining_[job]);
                // It goes when none of its calls is on the stack.
                loop_.Post([this, alive, job] {
                  if (!alive.expired()) joining_.erase(job);
                });
                done();
              };
              joining_[job] = std::move(*road);
              joining_[job]->rpc().Call(address, kHello, "", kMeeting, led);
            });
}

RoadServer::RoadServer(net::Rpc& rpc, base::EventLoop& loop, std::function<void(net::Rpc&)> serve)
    : rpc_(rpc), loop_(loop), serve_(std::move(serve)) {
  rpc_.Serve(kAttach, [this](std::string request, const net::Rpc::Answer& answer) {
    Attach(request, answer);
  });
}

RoadServer::~RoadServer() { rpc_.Serve(kAttach, nullptr); }

void RoadServer::Attach(const std::string& request, const net::Rpc::Answer& answer) {
  cluster::FieldReader reader(request);
  const auto job = reader.Take<uint64_t>();
  const std::string peer = reader.TakeText();
  auto road = std::make_unique<SharedRoad>();
  Status status = reader.done() ? road->Open(loop_, job)
                                : Status(Code::kDataLoss, "[remote] a request must have its form");
  if (status.ok()) status = road->Join(0, peer, rpc_.address());
  if (!status.ok()) {
    answer(status);
    return;
  }
  serve_(road->rpc());
  road->rpc().OnEnd([this, alive = std::weak_ptr<int>(alive_), job] {
    loop_.Post([this, alive, job] {
      if (!alive.expired()) roads_.erase(job);
    });
  });
  const std::string own = road->address();
  roads_[job] = std::move(road);
  answer(own);
}

}  // namespace lockstep::remote
