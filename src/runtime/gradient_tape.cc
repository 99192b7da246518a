#include "lockstep/runtime/gradient_tape.h"

#include <atomic>
#include <deque>
#include <thread>
#include <unordered_set>

#include "ops/builder.h"
#include "runtime/backpropagate.h"
#include "runtime/graph_builder.h"
#include "runtime/race_checks.h"
#include "runtime/replica.h"
#include "runtime/variable_cell.h"

namespace lockstep {

// What a tape has seen: the ops that something watched flows through.
class GradientTape::Recording : public ops::Recorder {
 public:
  explicit Recording(GradientTapeOptions options) : options(options) { Resume(); }
  ~Recording() override { Stop(); }

  void Record(const ops::OpSpec& spec, const ops::Attributes& attributes,
              const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) override {
    if (abandoned) return Bury();
    bool connected = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // Reading is what an op does with a variable that it does not write.
      const bool reads =
          inputs[i].dtype() == DType::kResource && !ops::HasBit(spec.effects.writes, i);
      if (reads && Follows(inputs[i]) && watched.insert(inputs[i].id()).second) {
        kept.push_back(inputs[i]);
      }
      connected |= watched.contains(inputs[i].id());
    }
    if (!connected) return;
    bool floating = false;
    for (const Tensor& output : outputs) {
      if (!IsFloating(output.dtype())) continue;
      floating = true;
      watched.insert(output.id());
    }
    if (floating) operations.push_back({&spec, attributes, inputs, outputs});
  }
  bool Follows(const Tensor& tensor) const override {
    if (abandoned) return false;
    return watched.contains(tensor.id()) ||
           (options.watch_accessed_variables && tensor.dtype() == DType::kResource &&
            Trainable(tensor));
  }
  static bool Trainable(const Tensor& handle) {
    const auto* copies = dynamic_cast<const runtime::ReplicaCells*>(handle.object().get());
    if (copies != nullptr) return Trainable(copies->handles()[0]);
    const runtime::GraphVariable* variable = runtime::AsGraphVariable(handle);
    return variable != nullptr ? variable->trainable : runtime::CellOf(handle).trainable();
  }
  bool Repeats() const override { return options.persistent; }
  void Stop() {
    if (!active) return;
    RequireOwnThread();
    ops::RemoveRecorder(this);
    active = false;
  }
  void Resume() {
    RequireOwnThread();
    if (!active) ops::AddRecorder(this);
    active = true;
  }
  // Leaves the list of this thread and drops what it has recorded. Whoever goes through the list
  // just now may still call it.
  void Bury() {
    if (!active) return;
    thread_local std::vector<std::unique_ptr<Recording>> buried;
    buried.emplace_back(this);
    Stop();
    operations.clear();
    kept.clear();
  }
  bool OnOwnThread() const { return std::this_thread::get_id() == thread; }
  void RequireOwnThread() const {
    if (OnOwnThread()) return;
    throw Error(
        Code::kFailedPrecondition,
        "[gradient] a tape that records is used by the thread that made it; got a call on "
        "another one; stop the recording first, or make the tape in the thread that uses it");
  }

  GradientTapeOptions options;
  std::unordered_set<uint64_t> watched;
  std::vector<Tensor> kept;  // watched tensors: their ids stay theirs
  std::deque<runtime::RecordedOp> operations;
  const std::thread::id thread = std::this_thread::get_id();
  bool active = false;
  bool used = false;
  std::atomic<bool> abandoned{false};  // the tape has ended on another thread
};

GradientTape::GradientTape(GradientTapeOptions options)
    : recording_(std::make_unique<Recording>(options)) {}
// The recording is in the list of its thread, which no other may change: that thread takes it out
// when it records the next time.
GradientTape::~GradientTape() {
  if (recording_ == nullptr || !recording_->active || recording_->OnOwnThread()) return;
  recording_->abandoned = true;
  static_cast<void>(recording_.release());
}

void GradientTape::Watch(const Tensor& tensor) {
  recording_->kept.push_back(tensor);
  recording_->watched.insert(tensor.id());
}

void GradientTape::Watch(const Variable& variable) { Watch(variable.handle()); }
std::vector<Tensor> GradientTape::WatchedHandles() const {
  std::vector<Tensor> handles;
  for (const Tensor& one : recording_->kept) {
    if (one.dtype() == DType::kResource) handles.push_back(one);
  }
  return handles;
}

void GradientTape::StopRecording() { recording_->Stop(); }
void GradientTape::ResumeRecording() { recording_->Resume(); }

void GradientTape::Reset() {
  recording_->operations.clear();
  recording_->watched.clear();
  recording_->kept.clear();
  recording_->used = false;
}

std::vector<Tensor> GradientTape::Gradient(const std::vector<Tensor>& targets,
                                           const std::vector<Tensor>& sources,
                                           const GradientOptions& options) {
  if (recording_->active) recording_->RequireOwnThread();
  if (recording_->used && !recording_->options.persistent) {
    throw Error(Code::kFailedPrecondition,
                "[gradient] a tape gives gradients once; got a second call; make it with "
                "persistent = true");
  }
  runtime::CheckOutputGradients("gradient", targets, options.output_gradients);
  recording_->used = true;
  // A persistent tape in use records its own gradients, so that it can differentiate them again.
  if (!recording_->options.persistent) recording_->Stop();
  if (runtime::FollowsAccesses()) runtime::CheckGradient(recording_->operations, sources);
  auto gradients =
      runtime::Backpropagate(recording_->operations, targets, sources, options.output_gradients);
  if (!recording_->options.persistent) recording_->operations.clear();
  if (options.zero_unconnected) runtime::FillUnconnected(sources, &gradients);
  return gradients;
}

std::vector<Tensor> GradientTape::Gradient(const Tensor& target,
                                           const std::vector<Variable>& sources,
                                           const GradientOptions& options) {
  std::vector<Tensor> handles;
  for (const Variable& source : sources) handles.push_back(source.handle());
  return Gradient(std::vector<Tensor>{target}, handles, options);
}

Tensor GradientTape::Gradient(const Tensor& target, const Tensor& source,
                              const GradientOptions& options) {
  return Gradient(std::vector<Tensor>{target}, std::vector<Tensor>{source}, options)[0];
}

Tensor GradientTape::Gradient(const Tensor& target, const Variable& source,
                              const GradientOptions& options) {
  return Gradient(std::vector<Tensor>{target}, std::vector<Tensor>{source.handle()}, options)[0];
}

}  // namespace lockstep
