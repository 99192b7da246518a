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
  for (int rank = 0; rank < description.num_ranks(); ++rank) {
    const cluster::TaskName task = description.TaskOfRank(rank);
    member.coordinator.expected.push_back({task.job, task.index, description.AddressOf(task)});
  }
  return member;
}

// `rank`: of this task in it.
cluster::Membership FirstMembership(Connection& connection, const ConnectOptions& options,
                                    int& rank) {
  std::optional<Result<cluster::Membership>> first;
  connection.control->executor().Post([&] {
    connection.member->Join([&](const Result<cluster::Membership>& result) {
      // The member is asked on its own thread.
      const int own = result.ok() ? result->RankOf(connection.member->self().incarnation) : -1;
      connection.loop.Post([&first, &rank, own, result] {
        rank = own;
        first = result;
      });
    });
  });
  connection.loop.RunUntil([&first] { return first.has_value(); }, options.limit);
  if (!first) {
    throw Error(Code::kDeadlineExceeded,
                "[multi_worker] all workers must come in time; got " + connection.member->Board());
  }
  return std::move(*first).value();
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
  int rank = -1;
  const cluster::Membership membership = FirstMembership(*connection, options, rank);
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
