#include "distribute/connect_workers.h"

#include <optional>
#include <sstream>

#include "base/event_loop.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/randomness.h"
#include "cluster/member.h"
#include "net/address.h"
#include "net/grpc_rpc.h"
#include "net/port.h"

namespace lockstep::distribute {

namespace {

using cluster::Description;
using cluster::Environment;

std::string ValueOf(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// Without an address of its own a task is on this machine.
std::string OwnAddress(const Description& description) {
  const std::string address = description.AddressOf(description.task);
  return address.empty() ? "127.0.0.1:0" : address;
}

std::vector<std::string> Contacts(const Description& description) {
  std::vector<std::string> contacts;
  std::istringstream stream(description.coordinator);
  for (std::string part; std::getline(stream, part, ',');) contacts.push_back(part);
  for (int rank = 0; rank < description.num_ranks(); ++rank) {
    const std::string address = description.AddressOf(description.TaskOfRank(rank));
    if (!address.empty() && !address.ends_with(":0")) contacts.push_back(address);
  }
  return contacts;
}

// What connects a task, for the life of its communicator.
struct Connection {
  base::EventLoop loop;  // data; run by the thread that trains
  std::unique_ptr<net::Port> port;
  base::SystemRandomness randomness;
  std::unique_ptr<base::EventThread> control;
  std::unique_ptr<net::Rpc> rpc;
  std::unique_ptr<cluster::Member> member;
  std::unique_ptr<net::Transport> transport;

  ~Connection() {
    EndTogether();
    transport.reset();
    port.reset();
    if (control == nullptr) return;
    // What lives on the control thread ends there.
    bool gone = false;
    control->executor().Post([&] {
      member.reset();
      rpc.reset();
      loop.Post([&gone] { gone = true; });
    });
    loop.RunUntil([&gone] { return gone; }, std::chrono::seconds(5));
  }

  // Who left while others still wait for a third one's last message would end their epoch.
  void EndTogether() {
    if (member == nullptr || transport == nullptr || transport->aborted() != nullptr) return;
    const auto met = std::make_shared<bool>(false);
    control->executor().Post([this, met] {
      member->Barrier("end", std::chrono::seconds(10),
                      [this, met](const Status&) { loop.Post([met] { *met = true; }); });
    });
    loop.RunUntil([&] { return *met || transport->aborted() != nullptr; },
                  std::chrono::seconds(10));
  }
};

net::PortOptions DataOptions(const Description& description, const Environment& environment,
                             const std::optional<net::Credentials>& credentials) {
  const std::string own = OwnAddress(description);
  net::PortOptions options{.job = base::Hash64(description.job_id +
                                               ValueOf(environment, "LOCKSTEP_TOKEN") +
                                               description.cluster.ToJson())};
  // A death is seen at once; silence is not taken for one while nobody could take over.
  options.shared_memory.beat_limit = std::chrono::seconds(10);
  options.tcp.listen = own.substr(0, own.rfind(':')) + ":0";
  options.credentials = credentials;
  if (!credentials) {
    if (net::IsLocalAddress(own)) {
      options.tcp.plain_text = true;
    } else {
      options.tcp.listen.clear();
    }
  }
  return options;
}

cluster::MemberOptions MembershipOptions(const Description& description,
                                         const ConnectOptions& options,
                                         const std::string& data_address) {
  cluster::MemberOptions member;
  member.self.job = description.task.job;
  member.self.index = description.task.index;
  member.self.data = {data_address};
  member.self.host = net::HostId();
  member.self.devices = std::max(1, options.devices);
  member.contacts = Contacts(description);
  member.founds = description.IsChief();
  member.coordinator.hello.replicas = options.replicas;
  member.coordinator.hello.tasks = description.num_ranks();
  member.coordinator.min_members = description.num_ranks();
  member.coordinator.start_wait = options.limit;
  // Nobody can take over for a task yet, so patience costs nothing.
  member.coordinator.timing.refusal = std::chrono::seconds(5);
  member.coordinator.timing.silence = std::chrono::seconds(10);
  for (int rank = 0; rank < description.num_ranks(); ++rank) {
    const cluster::TaskName task = description.TaskOfRank(rank);
    member.coordinator.expected.push_back({task.job, task.index, description.AddressOf(task)});
  }
  return member;
}

// What the control thread has told the one that trains.
struct Arrival {
  cluster::Membership membership;  // the newest that all tasks have met in
  int rank = -1;                   // of this task in it
  std::optional<Status> fault;
};

// Meets the others in each membership that is whole. A task may be let in twice, as when it did not
// answer for a moment; so the first membership that it hears of need not be the one of the others.
void MeetOthers(Connection& connection, const ConnectOptions& options, size_t tasks,
                const std::shared_ptr<Arrival>& arrival) {
  base::EventLoop& loop = connection.loop;
  cluster::Member& member = *connection.member;
  const auto fail = [&loop, arrival](const Status& why) {
    loop.Post([arrival, why] { arrival->fault = why; });
  };
  member.OnEpoch([&, tasks, fail, arrival, limit = options.limit](
                     const cluster::Membership& membership, int rank) {
    if (membership.peers.size() != tasks) return;
    member.Barrier("connect", limit, [=, &loop](const Status& met) {
      // The next membership has another meeting; a task that was left out joins again by itself.
      if (met.code() == Code::kAborted || met.code() == Code::kNotFound) return;
      if (!met.ok()) return fail(met);
      loop.Post([=] {
        arrival->membership = membership;
        arrival->rank = rank;
      });
    });
  });
  member.Join([fail](const Result<cluster::Membership>& first) {
    if (!first.ok()) fail(first.status());
  });
}

// The membership in which all tasks have met.
Arrival Arrive(Connection& connection, const ConnectOptions& options, size_t tasks) {
  const auto arrival = std::make_shared<Arrival>();
  connection.control->executor().Post(
      [&connection, &options, tasks, arrival] { MeetOthers(connection, options, tasks, arrival); });
  const bool in_time = connection.loop.RunUntil(
      [&arrival] { return arrival->rank >= 0 || arrival->fault; }, options.limit);
  if (arrival->fault) throw Error(arrival->fault->code(), arrival->fault->message());
  if (!in_time) {
    throw Error(Code::kDeadlineExceeded,
                "[multi_worker] all workers must come in time; got " + connection.member->Board());
  }
  connection.control->executor().Post([&connection] { connection.member->OnEpoch(nullptr); });
  return *arrival;
}

}  // namespace

std::shared_ptr<Communicator> ConnectWorkers(const Description& description,
                                             const Environment& environment,
                                             const ConnectOptions& options) {
  if (description.rank() < 0) {
    throw Error(Code::kInvalidArgument, "[multi_worker] only chief and workers train; got " +
                                            description.task.ToString() +
                                            "; start another program for this task");
  }
  auto connection = std::make_shared<Connection>();
  const std::string folder = ValueOf(environment, "LOCKSTEP_CREDENTIALS");
  std::optional<net::Credentials> credentials;
  if (!folder.empty()) credentials = net::ReadCredentials(folder).OrThrow();
  connection->port =
      net::Port::Open(connection->loop, DataOptions(description, environment, credentials)).value();
  connection->control = std::make_unique<base::EventThread>();
  connection->rpc = net::MakeGrpcRpc(connection->control->executor(),
                                     {.listen = OwnAddress(description),
                                      .credentials = credentials,
                                      .token = ValueOf(environment, "LOCKSTEP_TOKEN")})
                        .value();
  connection->member = std::make_unique<cluster::Member>(
      *connection->rpc, connection->randomness,
      MembershipOptions(description, options, connection->port->address()));
  const auto [membership, rank, fault] =
      Arrive(*connection, options, static_cast<size_t>(description.num_ranks()));
  net::Membership data{.id = membership.epoch, .rank = rank};
  for (const cluster::Peer& peer : membership.peers) data.addresses.push_back(peer.data.at(0));
  connection->transport = connection->port->Join(data).value();
  connection->transport->EnterEpoch(membership.epoch);
  base::Log(base::Severity::kInfo, "multi_worker: " + ToString(membership));
  base::EventLoop& loop = connection->loop;
  net::Transport& transport = *connection->transport;
  return std::make_shared<Communicator>(
      transport,
      [&loop](const std::function<bool()>& done) {
        while (!loop.RunUntil(done, std::chrono::hours(1))) {
        }
      },
      connection);
}

}  // namespace lockstep::distribute
