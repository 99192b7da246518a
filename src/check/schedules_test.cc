// Carries the graphs of the corpus out in many orders that their edges allow. Where races are
// expected some orders must differ in what ops give or variables hold, with inputs that can tell;
// where none is, all orders must agree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "check/flat_graph.h"
#include "check/op_accesses.h"
#include "check/runs.h"
#include "check/values.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;
using Kind = FlatNode::Kind;

constexpr int kIterations = 3;  // of every loop
constexpr size_t kRows = 8;     // of every variable

struct Value {
  std::vector<float> numbers{0};
  int object = -1;  // a handle, or a reference to a variable's buffer
  bool alive = true;
};

// A node in one iteration of each loop around it.
struct Instance {
  int node = -1;
  std::vector<std::vector<std::pair<int, int>>> inputs;  // by position: instance, output
  std::vector<int> after;                                // all that must have happened
};

// The graph with its loops unrolled.
class Unrolled {
 public:
  explicit Unrolled(const FlatGraph& flat) : flat_(flat) {
    for (size_t n = 0; n < flat.nodes.size(); ++n) {
      first_.push_back(static_cast<int>(instances.size()));
      int count = 1;
      for (size_t i = 0; i < flat.LoopsOf(static_cast<int>(n)).size(); ++i) count *= kIterations;
      for (int k = 0; k < count; ++k) instances.push_back({static_cast<int>(n)});
    }
    for (size_t i = 0; i < instances.size(); ++i) Connect(static_cast<int>(i));
    for (size_t loop = 0; loop < flat.loops.size(); ++loop) Bound(static_cast<int>(loop));
  }

  std::vector<Instance> instances;

 private:
  using Iteration = std::vector<int>;

  Iteration IterationOf(int instance) const {
    const int node = instances[instance].node;
    Iteration iteration(flat_.LoopsOf(node).size());
    int rest = instance - first_[node];
    for (size_t i = iteration.size(); i-- > 0; rest /= kIterations)
      iteration[i] = rest % kIterations;
    return iteration;
  }

  // All instances of `node` whose iterations of common loops are those of `iteration`.
  std::vector<int> Matching(int node, const Iteration& iteration, size_t common) const {
    std::vector<int> found;
    const int end = node + 1 < static_cast<int>(first_.size()) ? first_[node + 1]
                                                               : static_cast<int>(instances.size());
    for (int i = first_[node]; i < end; ++i) {
      const Iteration other = IterationOf(i);
      if (std::equal(iteration.begin(), iteration.begin() + common, other.begin()))
        found.push_back(i);
    }
    return found;
  }

  size_t Common(int a, int b) const {
    const auto one = flat_.LoopsOf(a), other = flat_.LoopsOf(b);
    size_t common = 0;
    while (common < std::min(one.size(), other.size()) && one[common] == other[common]) ++common;
    return common;
  }

  std::vector<int> Sources(const Edge& edge, int instance) const {
    const int node = instances[instance].node;
    Iteration iteration = IterationOf(instance);
    const size_t common = Common(node, edge.from);
    if (edge.loop >= 0) {
      const auto loops = flat_.LoopsOf(node);
      const size_t depth = std::find(loops.begin(), loops.end(), edge.loop) - loops.begin();
      if (iteration[depth] == 0) return {};
      --iteration[depth];
    } else if (BeginsLoop(node) && iteration.back() > 0 && IsInput(node, edge) &&
               flat_.nodes[node].inputs.size() > 1) {
      return {};  // the value from before the loop is for its first iteration
    }
    return Matching(edge.from, iteration, common);
  }

  bool BeginsLoop(int node) const {
    const auto& inputs = flat_.nodes[node].inputs;
    return std::any_of(inputs.begin(), inputs.end(), [](const Edge& e) { return e.loop >= 0; });
  }
  bool IsInput(int node, const Edge& edge) const {
    const auto& inputs = flat_.nodes[node].inputs;
    return &edge >= inputs.data() && &edge < inputs.data() + inputs.size();
  }

  void Connect(int id) {
    Instance& instance = instances[id];
    for (const Edge& edge : flat_.nodes[instance.node].inputs) {
      std::vector<std::pair<int, int>> sources;
      for (int source : Sources(edge, id)) {
        sources = {{source, edge.output}};  // of several iterations the last one
        instance.after.push_back(source);
      }
      instance.inputs.push_back(std::move(sources));
    }
    for (const Edge& edge : flat_.nodes[instance.node].controls) {
      for (int source : Sources(edge, id)) instance.after.push_back(source);
    }
  }

