#include "distribute/workers/flight_reporter.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/signal_count.h"

namespace lockstep::distribute {
namespace {

using collectives::FlightLog;
using collectives::FlightRecord;

constexpr const char* kMethod = "flight.Read";
constexpr size_t kEpochsKept = 4;
constexpr auto kSignalPeriod = std::chrono::milliseconds(100);

bool Waits(const FlightLog& log, uint64_t epoch) {
  for (const FlightRecord& record : log.records) {
    if (record.what == FlightRecord::What::kCall && record.epoch == epoch &&
        record.state != FlightRecord::State::kDone)
      return true;
  }
  return false;
}

// The lowest rank that waits for something; who logs what all of them find.
int FirstWaiting(const std::vector<std::optional<FlightLog>>& logs, uint64_t epoch) {
  for (size_t rank = 0; rank < logs.size(); ++rank)
    if (logs[rank] && Waits(*logs[rank], epoch)) return static_cast<int>(rank);
  return -1;
}

}  // namespace

FlightReporter::FlightReporter(net::Rpc& rpc, std::shared_ptr<Flight> flight, FlightOptions options)
    : rpc_(rpc), flight_(std::move(flight)), options_(std::move(options)) {
  rpc_.Serve(kMethod, [this](const std::string&, const net::Rpc::Answer& answer) {
    answer(collectives::ToText(flight_->recorder().Read(Now(), options_.most)));
  });
  base::Executor& executor = rpc_.executor();
  flight_->Tell(
      [this, &executor, alive = std::weak_ptr<int>(alive_)](uint64_t epoch, bool aborted) {
        executor.Post([this, alive, epoch, aborted] {
          if (!alive.expired()) Report(epoch, aborted);
        });
      });
  if (!options_.at_signal) return;
  base::CountSignal(SIGUSR1);
  WatchSignal();
}

FlightReporter::~FlightReporter() {
  flight_->Tell(nullptr);
  rpc_.Serve(kMethod, nullptr);
}

void FlightReporter::Enter(uint64_t epoch, std::vector<std::string> addresses) {
  addresses_[epoch] = std::move(addresses);
  while (addresses_.size() > kEpochsKept) addresses_.erase(addresses_.begin());
}

void FlightReporter::Inquire(uint64_t epoch, std::function<void(const Finding&)> done) {
  struct Inquiry {
    Finding finding;
    size_t missing = 0;
    std::function<void(const Finding&)> done;
  };
  const auto inquiry = std::make_shared<Inquiry>();
  const FlightLog own = flight_->recorder().Read(Now(), options_.most);
  std::vector<std::string> addresses;
  if (const auto found = addresses_.find(epoch); found != addresses_.end())
    addresses = found->second;
  inquiry->finding.logs.resize(addresses.size());
  inquiry->missing = addresses.size();
  inquiry->done = std::move(done);
  ++asking_;
  const auto take = [this, epoch, inquiry, alive = std::weak_ptr<int>(alive_)](
                        size_t rank, const Result<std::string>& text) {
    if (alive.expired()) return;
    if (text.ok()) {
      if (auto log = collectives::ParseFlightLog(*text); log.ok())
        inquiry->finding.logs[rank] = std::move(*log);
    }
    if (--inquiry->missing > 0) return;
    --asking_;
    inquiry->finding.difference = collectives::FirstDifference(inquiry->finding.logs, epoch);
    inquiry->done(inquiry->finding);
  };
  for (size_t rank = 0; rank < addresses.size(); ++rank) {
    if (addresses[rank] == rpc_.address()) {
      rpc_.executor().Post([take, rank, own] { take(rank, collectives::ToText(own)); });
      continue;
    }
    Ask(addresses[rank], options_.tries,
        [take, rank](const Result<std::string>& text) { take(rank, text); });
  }
  if (!addresses.empty()) return;
  --asking_;
  inquiry->done(inquiry->finding);
}

void FlightReporter::Ask(const std::string& address, int tries,
                         std::function<void(const Result<std::string>&)> done) {
  rpc_.Call(address, kMethod, "", options_.limit,
            [this, address, tries, done = std::move(done),
             alive = std::weak_ptr<int>(alive_)](const Result<std::string>& text) {
              const bool late = text.status().code() == Code::kDeadlineExceeded;
              if (late && tries > 1 && !alive.expired()) return Ask(address, tries - 1, done);
              done(text);
            });
}

void FlightReporter::Report(uint64_t epoch, bool aborted) {
  // What is known here must be in the file even if nobody answers in time.
  if (aborted) (void)Dump("");
  Inquire(epoch, [this, epoch, aborted](const Finding& finding) {
    if (on_finding_) on_finding_(finding);
    if (finding.difference.empty()) return;
    const auto found = addresses_.find(epoch);
    const int first = FirstWaiting(finding.logs, epoch);
    if (found != addresses_.end() && first >= 0 &&
        found->second[static_cast<size_t>(first)] == rpc_.address()) {
      // If a task ended, its end is the reason, and the recovery says so. The calls that the others
      // were in at that moment are details.
      const bool a_task_ended =
          aborted && std::any_of(finding.logs.begin(), finding.logs.end(),
                                 [](const auto& log) { return !log.has_value(); });
      base::Log(a_task_ended ? base::Severity::kDebug : base::Severity::kWarning,
                "flight: " + finding.difference);
    }
    if (aborted) (void)Dump(finding.difference);
  });
}

Status FlightReporter::Dump(const std::string& difference) {
  if (options_.file.empty()) return Status::Ok();
  base::FileSystem& files = options_.files == nullptr ? base::LocalFiles() : *options_.files;
  const FlightLog log = flight_->recorder().Read(Now());
  std::string text = difference.empty() ? "" : "# " + difference + "\n";
  text += collectives::ToText(log);
  const std::string path = options_.file + "." + std::to_string(log.rank);
  const auto write = [&]() -> Status {
    auto file = files.Create(path);
    if (!file.ok()) return file.status();
    if (Status status = (*file)->Append(std::as_bytes(std::span(text))); !status.ok())
      return status;
    return (*file)->Close();
  };
  const Status status = write();
  if (!status.ok())
    base::Log(base::Severity::kWarning,
              "flight: the records can't be written; " + std::string(status.message()));
  return status;
}

void FlightReporter::WatchSignal() {
  const uint64_t signals = base::SignalsCounted(SIGUSR1);
  if (signals != signals_) {
    signals_ = signals;
    const uint64_t epoch = flight_->recorder().epoch();
    if (Dump("").ok())
      Inquire(epoch, [this](const Finding& finding) {
        if (!finding.difference.empty()) (void)Dump(finding.difference);
      });
  }
  signal_.StartAfter(rpc_.executor(), kSignalPeriod, [this] { WatchSignal(); });
}

}  // namespace lockstep::distribute
