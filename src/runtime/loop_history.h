#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"
#include "ops/op.h"

namespace lockstep::runtime {

/// A loop that is differentiated gives, behind its variables, how many iterations there were,
/// int64[]; then for each entry its values, by iteration; then for each entry their sizes. An entry
/// is a variable, whose value is that with which an iteration began, or, behind all variables, what
/// an op of the body gave in the iteration (replay.h). Values of one shape S are stacked:
/// [iterations, S]; those of a rank whose sizes may change lie behind each other, flat: [elements],
/// and their sizes are int64[iterations, rank]. Values of unknown rank are taken to keep their
/// shape.

/// The types of an attributed loop's entries; `variables` of them are variables.
struct HistoryEntries {
  std::vector<ops::TensorType> types;
  size_t variables = 0;
};
HistoryEntries EntriesOf(const ops::Attributes& loop);

/// The types of what comes behind the variables.
std::vector<ops::TensorType> HistoryTypes(const std::vector<ops::TensorType>& entries);

/// Which of the values and sizes of an entry somebody uses.
struct KeptHistory {
  bool values = false, sizes = false;
};

/// What comes behind `results`, the variables' last values: `past[i]` are the values of entry i
/// where any are kept. What is not kept is an empty tensor.
std::vector<Tensor> HistoryOf(const std::vector<ops::TensorType>& entries,
                              const std::vector<Tensor>& results, int64_t iterations,
                              const std::vector<std::vector<Tensor>>& past,
                              const std::vector<KeptHistory>& kept);

/// Reads one entry of a history.
class IterationValues {
 public:
  IterationValues(ops::TensorType type, Tensor values, Tensor sizes);
  /// The value in an iteration, int64[].
  Tensor At(const Tensor& iteration) const { return RowOf(values_, iteration); }
  /// The same of something that lies as the values do.
  Tensor RowOf(const Tensor& values, const Tensor& iteration) const;

 private:
  const ops::TensorType type_;
  const Tensor values_, sizes_;
  Tensor ends_;  // where the values of iterations end in flat ones
};

/// Reads the history in the gradient of a loop.
class LoopHistory {
 public:
  explicit LoopHistory(const ops::GradientContext& context);

  const HistoryEntries& entries() const { return entries_; }
  const Tensor& iterations() const { return context_.outputs[entries_.variables]; }
  /// The value of an entry in an iteration, int64[].
  Tensor Value(size_t entry, const Tensor& iteration) const;
  /// What flows to that value from elsewhere: the gradient's gradient. Empty: nothing.
  Tensor Gradient(size_t entry, const Tensor& iteration) const;

 private:
  const ops::GradientContext& context_;
  const HistoryEntries entries_;
  std::vector<IterationValues> values_;  // by entry
};

}  // namespace lockstep::runtime
