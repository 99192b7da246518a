#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/group.h"
#include "lockstep/tensor/tensor.h"
#include "net/transport.h"

namespace lockstep::distribute {

/// The ranks that train together, as one of them sees them. Every rank carries out the same
/// collectives in the same order.
/// Threads: one, which is also the one that runs the transport's executor.
class Communicator {
 public:
  /// Lets the executor's work go on until `done`; not called from this work.
  using Wait = std::function<void(const std::function<bool()>& done)>;

  /// `keeper` holds what the transport and the wait need; they go with the communicator.
  Communicator(net::Transport& transport, Wait wait, std::shared_ptr<void> keeper = nullptr);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return transport_.rank(); }
  int num_ranks() const { return transport_.num_ranks(); }
  base::Executor& executor() { return transport_.executor(); }
  /// The collectives of the current epoch.
  collectives::Group& group() { return *group_; }
  void WaitUntil(const std::function<bool()>& done) { wait_(done); }
  /// The name of the next run of anything with collectives, the same on all ranks.
  uint64_t NextStep();

  /// Tells all ranks, with the next run's messages, that the bits of `note` hold here.
  void Raise(uint32_t note) { own_note_ |= note; }
  /// What any rank had raised before the run that ended last: the same on all ranks.
  uint32_t heard() const { return heard_; }
  /// For programs: begins a run, and gives what it is to tell.
  uint32_t BeginNotes() { return hearing_ = own_note_; }
  void Hear(uint32_t note) { hearing_ |= note; }
  void EndNotes() { heard_ = hearing_; }

  /// A variable of which each rank has only its rows up to date.
  struct Part {
    Tensor handle;
    std::vector<int64_t> borders;  // of the ranks' rows
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// Grows whenever `parts` changes.
  uint64_t parts_version() const { return parts_version_; }
  void AddParts(const std::vector<Part>& parts);
  void ClearParts();

  /// Every rank's bytes, in the order of ranks. Errors: as collectives::AllToAll, thrown.
  std::vector<std::string> AllGather(const std::string& own);

 private:
  std::shared_ptr<void> keeper_;
  net::Transport& transport_;
  Wait wait_;
  std::unique_ptr<collectives::Group> group_;
  uint64_t step_ = 0;
  uint32_t own_note_ = 0;
  uint32_t hearing_ = 0;
  uint32_t heard_ = 0;
  std::vector<Part> parts_;
  uint64_t parts_version_ = 1;
};

}  // namespace lockstep::distribute