  // An iteration begins when the one `parallel` before it has ended.
  void Bound(int loop) {
    const int64_t parallel = flat_.loops[loop].parallel;
    if (parallel >= kIterations) return;
    std::vector<std::pair<int, Iteration>> inside;
    size_t depth = 0;
    for (size_t i = 0; i < instances.size(); ++i) {
      const auto loops = flat_.LoopsOf(instances[i].node);
      const auto place = std::find(loops.begin(), loops.end(), loop);
      if (place == loops.end()) continue;
      depth = place - loops.begin();
      inside.push_back({static_cast<int>(i), IterationOf(static_cast<int>(i))});
    }
    for (const auto& [later, at] : inside) {
      for (const auto& [earlier, before] : inside) {
        if (!std::equal(at.begin(), at.begin() + depth, before.begin())) continue;
        if (before[depth] + parallel <= at[depth]) instances[later].after.push_back(earlier);
      }
    }
  }

  const FlatGraph& flat_;
  std::vector<int> first_;  // by node
};

// One order, drawn at random.
class Schedule {
 public:
  Schedule(const FlatGraph& flat, const Values& values, const Unrolled& unrolled, int setting,
           uint32_t seed)
      : flat_(flat), values_(values), in_(unrolled), setting_(setting), random_(seed) {
    for (size_t i = 0; i < values.objects.size(); ++i)
      states_.emplace_back(kRows, -1 - 0.25f * static_cast<float>(i));
    done_.resize(in_.instances.size());
    given_.resize(in_.instances.size());
    for (size_t i = 0; i < in_.instances.size(); ++i) {
      priorities_.push_back(static_cast<uint32_t>(random_()));
    }
  }

  // What the order leads to: of all ops, or only of those whose value nobody takes.
  std::string Run(bool all) {
    std::vector<int> open(in_.instances.size());
    for (size_t i = 0; i < open.size(); ++i) open[i] = static_cast<int>(i);
    while (!open.empty()) {
      std::vector<size_t> ready;
      for (size_t i = 0; i < open.size(); ++i) {
        if (Ready(open[i])) ready.push_back(i);
      }
      EXPECT_FALSE(ready.empty()) << "nothing can go on before "
                                  << flat_.NameOf(in_.instances[open[0]].node);
      if (ready.empty()) break;
      // By priorities drawn at random, so that one op can stay behind all others.
      const size_t next = *std::max_element(ready.begin(), ready.end(), [&](size_t a, size_t b) {
        return priorities_[open[a]] < priorities_[open[b]];
      });
      if (HalfDone(open[next])) continue;
      given_[open[next]] = Execute(open[next]);
      done_[open[next]] = true;
      open.erase(open.begin() + static_cast<ptrdiff_t>(next));
    }
    std::string outcome;
    for (const auto& state : states_) Append(state, &outcome);
    for (size_t i = 0; i < given_.size(); ++i) {
      const int node = in_.instances[i].node;
      if (flat_.nodes[node].kind != Kind::kOp || (!all && !flat_.successors[node].empty()))
        continue;
      if (given_[i].object >= 0 || !given_[i].alive) continue;
      Append(given_[i].numbers, &outcome);
    }
    return outcome;
  }

