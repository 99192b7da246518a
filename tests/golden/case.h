#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace golden {

/// Members stay in the order of the file: in some cases it is the order in which objects were made.
using Json = nlohmann::ordered_json;

/// Thrown for a case that belongs to a part that is not built yet, or that this program does not
/// know; counted, not passed. The text is the reason.
struct Skip {
  std::string reason;
};

/// One case of the file: what goes in, what must come out, and how closely.
class Case {
 public:
  explicit Case(const Json& entry);

  const std::string& name() const { return name_; }
  const std::string& group() const { return group_; }
  const std::string& note() const { return note_; }
  const Json& inputs() const { return inputs_; }
  const Json& outputs() const { return outputs_; }
  double relative() const { return relative_; }
  double absolute() const { return absolute_; }

  bool HasInput(const std::string& name) const { return inputs_.contains(name); }
  bool HasOutput(const std::string& name) const { return outputs_.contains(name); }
  /// The input tensor `name`; throws std::runtime_error when the case lacks it.
  lockstep::Tensor Input(const std::string& name) const;
  /// Shape and dtype of an expected tensor.
  lockstep::Shape OutputShape(const std::string& name) const;
  std::string OutputDType(const std::string& name) const;
  /// The parameter `name`; `fallback` where it is absent or null.
  template <typename T>
  T Param(const std::string& name, const T& fallback) const {
    return HasParam(name) ? Get<T>(name) : fallback;
  }
  /// The parameter `name`, which the case must have: else std::runtime_error.
  template <typename T>
  T Get(const std::string& name) const {
    return Value(name).get<T>();
  }
  const Json& Value(const std::string& name) const;
  /// Whether the parameter is there and not null.
  bool HasParam(const std::string& name) const;
  /// Whether the parameter is there, perhaps null.
  bool MentionsParam(const std::string& name) const;
  /// The parameter `name`, a list, or one number that stands for a list of one.
  std::vector<int64_t> Integers(const std::string& name) const;
  /// All parameters; the reader says itself which it knows.
  const Json& AllParams() const { return params_; }
  void Knows(const std::string& name) const { asked_.insert(name); }
  /// The parameters, other than remarks, that nobody asked for.
  std::vector<std::string> UnknownParams() const;
  /// Those of them that no handler at all asks for.
  std::vector<std::string> StrangeParams() const;

 private:
  std::string name_, group_, note_;
  mutable std::set<std::string> asked_;
  Json params_, inputs_, outputs_;
  double relative_ = 1e-5;
  double absolute_ = 1e-6;
};

/// The parameters that handlers ask for.
const std::set<std::string>& KnownParams();
/// What is wrong with the form of an entry of "cases"; empty if nothing.
std::string FormFault(const Json& entry);
/// Parses JSON, keeping the sign of "-0", which JSON readers take for an integer; discarded when
/// `text` is no JSON.
Json ParseKeepingZeros(const std::string& text);
/// A tensor from {shape, dtype, data}.
lockstep::Tensor ReadTensor(const Json& entry);
/// The dtype of this name: "float32", "int64", ...
lockstep::DType DTypeOf(const std::string& name);
/// The numbers that a name or a text carries, in order: 8 and 4 in "shuffle8_opseed4", 2 and 6 in
/// "2..6". A minus that follows a letter or a digit is a dash.
std::vector<double> NumbersIn(const std::string& text);
/// The last of them as an integer; std::runtime_error where there is none.
int64_t NumberOf(const std::string& name);
/// A float32 tensor from nested lists of numbers.
lockstep::Tensor ReadNested(const Json& nested);

/// What a handler produced: tensors and texts ("None", "error:ValueError") by name of the output;
/// nested ones as "slots/a_momentum".
using Produced = std::map<std::string, std::variant<lockstep::Tensor, std::string>>;
using Handler = std::function<void(const Case&, Produced&)>;

/// The handlers of one group by the first part of a case's name; the longest that fits is taken.
using Handlers = std::map<std::string, Handler>;

/// The table of all groups, filled before main; each group has a file of its own.
std::map<std::string, Handlers>& Groups();
struct RegisterGroup {
  RegisterGroup(const std::string& group, Handlers handlers) { Groups()[group].merge(handlers); }
};
/// The handler for `name` ("reduce_sum_axis(1,)" takes "reduce_sum"), or nullptr.
const Handler* FindHandler(const Handlers& handlers, const std::string& name);

/// What differs between `produced` and what the case expects, a line an output; empty if nothing.
std::vector<std::string> Compare(const Case& golden, const Produced& produced);

}  // namespace golden
