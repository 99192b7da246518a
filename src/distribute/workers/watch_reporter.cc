#include "distribute/workers/watch_reporter.h"

#include <utility>

namespace lockstep::distribute {

namespace {

constexpr auto kPeriod = std::chrono::milliseconds(250);

std::string NameOf(const cluster::Peer& peer) {
  return peer.job + " " + std::to_string(peer.index);
}

}  // namespace

WatchReporter::WatchReporter(net::Rpc& rpc, cluster::Member& member,
                             std::shared_ptr<base::Metrics> metrics, std::shared_ptr<Flight> flight)
    : rpc_(rpc),
      member_(member),
      metrics_(std::move(metrics)),
      flight_(std::move(flight)),
      steps_(metrics_->Counter("lockstep_steps_total", "Steps of training that are done.")) {
  rpc_.Serve(kWatchTask,
             [this](const std::string&, const net::Rpc::Answer& answer) { answer(Answer()); });
  rpc_.Serve(kWatchJob, [this](const std::string&, const net::Rpc::Answer& answer) {
    member_.Health([answer](const Result<std::vector<cluster::TaskHealth>>& tasks) {
      if (!tasks.ok()) return answer(tasks.status());
      cluster::FieldWriter writer;
      writer.Put(static_cast<uint32_t>(tasks->size()));
      for (const cluster::TaskHealth& task : *tasks) cluster::Write(task, &writer);
      answer(writer.Take());
    });
  });
  TellProgress();
}

WatchReporter::~WatchReporter() {
  rpc_.Serve(kWatchTask, nullptr);
  rpc_.Serve(kWatchJob, nullptr);
}

void WatchReporter::Enter(const cluster::Membership& membership) {
  if (membership.epoch == 0) return;
  if (!epochs_.empty() && epochs_.back().epoch.number >= membership.epoch) return;
  Seen& seen = epochs_.emplace_back();
  seen.epoch = {.number = membership.epoch, .reason = membership.reason};
  for (const cluster::Peer& peer : membership.peers) seen.epoch.tasks.push_back(NameOf(peer));
  seen.when = Now();
  if (epochs_.size() > kEpochs) epochs_.pop_front();
}

std::string WatchReporter::Answer() const {
  TaskView view{.task = NameOf(member_.self()), .metrics = metrics_->Read()};
  for (const Seen& seen : epochs_) {
    view.epochs.push_back(seen.epoch);
    view.epochs.back().age = Now() - seen.when;
  }
  return Encode(view);
}

void WatchReporter::TellProgress() {
  const collectives::FlightLog log = flight_->recorder().Read(Now(), 1);
  cluster::Progress progress{.step = static_cast<uint64_t>(steps_.value())};
  if (!log.records.empty()) {
    const collectives::FlightRecord& last = log.records.back();
    progress.op = last.number;
    progress.activity = last.what == collectives::FlightRecord::What::kCall
                            ? collectives::NameOf(last)
                            : collectives::PhaseName(last.phase);
  }
  member_.SetProgress(progress);
  tell_.StartAfter(rpc_.executor(), kPeriod, [this] { TellProgress(); });
}

}  // namespace lockstep::distribute