 private:
  static void Append(const std::vector<float>& numbers, std::string* to) {
    to->append(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
    to->push_back(';');
  }

  const FlatNode& Node(int instance) const { return flat_.nodes[in_.instances[instance].node]; }
  bool IsOp(int instance, std::string_view op) const {
    return Node(instance).kind == Kind::kOp && Node(instance).def->op() == op;
  }

  bool Ready(int id) const {
    const Instance& one = in_.instances[id];
    if (IsOp(id, "MutexLock") && locked_.contains(ObjectAt(id, 0))) return false;
    if (IsOp(id, "Merge")) {
      for (const auto& sources : one.inputs) {
        for (const auto& [source, output] : sources) {
          if (done_[source] && Taken(source, output).alive) return true;
        }
      }
    }
    return std::all_of(one.after.begin(), one.after.end(), [&](int other) { return done_[other]; });
  }

  // An addition without a lock of its own reads first, and writes later.
  bool HalfDone(int id) {
    const FlatNode& node = Node(id);
    if (node.kind != Kind::kOp || node.inputs.empty() || halves_.contains(id)) return false;
    const int object = ObjectAt(id, 0);
    if (object < 0) return false;
    const bool reference = values_.objects[object].reference;
    if (LockWithoutAsking(node.def->op(), reference) == Lock::kOwn) return false;
    const auto access = AccessOfVariable(*node.def, 0, reference);
    const auto locking = node.def->attr().find("use_locking");
    if (!access || access->kind != AccessKind::kAccumulate) return false;
    if (locking != node.def->attr().end() && locking->second.b()) return false;
    halves_[id] = states_[object];
    priorities_[id] = static_cast<uint32_t>(random_());
    return true;
  }

  Value Taken(int source, int output) const {
    Value value = given_[source];
    const bool switches = IsOp(source, "Switch") || IsOp(source, "RefSwitch");
    if (switches && !IsOp(in_.instances[source].inputs[1][0].first, "LoopCond")) {
      const Value& predicate = given_[in_.instances[source].inputs[1][0].first];
      value.alive = value.alive && (predicate.numbers[0] != 0) == (output == 1);
    }
    return value;
  }

  Value Input(int id, size_t position) const {
    for (const auto& [source, output] : in_.instances[id].inputs[position]) {
      return Taken(source, output);
    }
    return {};
  }
  int ObjectAt(int id, size_t position) const { return Input(id, position).object; }

  // The numbers behind an input, now.
  std::vector<float> Numbers(int id, size_t position) const {
    if (position >= in_.instances[id].inputs.size()) return {0};
    const Value value = Input(id, position);
    return value.object >= 0 ? states_[value.object] : value.numbers;
  }

  bool Alive(int id) const {
    const FlatNode& node = Node(id);
    const Instance& one = in_.instances[id];
    if (node.kind != Kind::kOp && node.base >= 0) {
      const bool base = AliveBase(id);
      for (const Literal& literal : node.literal) {
        // The predicate is the first input of the call's begin.
        for (int other : one.after) {
          if (in_.instances[other].node != node.base) continue;
          if (static_cast<int>(Numbers(other, 0)[0]) != literal.value) return false;
        }
      }
      return base;
    }
    std::set<int> inputs;
    bool any = false, every = true;
    for (const auto& sources : one.inputs) {
      for (const auto& [source, output] : sources) {
        inputs.insert(source);
        const bool alive = done_[source] && Taken(source, output).alive;
        any |= alive;
        every &= alive;
      }
    }
    for (int other : one.after) {
      if (!inputs.contains(other) && done_[other] && !given_[other].alive) return false;
    }
    return IsOp(id, "Merge") ? any : every;
  }

  // Markers are alive with the call that they belong to.
  bool AliveBase(int id) const {
    const int base = Node(id).base;
    for (size_t i = 0; i < in_.instances.size(); ++i) {
      if (in_.instances[i].node != base || !done_[i]) continue;
      if (given_[i].alive) return true;
    }
    return false;
  }

  Value Execute(int id) {
    const FlatNode& node = Node(id);
    Value result;
    result.alive = Alive(id);
    const auto& made = values_.at[in_.instances[id].node];
    if (node.kind == Kind::kJoin) {
      for (size_t i = 0; i < in_.instances[id].inputs.size(); ++i) {
        if (in_.instances[id].inputs[i].empty()) continue;
        const Value value = Input(id, i);
        if (!value.alive) continue;
        result.numbers = value.numbers;
        result.object = value.object;
      }
      if (node.argument >= 0 && !made[0].empty()) result.object = made[0][0];
      return result;
    }
    if (node.kind != Kind::kOp) return result;
    if (!result.alive) return result;
    if (node.elsewhere && !node.inputs.empty()) return result;
    if (node.inputs.empty() && !made.empty() && !made[0].empty()) {
      result.object = made[0][0];
      return result;
    }
    return Compute(id, std::move(result));
  }

  Value Compute(int id, Value result) {
    const NodeDef& def = *Node(id).def;
    const std::string& op = def.op();
    if (op == "Const") result.numbers = Constant(def);
    if (op.starts_with("Placeholder")) result.numbers = Fed(def);
    if (op == "MutexLock") locked_.insert(ObjectAt(id, 0));
    if (op == "ConsumeMutexLock") locked_.clear();
    for (size_t i = 0; i < in_.instances[id].inputs.size(); ++i) {
      const Value input = Input(id, i);
      if (input.object < 0 || !input.alive) continue;
      const Object& object = values_.objects[input.object];
      if (object.kind == Object::Kind::kMutex) continue;
      const bool iterator = object.kind == Object::Kind::kIterator;
      const auto access = iterator ? AccessOfIterator(op)
                                   : AccessOfVariable(def, static_cast<int>(i), object.reference);
      if (access && (access->kind != AccessKind::kRead || !object.reference)) {
        Touch(id, input.object, *access, &result);
        if (object.reference && op != "CountUpTo") result.object = input.object;
        if (access->kind == AccessKind::kRead || access->kind == AccessKind::kUpdate) continue;
        result.numbers = {0};  // an assignment gives no value
        return result;
      }
    }
    const bool optimizes = op.starts_with("Resource") && op.find("Apply") != std::string::npos;
    if (optimizes) result.numbers = {0};
    if (optimizes || AccessOfIterator(op) || op == "ReadVariableOp" || op == "RngReadAndSkip" ||
        op == "ResourceGather") {
      return result;
    }
    return Pure(id, std::move(result));
  }

  // What hands on, hands on handles and buffers; what does not, takes the numbers of now.
  Value Pure(int id, Value result) const {
    const std::string& op = Node(id).def->op();
    const size_t count = in_.instances[id].inputs.size();
    if (auto taken = Taken(id)) {
      result.numbers = std::move(*taken);
      return result;
    }
    if (KeepsBuffer(op) || PassOf(op) == Pass::kFirst || op == "LoopCond" || op == "Cast") {
      for (size_t i = 0; i < (op == "Merge" ? count : std::min<size_t>(count, 1)); ++i) {
        if (in_.instances[id].inputs[i].empty()) continue;
        const Value value = Input(id, i);
        if (!value.alive || !done_[in_.instances[id].inputs[i][0].first]) continue;
        result.numbers = value.numbers;
        result.object = value.object;
      }
      return result;
    }
    for (size_t i = 0; i < count; ++i) {
      const std::vector<float> numbers = Numbers(id, i);
      result.numbers.resize(std::max(result.numbers.size(), numbers.size()), result.numbers[0]);
      for (size_t k = 0; k < result.numbers.size(); ++k) {
        const float x = numbers[k % numbers.size()];
        float& y = result.numbers[k];
        if (op == "Mul") {
          y = i == 0 ? x : y * x;
        } else if (i == 1 && Compared(op, y, x)) {
          y = *Compared(op, y, x);
        } else if (op == "LogicalNot") {
          y = x == 0;
        } else {
          y += op == "Neg" || (op == "Sub" && i == 1) ? -x : x;
        }
      }
    }
    return result;
  }

  static std::optional<float> Compared(const std::string& op, float x, float y) {
    if (op == "Equal") return x == y;
    if (op == "NotEqual") return x != y;
    if (op == "Less") return x < y;
    if (op == "LessEqual") return x <= y;
    if (op == "Greater") return x > y;
    if (op == "GreaterEqual") return x >= y;
    if (op == "LogicalAnd") return x != 0 && y != 0;
    if (op == "LogicalOr") return x != 0 || y != 0;
    return std::nullopt;
  }

  // The indices that a slice takes of each axis, the cells of all their combinations.
  std::vector<float> SlicedCells(int id, int object) const {
    const auto& attributes = Node(id).def->attr();
    const auto bit = [&](const char* mask, size_t i) {
      const auto place = attributes.find(mask);
      return place != attributes.end() && (place->second.i() >> i & 1) != 0;
    };
    std::vector<int64_t> shape =
        values_.objects[object].shape.value_or(std::vector<int64_t>{int64_t{kRows}});
    if (shape.empty()) shape = {int64_t{kRows}};
    const std::vector<float> begins = Numbers(id, 1), ends = Numbers(id, 2), steps = Numbers(id, 3);
    std::vector<float> cells{0};
    float place = 1;
    for (size_t i = 0; i < shape.size(); ++i, place *= 3) {
      const auto size = static_cast<float>(shape[i]);
      const bool whole = i >= begins.size();
      const float step = whole ? 1 : steps[i];
      float at = whole || bit("begin_mask", i) ? (step > 0 ? 0 : size - 1) : begins[i];
      float end = whole || bit("end_mask", i) ? (step > 0 ? size : -1) : ends[i];
      if (!whole && begins[i] < 0 && !bit("begin_mask", i)) at += size;
      if (!whole && ends[i] < 0 && !bit("end_mask", i)) end += size;
      if (bit("shrink_axis_mask", i)) end = at + step;
      std::vector<float> more;
      for (; step > 0 ? at < end : at > end; at += step) {
        for (float cell : cells) more.push_back(cell + place * at);
      }
      cells = std::move(more);
    }
    return cells;
  }

  // The cells that an access touches. Of places with several indices each has a cell, too.
  std::vector<float> Rows(int id, int object, const OpAccess& access) const {
    std::vector<float> rows;
    if (access.slice >= 0) {
      rows = SlicedCells(id, object);
    } else if (access.part && access.tuples) {
      const NodeDef& list = *Node(in_.instances[id].inputs[1][0].first).def;
      const auto& shape = list.attr().at("value").tensor().tensor_shape();
      const auto depth = static_cast<size_t>(shape.dim(shape.dim_size() - 1).size());
      const std::vector<float> numbers = Numbers(id, 1);
      for (size_t at = 0; at + depth <= numbers.size(); at += depth) {
        float cell = 0;
        for (size_t i = depth; i-- > 0;) cell = cell * 3 + numbers[at + i];
        rows.push_back(cell);
      }
    } else if (access.part) {
      rows = Numbers(id, static_cast<size_t>(access.rows));
    } else {
      for (size_t k = 0; k < kRows; ++k) rows.push_back(static_cast<float>(k));
    }
    return rows;
  }

  // What is taken out of a value: some rows, or its shape alone.
  std::optional<std::vector<float>> Taken(int id) const {
    const std::string& op = Node(id).def->op();
    if (op == "Shape" || op == "Size") return std::vector<float>{1};
    if (op == "IsVariableInitialized" || op == "VarIsInitializedOp") return std::vector<float>{0};
    std::vector<float> rows;
    if (op == "GatherV2") rows = Numbers(id, 1);
    if (op == "Fill") return Numbers(id, 1);
    if (op == "SelectV2") return Numbers(id, Numbers(id, 0)[0] != 0 ? 1 : 2);
    if (op == "Range") {
      for (float row = Numbers(id, 0)[0]; row < Numbers(id, 1)[0]; ++row) rows.push_back(row);
      return rows;
    }
    if (op == "StridedSlice") {
      for (float row = Numbers(id, 1)[0]; row < Numbers(id, 2)[0]; ++row) rows.push_back(row);
    }
    if (rows.empty()) return std::nullopt;
    const std::vector<float> from = Numbers(id, 0);
    for (float& row : rows) row = from[static_cast<size_t>(row) % from.size()];
    return rows;
  }

  void Touch(int id, int object, const OpAccess& access, Value* result) {
    std::vector<float>& state = states_[object];
    std::vector<float> before = state;
    if (const auto half = halves_.find(id); half != halves_.end()) before = half->second;
    result->numbers = before;
    const std::vector<float> value = Numbers(id, access.slice >= 0 ? 4 : access.part ? 2 : 1);
    const std::vector<float> rows = Rows(id, object, access);
    for (size_t k = 0; k < rows.size(); ++k) {
      const size_t row = static_cast<size_t>(rows[k]) % kRows;
      const float x = value[k % value.size()];
      float& to = state[row];
      switch (access.kind) {
        case AccessKind::kRead:
          if (access.part) result->numbers = {state[row]};
          break;
        case AccessKind::kWrite:
          to = x;
          break;
        case AccessKind::kAccumulate:
          to = Accumulated(access.accumulation, Node(id).def->op(), before[row], x);
          break;
        case AccessKind::kUpdate:  // any update that does not commute with itself
          to =
              before[row] / 2 + 1 + 1e7f * (access.part ? Given(id) : Pure(id, Value{}).numbers[0]);
          break;
      }
    }
  }

  // What an op takes beside variables, added up.
  float Given(int id) const {
    float sum = 0;
    for (size_t i = 0; i < in_.instances[id].inputs.size(); ++i) {
      if (ObjectAt(id, i) < 0) sum += Numbers(id, i)[0];
    }
    return sum;
  }

  static float Accumulated(Accumulation accumulation, const std::string& op, float old, float x) {
    if (accumulation == Accumulation::kMinimum) return std::min(old, x);
    if (accumulation == Accumulation::kMaximum) return std::max(old, x);
    if (accumulation == Accumulation::kMultiplication) return old * x;
    if (accumulation == Accumulation::kDivision) return std::trunc(old / x);
    return op.find("Sub") != std::string::npos || op.find("Descent") != std::string::npos ? old - x
                                                                                          : old + x;
  }

  static std::vector<float> Constant(const NodeDef& def) {
    const auto place = def.attr().find("value");
    if (place == def.attr().end()) return {0};
    const graph_def::TensorProto& tensor = place->second.tensor();
    std::vector<float> numbers(tensor.float_val().begin(), tensor.float_val().end());
    for (auto x : tensor.int_val()) numbers.push_back(static_cast<float>(x));
    for (auto x : tensor.int64_val()) numbers.push_back(static_cast<float>(x));
    for (auto x : tensor.uint64_val()) numbers.push_back(static_cast<float>(x));
    const std::string& bytes = tensor.tensor_content();
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      int32_t x = 0;
      std::memcpy(&x, bytes.data() + at, 4);
      numbers.push_back(static_cast<float>(x));
    }
    if (numbers.empty()) numbers.push_back(0);
    return numbers;
  }

