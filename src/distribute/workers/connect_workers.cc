#include "distribute/workers/connect_workers.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "base/hash.h"
#include "base/log.h"
#include "cluster/host_arbiter.h"
#include "cluster/resolver.h"
#include "distribute/workers/job_view.h"
#include "distribute/workers/process_site.h"
#include "net/address.h"
#include "net/ports.h"
#include "net/user_token.h"

namespace lockstep::distribute {

namespace {

using cluster::Description;
using cluster::Environment;
using cluster::TaskName;

constexpr base::Duration kForEver = std::chrono::hours(24 * 365);

// The job's secret: said by a launcher, else beside the keys.
std::string TokenOf(const Environment& environment,
                    const std::optional<net::Credentials>& credentials) {
  const auto said = cluster::Lookup(environment, "LOCKSTEP_TOKEN");
  return said ? *said : credentials ? credentials->token : "";
}

// Whose address nobody says listens where the way to the others' meeting place begins; on this
// machine alone, if all are here.
std::string OwnAddress(const Description& description) {
  const std::string address = description.AddressOf(description.task);
  if (!address.empty()) return address;
  const std::string& meeting = description.coordinator;
  if (description.IsOneHost() || meeting.empty()) return "127.0.0.1:0";
  return net::OwnNumberTowards(meeting.substr(0, meeting.substr(0, meeting.find(',')).rfind(':')))
             .OrThrow() +
         ":0";
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

// A number that the launcher has set; else `otherwise`.
int NumberOf(const Environment& environment, const char* name, int otherwise) {
  const auto text = cluster::Lookup(environment, name);
  const int number = text ? std::atoi(text->c_str()) : 0;
  return number > 0 ? number : otherwise;
}

// Whether a launcher has started this task again.
bool ComesAgain(const Environment& environment) {
  return NumberOf(environment, "LOCKSTEP_RESTART", 0) > 0;
}

// Who describes the job is who may be wrong about this machine.
std::string OwnNumber(const Description& description, const std::string& host) {
  const auto number = net::OwnNumberOf(host);
  if (number.ok()) return *number;
  const std::string& text = number.status().message();
  const std::string why = text.starts_with("[host] ") ? text.substr(7) : text;
  char name[256] = "";
  static_cast<void>(::gethostname(name, sizeof name - 1));
  throw Error(number.status().code(),
              "[" + description.resolver + "] the host of " + description.task.ToString() + " '" +
                  host + "' must be this machine, which is called '" + name + "': " + why +
                  "; write this machine's name or number there, in every task, or give this task "
                  "its own index (lockstep doctor looks at all names)");
}

// A task that others could not reach would wait for them forever.
void RequireCredentials(const Description& description) {
  for (const TaskName& task : description.Tasks()) {
    const std::string address = description.AddressOf(task);
    if (description.RankOf(task) < 0 || address.empty() || net::IsLocalAddress(address)) continue;
    throw Error(Code::kFailedPrecondition,
                "[" + description.resolver + "] control between machines must be encrypted; got " +
                    task.ToString() + " at " + address +
                    " without certificates; make them with `lockstep cert --out DIR`, and set "
                    "LOCKSTEP_CREDENTIALS=DIR in every task");
  }
}

net::PortOptions DataOptions(const Description& description, const Environment& environment,
                             const std::optional<net::Credentials>& credentials) {
  const std::string own = OwnAddress(description);
  const size_t colon = own.rfind(':');
  const std::string token = TokenOf(environment, credentials);
  // A job that grows has several descriptions, but one secret. Without a secret of its own, that of
  // the user keeps other users out.
  const std::string secret =
      token.empty() ? description.cluster.ToJson() + net::UserToken().OrThrow() : token;
  net::PortOptions options{.job = base::Hash64(description.job_id + secret)};
  // A death is seen at once. Who is silent is asked by the membership, and left out.
  options.shared_memory.beat_limit = std::chrono::seconds(10);
  options.tcp.listen = OwnNumber(description, own.substr(0, colon)) + ":0";
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

void RequireRank(const Description& description) {
  if (description.rank() >= 0) return;
  const TaskName& task = description.task;
  if (task.job == "ps") {
    throw Error(Code::kInvalidArgument,
                "[multi_worker] only chief and workers train with this strategy; got " +
                    task.ToString() +
                    "; use ParameterServerStrategy on all tasks, or run `lockstep serve` here");
  }
  const bool servers = description.servers_have_ranks;
  throw Error(Code::kInvalidArgument, std::string("[multi_worker] only chief") +
                                          (servers ? ", workers and servers" : " and workers") +
                                          " train; got " + task.ToString() +
                                          "; start another program for this task");
}

// Workers, then servers, as they are described.
Roles RolesOf(const Description& description) {
  std::vector<bool> is_server;
  for (int rank = 0; rank < description.num_ranks(); ++rank)
    is_server.push_back(description.TaskOfRank(rank).job == "ps");
  return Roles(std::move(is_server));
}

cluster::MemberOptions MembershipOptions(const Description& description,
                                         const Environment& environment,
                                         const ConnectOptions& options, cluster::Arbiter* arbiter,
                                         const std::string& data_address) {
  cluster::MemberOptions member;
  member.self.job = description.task.job;
  member.self.index = description.task.index;
  member.self.data = {data_address};
  cluster::DescribeProcess(&member.self);
  member.self.devices = options.devices > 0 ? options.devices : description.DevicesHere();
  member.contacts = Contacts(description);
  member.founds = description.IsChief();
  const int servers = static_cast<int>(RolesOf(description).servers().size());
  const int most =
      NumberOf(environment, "LOCKSTEP_MAX_WORKERS", description.num_ranks() - servers) + servers;
  cluster::CoordinatorOptions& coordinator = member.coordinator;
  coordinator.hello.replicas = options.replicas;
  coordinator.hello.tasks = most;
  coordinator.min_members = NumberOf(environment, "LOCKSTEP_MIN_WORKERS", 1);
  coordinator.max_members = most;
  // A founder that cannot see that the job lives must not begin another with some of its tasks.
  coordinator.start_wait = ComesAgain(environment) ? kForEver : options.limit;
  coordinator.arbiter = arbiter;
  // A machine with more work than cores can hold a task up for a while, as its answers show before.
  coordinator.timing.silence = std::chrono::seconds(2);
  coordinator.timing.steady_silence = std::chrono::seconds(1);
  coordinator.timing.refusal = std::chrono::seconds(2);
  for (int rank = 0; rank < description.num_ranks(); ++rank) {
    const cluster::TaskName task = description.TaskOfRank(rank);
    coordinator.expected.push_back({task.job, task.index, description.AddressOf(task)});
  }
  return member;
}

// The job's roster, and what it asks.
struct Seat {
  std::unique_ptr<cluster::HostArbiter> arbiter;
  std::unique_ptr<MembershipRoster> roster;
};

// What this process is connected to, as long as somebody uses it: a second strategy of one program,
// or of a notebook's cell that runs again, is of the same job.
class Connections {
 public:
  using Connect = std::function<std::shared_ptr<Communicator>()>;

  static Connections& Global() {
    static Connections all;
    return all;
  }
  std::shared_ptr<Communicator> Find(const Description& description, const Connect& connect) {
    const std::string key = description.ToTfConfig() + '\n' + description.coordinator + '\n' +
                            description.job_directory + '\n' + description.job_id +
                            (description.servers_have_ranks ? "\nservers" : "");
    {
      const std::lock_guard lock(mutex_);
      if (auto known = connected_[key].lock()) return known;
    }
    auto fresh = connect();
    const std::lock_guard lock(mutex_);
    connected_[key] = fresh;
    return fresh;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Communicator>> connected_;
};

std::shared_ptr<Communicator> ConnectAnew(const Description& description,
                                          const Environment& environment,
                                          const ConnectOptions& options) {
  if (!description.SaysWhereToMeet()) {
    throw Error(Code::kInvalidArgument,
                cluster::DescribeMistakes({cluster::NoMeetingPlace(description)},
                                          cluster::CorrectedMeetingPlace(description)));
  }
  std::optional<net::Credentials> credentials;
  if (const auto folder = cluster::Lookup(environment, "LOCKSTEP_CREDENTIALS"))
    credentials = net::ReadCredentials(*folder).OrThrow();
  if (description.task.job == "ps") cluster::NoteServer(description.job_directory);
  const auto seat = std::make_shared<Seat>();
  seat->arbiter = std::make_unique<cluster::HostArbiter>(description.job_directory);
  const net::PortOptions data = DataOptions(description, environment, credentials);
  if (!credentials) RequireCredentials(description);
  auto site = std::make_unique<ProcessSite>(
      data, net::GrpcOptions{.listen = OwnAddress(description),
                             .credentials = credentials,
                             .token = TokenOf(environment, credentials)});
  const cluster::MemberOptions member = MembershipOptions(
      description, environment, options, seat->arbiter.get(), site->data_address());
  seat->roster = std::make_unique<MembershipRoster>(std::move(site), member, options.limit);
  // `lockstep launch`, which has given the job a directory, shows a board of its own.
  if (description.job_directory.empty()) seat->roster->TellWhoIsMissing(std::chrono::seconds(3));
  const auto file = cluster::Lookup(environment, "LOCKSTEP_FLIGHT_RECORDER");
  const auto communicator =
      ConnectOver(std::shared_ptr<MembershipRoster>(seat, seat->roster.get()),
                  {.expected = RolesOf(description),
                   .comes_again = ComesAgain(environment),
                   .is_server = description.task.job == "ps",
                   .speculates = NumberOf(environment, "LOCKSTEP_SPECULATE", 0) > 0,
                   .flight = {.file = file ? *file : "", .at_signal = file.has_value()}});
  communicator->set_default_devices(description.DevicesHere());
  communicator->HeedTermination();
  seat->roster->Publish(communicator->watch().shared_metrics(), communicator->flight());
  const auto folder = cluster::Lookup(environment, "LOCKSTEP_CREDENTIALS");
  const Status noted =
      NoteContact(description.job_directory, {.task = description.task.ToString(),
                                              .address = seat->roster->control_address(),
                                              .token = TokenOf(environment, credentials),
                                              .credentials = folder ? *folder : "",
                                              .process = ::getpid()});
  if (!noted.ok())
    base::Log(base::Severity::kInfo, "nobody can find this job by itself: " + noted.message());
  return communicator;
}

}  // namespace

std::shared_ptr<Communicator> ConnectWorkers(const Description& described,
                                             const Environment& environment,
                                             const ConnectOptions& options) {
  Description description = described;
  description.servers_have_ranks = options.servers;
  RequireRank(description);
  return Connections::Global().Find(description,
                                    [&] { return ConnectAnew(description, environment, options); });
}

std::shared_ptr<Communicator> ConnectOver(const std::shared_ptr<MembershipRoster>& roster,
                                          const Joining& joining) {
  // One that was started again before the job has begun is one of those that begin it.
  const bool enters = joining.comes_again && roster->HasBegun();
  const Roster::Epoch first = enters ? Roster::Epoch() : roster->Next(0);
  const auto communicator = std::make_shared<Communicator>(
      roster, first, joining.expected,
      [&waits = *roster](const std::function<bool()>& done) { waits.WaitUntil(done); },
      joining.is_server);
  if (joining.speculates) communicator->Speculate();
  roster->Record(communicator->flight(), joining.flight);
  return communicator;
}

}  // namespace lockstep::distribute
