#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

using Tensors = std::vector<Tensor>;

/// What `then` gives if `predicate` holds, else what `otherwise` gives. Eagerly only the taken
/// branch is called; while a function is traced both are, and become graphs inside one node.
/// Shapes: predicate a bool scalar; the branches' results agree in number, dtype and rank; sizes
/// that differ are unknown after it. Errors: InvalidArgument otherwise. The gradient is that of the
/// branch taken. Source: tf.cond.
Tensors Cond(const Tensor& predicate, const std::function<Tensors()>& then,
             const std::function<Tensors()>& otherwise);
/// For branches that give one tensor.
template <typename Then, typename Else>
requires(std::convertible_to<std::invoke_result_t<Then>, Tensor>&&
             std::convertible_to<std::invoke_result_t<Else>, Tensor>) Tensor
    Cond(const Tensor& predicate, const Then& then, const Else& otherwise) {
  return Cond(
      predicate, [&] { return Tensors{static_cast<Tensor>(then())}; },
      [&] { return Tensors{static_cast<Tensor>(otherwise())}; })[0];
}

struct WhileOptions {
  /// Stops after so many iterations; -1: no limit.
  int64_t maximum_iterations = -1;
  /// How many iterations may be in flight; results never depend on it.
  int parallel_iterations = 10;
  /// For each variable a shape with unknown sizes where the body may change them; empty: none may.
  std::vector<Shape> shape_invariants = {};
};

/// Repeats `variables = body(variables)` while `condition(variables)` holds, and gives the last
/// variables. Shapes: the condition gives a bool scalar; the body gives as many tensors of the
/// same dtypes and shapes. Errors: InvalidArgument naming the variable and both types. The gradient
/// is a loop in reverse over the variables of every iteration. Source: tf.while_loop.
Tensors WhileLoop(const std::function<Tensor(const Tensors&)>& condition,
                  const std::function<Tensors(const Tensors&)>& body, const Tensors& variables,
                  const WhileOptions& options = {});

class Operation;

/// While it lives, ops added to the function being traced, or to the default graph, wait for
/// `tensors` or `operations`; nested ones accumulate, and `nullptr` sets the outer ones aside.
/// Without effect eagerly, where everything listed has already happened. Source:
/// tf.control_dependencies.
class ControlDependencies {
 public:
  explicit ControlDependencies(const Tensors& tensors);
  explicit ControlDependencies(const std::vector<Operation>& operations);
  explicit ControlDependencies(std::nullptr_t);
  ~ControlDependencies();
  ControlDependencies(const ControlDependencies&) = delete;
  ControlDependencies& operator=(const ControlDependencies&) = delete;

 private:
  void* tracer_ = nullptr;
  std::vector<std::vector<int>> set_aside_;
  bool sets_aside_ = false;
};

/// A scalar `true` that is there when all `tensors` are; for `ControlDependencies`. Source:
/// tf.group.
Tensor Group(const Tensors& tensors);

}  // namespace lockstep
