#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A function of tensors that is traced once for each signature (dtypes and shapes of the
/// arguments) into a graph, compiled into a plan, and from then on run as that plan. C++ side
/// effects in the body happen while tracing only. Inside another traced function the body's ops
/// become part of it. A gradient tape around the call records one op, whose gradient is compiled,
/// too, and flows to arguments, variables and tensors that the body names. Source: tf.function.
/// Threads: may be called from several threads at a time.
class Function {
 public:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  explicit Function(Body body, std::string name = "function");
  /// From a callable that takes tensors and returns one.
  template <typename F>
  requires(!std::convertible_to<F, Body> &&
           !std::same_as<std::remove_cvref_t<F>, Function>) explicit Function(F body,
                                                                              std::string name =
                                                                                  "function")
      : Function(Wrap(std::move(body), name), name) {}

  std::vector<Tensor> Call(const std::vector<Tensor>& arguments) const;
  /// The only result. InvalidArgument when the body returns none or several.
  template <typename... Arguments>
  Tensor operator()(const Arguments&... arguments) const {
    return One(Call({static_cast<Tensor>(arguments)...}));
  }
  const std::string& name() const;
  /// The same for copies, and for no other function while one of them lives.
  const void* identity() const { return state_.get(); }
  /// How many signatures have been traced.
  int num_traces() const;
  /// Traces the body for these arguments, unless it is traced, and runs nothing.
  void Prepare(const std::vector<Tensor>& arguments) const;
  /// The handles of the variables that what is traced names, copies of all replicas too: a program
  /// that traces in one order has them in one order.
  std::vector<Tensor> Variables() const;
  /// The traced graph and the plan for these arguments, in words.
  std::string Describe(const std::vector<Tensor>& arguments) const;

 private:
  template <typename F>
  static Body Wrap(F body, const std::string& name) {
    return [body = std::move(body), name](const std::vector<Tensor>& arguments) {
      RequireCount(name, CountOf<F>(), arguments.size());
      return Invoke(body, arguments);
    };
  }
  // How many arguments `Invoke` gives.
  template <typename F>
  static constexpr size_t CountOf() {
    if constexpr (std::invocable<F>) return 0;
    if constexpr (std::invocable<F, Tensor>) return 1;
    if constexpr (std::invocable<F, Tensor, Tensor>) return 2;
    return std::invocable<F, Tensor, Tensor, Tensor> ? 3 : 4;
  }
  static void RequireCount(const std::string& name, size_t expected, size_t got);
  template <typename F>
  static std::vector<Tensor> Invoke(const F& body, const std::vector<Tensor>& a) {
    if constexpr (std::invocable<F>) {
      return {body()};
    } else if constexpr (std::invocable<F, Tensor>) {
      return {body(a.at(0))};
    } else if constexpr (std::invocable<F, Tensor, Tensor>) {
      return {body(a.at(0), a.at(1))};
    } else if constexpr (std::invocable<F, Tensor, Tensor, Tensor>) {
      return {body(a.at(0), a.at(1), a.at(2))};
    } else {
      return {body(a.at(0), a.at(1), a.at(2), a.at(3))};
    }
  }
  static Tensor One(std::vector<Tensor> results);

  struct State;
  struct Traced;
  Traced& TraceFor(const std::vector<Tensor>& arguments) const;  // the caller locks the state
  std::shared_ptr<State> state_;
};

}  // namespace lockstep
