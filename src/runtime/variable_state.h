#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "ops/attributes.h"

namespace lockstep::runtime {

/// What a `Variable` refers to: one cell here; a strategy has kinds of its own, which know where
/// the calling code runs.
class VariableState {
 public:
  /// Makes the cell.
  VariableState(const Tensor& initial, VariableOptions options);
  virtual ~VariableState() = default;
  VariableState(const VariableState&) = delete;
  VariableState& operator=(const VariableState&) = delete;

  const VariableOptions& options() const { return options_; }
  bool trainable() const;
  /// The handle of the one cell, or of the first replica's.
  const Tensor& first() const { return first_; }

  /// The handle by which ops of the calling code name the variable.
  virtual const Tensor& Handle() const { return first_; }
  virtual Tensor Read() const;
  /// Whether the calling code runs in a replica that has a copy of its own.
  virtual bool InReplica() const { return false; }
  /// The handles of all copies that an assignment by the calling code changes; Unimplemented where
  /// replicas would have to meet in it.
  virtual std::vector<Tensor> AssignedHandles() { return {Handle()}; }
  /// What assignments give: the value now, of the first replica where there is no one value.
  virtual Tensor ReadAssigned() const { return Read(); }
  /// Emits the updating op `op` on the handle and `inputs`, which may be C++ numbers; what it
  /// gives.
  virtual std::vector<Tensor> Update(std::string_view op, const std::vector<Tensor>& inputs);
  /// Kind, aggregation, where each copy lives and why.
  virtual std::string Describe() const;

 protected:
  struct Existing {};
  /// Refers to the cell of `handle`.
  VariableState(const Tensor& handle, VariableOptions options, Existing)
      : options_(std::move(options)), first_(handle) {}
  /// C++ numbers in the variable's dtype.
  std::vector<Tensor> Strong(std::vector<Tensor> inputs) const;
  /// "'name' float32[2,3]"
  std::string NameAndType() const;

 private:
  VariableOptions options_;
  Tensor first_;
};

/// Makes the states of variables that the calling thread creates; a strategy's scope sets it.
class VariableCreator {
 public:
  virtual ~VariableCreator() = default;
  /// Whether first values are made in the graph that is being built, and may be symbolic.
  virtual bool builds_graph() const { return false; }
  /// `initial` is called when the value is needed, outside of any trace.
  virtual std::shared_ptr<VariableState> Create(const std::function<Tensor()>& initial,
                                                VariableOptions options) = 0;
};
class VariableCreatorScope {
 public:
  explicit VariableCreatorScope(VariableCreator* creator);
  ~VariableCreatorScope();
  VariableCreatorScope(const VariableCreatorScope&) = delete;
  VariableCreatorScope& operator=(const VariableCreatorScope&) = delete;

 private:
  VariableCreator* outer_;
};

}  // namespace lockstep::runtime
