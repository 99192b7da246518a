#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace lockstep::kernels {

/// Where the rows of a batch are cut into leaves: offsets 0 = o_0 <= o_1 <= ... <= o_L = rows. Sums
/// over rows are one chain inside a leaf and the canonical tree over leaves; see tree.h.
using LeafTable = std::vector<int64_t>;

/// The attribute "leaves" of a node that sums over examples, which a graph gets when its batch is
/// cut; an empty table where there is none.
const LeafTable& LeavesOf(const ops::Attributes& attributes);

/// What a kernel is made for: an op, its attributes, and types whose sizes are all known. A
/// resource input has the dtype of what it holds.
struct KernelSpec {
  const ops::OpSpec& op;
  const ops::Attributes& attributes;
  std::span<const ops::TensorType> inputs;
  std::span<const ops::TensorType> outputs;
  /// For ops that sum over examples (RowEffect::kSum): the leaves of the rows. Empty: one leaf.
  const LeafTable& leaves;
};

/// Rows of an input that are perhaps not at their places yet: a kernel asks for those that it
/// reads. Threads: any.
class InputRows {
 public:
  virtual ~InputRows() = default;
  /// Bit i of `rows`: row `first` + i is needed; `first` is a multiple of 64.
  virtual void Need(int64_t first, uint64_t rows) = 0;
  virtual void NeedAll() = 0;
  /// Whether all elements are known to be finite, in rows that are not there too.
  virtual bool AreFinite() const = 0;
};

/// Memory that a kernel writes a resource to once more.
struct KernelMirror {
  void* data = nullptr;    // null: there is none
  bool* finite = nullptr;  // becomes false where something is written that is not
};

/// The memory of one run. `inputs[i]` of a resource points to its value, which the kernel may write
/// where the op declares it. Inputs of which only the shape counts may be null.
struct KernelMemory {
  const void* const* inputs;
  void* const* outputs;
  /// What is written of input 0, a resource, is written here, too, at the same places; only for
  /// kernels that do it (`Kernel::mirrors`).
  KernelMirror mirror = {};
  /// Not null: rows of input 1 may be missing; only for kernels that ask (`Kernel::asks_for_rows`).
  InputRows* rows = nullptr;

  template <typename T>
  const T* in(int i) const {
    return static_cast<const T*>(inputs[i]);
  }
  template <typename T>
  T* out(int i) const {
    return static_cast<T*>(outputs[i]);
  }
  template <typename T>
  T* resource(int i) const {
    return static_cast<T*>(const_cast<void*>(inputs[i]));
  }
};

/// One op made ready for one signature. Its work is a number of rows, each of which can be computed
/// by anybody in any order: who computes what never changes a bit.
/// Threads: `Run` may be called concurrently for disjoint row ranges.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// How many independent rows there are. For a kernel with aligned inputs, rows of output 0's axis
  /// 0.
  virtual int64_t rows() const { return 1; }
  /// Ranges that are multiples of this many rows are fastest.
  virtual int64_t row_grain() const { return 1; }
  /// About how many rows a call should have at least to be worth it; 0: any number.
  virtual int64_t min_rows() const { return 0; }
  /// Bit i: rows [begin, end) read input i only in its rows [begin, end) of as many in all. For a
  /// resource: they read and write only these rows.
  virtual uint32_t aligned_inputs() const { return 0; }
  /// About how many floating-point operations a row takes; decides whether splitting pays.
  virtual double cost_per_row() const { return 1; }
  /// Whether `Run` writes all elements of input 0 in its rows, and to a mirror, too.
  virtual bool mirrors() const { return false; }
  /// Whether `Run` asks for those rows of input 1 that it reads, of which others may be missing.
  virtual bool asks_for_rows() const { return false; }
  virtual void Run(const KernelMemory& memory, int64_t begin, int64_t end) const = 0;

  /// > 0: it also gives columns of its output: RunColumns those of all rows, RunDepth of some.
  virtual int64_t columns() const { return 0; }
  virtual void RunColumns(const KernelMemory& memory, int64_t begin, int64_t end) const {}
  /// > 0: a product whose chains have so many steps and can be taken up where a call before left
  /// them. Step k reads column k of input 0 and row k of input 1.
  virtual int64_t depth() const { return 0; }
  /// Carries the chains of rows [begin, end) on by steps [from, to). A thread begins with row 0.
  virtual void RunDepth(const KernelMemory& memory, int64_t begin, int64_t end, int64_t from,
                        int64_t to) const {}
};

using KernelFactory = std::unique_ptr<Kernel> (*)(const KernelSpec& spec);
/// For an op whose output's shape depends on values: computes everything at once.
using ValueFunction = std::vector<Tensor> (*)(const ops::Attributes& attributes,
                                              std::span<const Tensor> inputs);

/// The table of kernels for one kind of device, filled while the library is loaded.
class KernelRegistry {
 public:
  static KernelRegistry& Cpu();
  void Register(std::string_view op, KernelFactory factory);
  void RegisterValueFunction(std::string_view op, ValueFunction function);
  /// A kernel for `spec`; Unimplemented, naming op and dtypes, when there is none.
  std::unique_ptr<Kernel> Make(const KernelSpec& spec) const;
  ValueFunction FindValueFunction(std::string_view op) const;
  bool Has(std::string_view op) const;

 private:
  std::vector<std::pair<std::string, KernelFactory>> factories_;
  std::vector<std::pair<std::string, ValueFunction>> functions_;
};

/// At namespace scope: `const RegisterKernel kMatMul("MatMul", MakeMatMul);`. A factory returns
/// nullptr for dtypes that it does not cover.
struct RegisterKernel {
  RegisterKernel(std::string_view op, KernelFactory factory) {
    KernelRegistry::Cpu().Register(op, factory);
  }
};
struct RegisterValueFunction {
  RegisterValueFunction(std::string_view op, ValueFunction function) {
    KernelRegistry::Cpu().RegisterValueFunction(op, function);
  }
};

}  // namespace lockstep::kernels
