#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/tensor/tensor.h"
#include "ops/attributes.h"

namespace lockstep::ops {

/// What is known of a tensor before it has a value. For a resource `element` is the dtype of what
/// it holds and `shape` its shape.
struct TensorType {
  DType dtype = DType::kInvalid;
  Shape shape;
  DType element = DType::kInvalid;

  static TensorType Of(const Tensor& tensor) {
    return {tensor.dtype(), tensor.shape(), tensor.element_dtype()};
  }
  bool operator==(const TensorType&) const = default;
  std::string ToString() const;
};

std::vector<TensorType> TypesOf(std::span<const Tensor> tensors);

struct OpSpec;
struct Signature;

/// What a shape rule sees. A rule throws InvalidArgument, naming the op, for inputs that do not
/// fit.
struct InferenceContext {
  const OpSpec& spec;
  const Attributes& attributes;
  std::span<const TensorType> inputs;
};

/// What a gradient sees. `output_gradients[i]` is an empty tensor when nothing flows into output i.
/// The result has one tensor an input; an empty one means that no gradient flows there.
struct GradientContext {
  const OpSpec& spec;
  const Attributes& attributes;
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<const Tensor> output_gradients;
};

/// How an op treats the example axis, which is always axis 0 of the tensors that have one. The size
/// of that axis is `rows_per_example` times the number of examples.
enum class RowEffect {
  kRows,   // axis 0 of the output holds the same rows as the inputs' axis 0; each row on its own
  kSum,    // the output is a sum over rows; the kernel takes a leaf table and adds by the tree
  kWhole,  // the output does not depend on any row's value (shapes only)
  kMixes,  // rows influence each other in another way: the batch must not be cut
};

/// What the rule for rows sees: which inputs have examples along axis 0.
struct RowContext {
  const Attributes& attributes;
  std::span<const TensorType> inputs;
  const std::vector<char>& has_rows;
  std::span<const TensorType> outputs;
  int64_t examples = 0;
};

using InferFunction = std::vector<TensorType> (*)(const InferenceContext&);
using GradientFunction = std::vector<Tensor> (*)(const GradientContext&);
using RowFunction = RowEffect (*)(const RowContext&);

/// Whether a mask of inputs has that of input i. Masks have 32 bits; of more inputs all are in ~0u,
/// and none in any other.
constexpr bool HasBit(uint32_t mask, size_t i) {
  return i < 32 ? (mask >> i & 1) != 0 : mask == ~uint32_t{0};
}

/// What an op touches besides its inputs and outputs. Resources are inputs of dtype resource; bit i
/// stands for input i.
struct Effects {
  uint32_t reads = 0;
  uint32_t writes = 0;
  bool external = false;  // prints, files: kept and ordered among themselves
};

/// The definition of an op: everything but how a device computes it. Registered once, by name.
struct OpSpec {
  std::string name;
  InferFunction infer = nullptr;
  GradientFunction gradient = nullptr;  // nullptr: not differentiable, no gradient flows
  RowFunction rows = nullptr;           // nullptr: kMixes whenever an input has rows
  Effects effects;
  uint32_t shape_only = 0;    // bit i: input i is read for its shape alone
  bool view = false;          // output 0 is input 0's elements under another shape
  bool asynchronous = false;  // completes later, by a message: a collective, a receive
  bool meets = false;         // all replicas carry it out together
  // What it gives for a row depends on the row's place among all: where it has some of the rows
  // alone, "row_offset" and "row_count" say which of how many.
  bool numbers_rows = false;

  const Signature* signature = nullptr;  // set by Register, from the table of signatures

  bool stateful() const { return effects.reads || effects.writes || effects.external; }
};

/// The table of all ops, filled while the library is loaded.
class OpRegistry {
 public:
  static OpRegistry& Global();
  void Register(OpSpec spec);
  /// The op named `name`; NotFound otherwise.
  const OpSpec& Find(std::string_view name) const;
  std::vector<const OpSpec*> All() const;

 private:
  std::vector<std::unique_ptr<OpSpec>> specs_;  // sorted by name
};

/// At namespace scope: `const RegisterOp kAdd({.name = "AddV2", .infer = ..., .gradient = ...});`
struct RegisterOp {
  explicit RegisterOp(OpSpec spec) { OpRegistry::Global().Register(std::move(spec)); }
};

// Rules that many ops share.
std::vector<TensorType> SameAsFirstInput(const InferenceContext& context);
std::vector<TensorType> BroadcastInputs(const InferenceContext& context);
/// kRows when every input that has rows has the output's rank and the output keeps axis 0.
RowEffect RowsStay(const RowContext& context);
RowEffect RowsMix(const RowContext& context);

}  // namespace lockstep::ops