  // Predicates and indices by the setting; floats that are small beside the variables' first
  // values, each another one, so that sums show their order.
  std::vector<float> Fed(const NodeDef& def) {
    const auto dtype = def.attr().find("dtype");
    if (dtype != def.attr().end() && dtype->second.type() != graph_def::DT_FLOAT) {
      return {static_cast<float>(setting_ + (def.name() == "j"))};
    }
    const auto [place, fresh] =
        fed_.try_emplace(def.name(), 3e-8f * float(1 + def.name().back() % 7));
    return {place->second};
  }

  const FlatGraph& flat_;
  const Values& values_;
  const Unrolled& in_;
  const int setting_;
  std::mt19937 random_;
  std::vector<std::vector<float>> states_;  // by object
  std::vector<uint32_t> priorities_;        // by instance, as the two below
  std::vector<char> done_;
  std::vector<Value> given_;
  std::map<int, std::vector<float>> halves_;  // by instance: what was read
  std::map<std::string, float> fed_;
  std::set<int> locked_;
};

// Whether some orders of the graph differ.
bool Differs(const FlatGraph& flat, const graph_def::FunctionDef* entry, bool all) {
  const Values values = FollowHandles(flat, entry);
  const Unrolled unrolled(flat);
  // Whole training steps take long, and it is what is small that is tricky.
  const uint32_t seeds = unrolled.instances.size() > 100 ? 40 : 200;
  for (int setting = 0; setting < 3; ++setting) {
    std::set<std::string> outcomes;
    for (uint32_t seed = 0; seed < seeds; ++seed) {
      outcomes.insert(Schedule(flat, values, unrolled, setting, seed).Run(all));
      if (outcomes.size() > 1) return true;
    }
  }
  return false;
}

bool Differs(const graph::ReadGraph& read, bool all) {
  const auto runs = RunsOf(read, {}).value();
  for (const RunNodes& run : runs) {
    if (Differs(Flatten(read, run.nodes, {}, run.elsewhere).value(), nullptr, all)) return true;
  }
  for (int index : FunctionsNobodyCalls(read)) {
    const auto& function = read.graph->library().function(index);
    if (Differs(FlattenFunction(read, index).value(), &function, all)) return true;
  }
  return false;
}

TEST(SchedulesTest, TheOrdersOfTheCorpusDifferWhereRacesAreExpected) {
  const std::filesystem::path corpus =
      std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "src/check/corpus";
  // Those of `told_only` have ops that are not computed here.
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".pbtxt") continue;
    std::filesystem::path expected = entry.path();
    const bool sound = std::filesystem::file_size(expected.replace_extension(".expected")) == 0;
    const auto read = graph::ReadGraphDefFile(entry.path()).value();
    // Between two sound critical sections values differ, but not what remains.
    EXPECT_EQ(Differs(read, !sound), !sound) << entry.path().filename();
  }
}

}  // namespace

}  // namespace lockstep::check
