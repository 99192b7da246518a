#include "distribute/workers/journal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <utility>

#include "base/event_loop.h"
#include "collectives/all_to_all.h"
#include "distribute/workers/elastic_workers_test.h"
#include "lockstep/runtime/variable.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {
namespace {

// Adds one to a variable, with one message of every rank.
class Increment final : public Repeatable {
 public:
  explicit Increment(Communicator& ranks) : ranks_(ranks), variable_(Scalar<float>(0)) {
    cells_.push_back(std::dynamic_pointer_cast<runtime::VariableCell>(variable_.handle().object()));
  }
  std::vector<Tensor> RunOnce(std::span<const Tensor>, base::Team&) override {
    if (const auto hook = std::exchange(before_sending, nullptr)) hook();
    collectives::AllToAllRequest request{.id = {ranks_.NextStep(), 0}, .fingerprint = 7};
    request.peers.resize(ranks_.num_ranks());
    const auto byte = std::make_shared<const net::Bytes>(1);
    for (collectives::PeerPieces& peer : request.peers) {
      peer.send.emplace_back(byte);
      peer.receive.push_back(1);
    }
    request.on_piece = [](int, size_t, const net::Payload&) {};
    std::optional<Status> status;
    collectives::AllToAll(
        ranks_.group(), std::move(request),
        [&](const Result<collectives::Reduced>& result) { status = result.status(); });
    if (const auto hook = std::exchange(has_sent, nullptr)) hook();
    ranks_.WaitUntil([&] { return status.has_value(); });
    status->OrThrow();
    ranks_.notes().Met();
    cells_[0]->Assign(Scalar<float>(value() + 1));
    return {};
  }
  const Snapshot::Cells& cells() const override { return cells_; }
  float value() const { return cells_[0]->Read().scalar<float>(); }

  std::function<void()> before_sending, has_sent;  // each called once

 private:
  Communicator& ranks_;
  Variable variable_;
  Snapshot::Cells cells_;
};

// Worker 0 has rebased, the others are still in the call before when the epoch ends. It gave its
// base up then, and took its next snapshot a call later than they.
TEST(JournalTest, AnEpochMayEndBetweenTheRebasesOfTwoWorkers) {
  ElasticJob job(4, 0);
  std::atomic<int> sent{0};
  base::EventLoop all_have_sent;
  std::vector<float> ends(4);
  RunElastic(job, [&](int worker, const std::shared_ptr<Communicator>& ranks) {
    Journal& journal = ranks->journal();
    journal.set_interval(2);
    base::Team team(1);
    const auto step = std::make_shared<Increment>(*ranks);
    const auto run = [&](int times) {
      for (int i = 0; i < times; ++i) journal.Run(step, {}, team);
    };
    try {
      run(5);
      // All that worker 0 needs is there, and what it sends comes after the end of the epoch.
      step->before_sending = [&] {
        if (worker != 0) return;
        all_have_sent.RunUntil([&] { return sent == 3; }, std::chrono::minutes(1));
        job.LeaveOut(2);
      };
      step->has_sent = [&] {
        ++sent;
        all_have_sent.Post([] {});
      };
      run(1);
      journal.Rebase();
      run(2);
      if (worker == 0) job.LeaveOut(3);
      run(20);
    } catch (const LeftOut&) {
      return;
    }
    ends[worker] = step->value();
    journal.End();
  });
  EXPECT_EQ(ends, (std::vector<float>{28, 28, 0, 0}));
}

TEST(JournalTest, WhoIsLeftOutOfATrainingIsToComeInAgain) {
  ElasticJob job(2, 0);
  std::vector<float> ends(2);
  std::atomic<bool> enters{false};
  RunElastic(job, [&](int worker, const std::shared_ptr<Communicator>& ranks) {
    Journal& journal = ranks->journal();
    const ActivityScope training(ranks.get(), Activity::kTraining);
    base::Team team(1);
    const auto step = std::make_shared<Increment>(*ranks);
    try {
      for (int i = 0; i < 12; ++i) {
        journal.Run(step, {}, team);
        if (worker == 0 && i == 3) job.LeaveOut(1);
      }
    } catch (const LeftOut&) {
      enters = journal.entering();
      return;
    }
    ends[worker] = step->value();
    journal.End();
  });
  EXPECT_TRUE(enters);
  EXPECT_EQ(ends, (std::vector<float>{12, 0}));
}

}  // namespace
}  // namespace lockstep::distribute
