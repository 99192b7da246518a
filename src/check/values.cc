#include "check/values.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "check/op_accesses.h"
#include "graph/graph_def.pb.h"
#include "lockstep/graph/device.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;

// Of all outputs together.
constexpr size_t kMaxEntries = 5'000'000;
constexpr int kMaxOutputs = 1000;
constexpr int kMaxColocated = 100;  // ops that are each to be placed with the next one

bool Loose(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::vector<int64_t>> ShapeOf(const graph_def::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const auto& dim : shape.dim()) sizes.push_back(std::max<int64_t>(dim.size(), -1));
  return sizes;
}

// The kind of object that an op makes a handle of; false where it makes none.
bool Makes(const NodeDef& node, Object* object) {
  const std::string& op = node.op();
  const auto attribute = [&](const char* name) -> const graph_def::AttrValue* {
    const auto place = node.attr().find(name);
    return place == node.attr().end() ? nullptr : &place->second;
  };
  const auto dtype = [&] {
    const auto* value = attribute("dtype");
    return value == nullptr ? 0 : static_cast<int>(value->type());
  };
  if (op == "VarHandleOp" || op == "VariableV2" || op == "Variable" || op == "AutoReloadVariable" ||
      op == "TemporaryVariable") {
    object->kind = Object::Kind::kVariable;
    object->reference = op != "VarHandleOp";
    object->dtype = dtype();
    if (const auto* shape = attribute("shape")) object->shape = ShapeOf(shape->shape());
    return true;
  }
  if (op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg" || op == "Const") {
    const auto* type = op == "_Arg" ? attribute("T") : attribute("dtype");
    if (type == nullptr || type->type() != graph_def::DT_RESOURCE) return false;
    object->kind = Object::Kind::kVariable;
    object->given = true;
    return true;
  }
  if (op == "Iterator" || op == "IteratorV2" || op == "OneShotIterator" ||
      op == "AnonymousIterator" || op == "AnonymousIteratorV2" || op == "AnonymousIteratorV3" ||
      op == "MultiDeviceIterator" || op == "AnonymousMultiDeviceIterator" ||
      op == "AnonymousMultiDeviceIteratorV3" || op == "IteratorFromStringHandle" ||
      op == "IteratorFromStringHandleV2") {
    object->kind = Object::Kind::kIterator;
    return true;
  }
  if (Loose(op, "HashTable")) {
    object->kind = Object::Kind::kTable;
    return true;
  }
  if (op == "MutexV2") {
    object->kind = Object::Kind::kMutex;
    return true;
  }
  return false;
}

// Whether two names, or parts of names, may be of one device.
bool MayBeOne(const std::string& a, const std::string& b) {
  const auto one = DeviceSpec::Parse(a), other = DeviceSpec::Parse(b);
  if (!one.ok() || !other.ok()) return a == b;
  return one->Matches(*other);
}

// Whether two names are of one device, and whether `more` names a part of it that `less` leaves
// open, and none else.
bool Alike(const std::string& a, const std::string& b) {
  const auto one = DeviceSpec::Parse(a), other = DeviceSpec::Parse(b);
  return a == b || (one.ok() && other.ok() && *one == *other);
}
bool SaysMore(const std::string& more, const std::string& less) {
  const auto one = DeviceSpec::Parse(more), other = DeviceSpec::Parse(less);
  if (!one.ok() || !other.ok() || *one == *other || !one->Matches(*other)) return false;
  return one->Within(*other) == *one;
}

// Two handles of one name in one container on one device are one object.
std::string KeyOf(const FlatGraph& flat, int id, Object* object) {
  const NodeDef& node = *flat.nodes[id].def;
  const std::string shared = TextOf(node, "shared_name");
  const bool nobody = Loose(shared, "cd2c89b7-88b7-44c8-ad83-06c2a9158347");  // "anonymous"
  if (nobody || node.op().starts_with("Anonymous")) {
    object->name = flat.NameOf(id);
    return "node " + object->name;
  }
  if (node.op() == "Placeholder" || node.op() == "PlaceholderV2" || node.op() == "_Arg") {
    object->name = flat.NameOf(id);
    return "node " + object->name;
  }
  object->name = shared.empty() ? node.name() : shared;
  const std::string container = TextOf(node, "container");
  return std::to_string(static_cast<int>(object->kind)) + " " + std::to_string(container.size()) +
         " " + container + object->name;
}

// Where an output of a node is what one of its inputs is.
std::vector<int> HandedOn(const FlatNode& node, int output) {
  std::vector<int> inputs;
  const auto all = [&] {
    for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(static_cast<int>(i));
  };
  if (node.kind == FlatNode::Kind::kJoin) {
    if (output == 0) all();
    return inputs;
  }
  if (node.kind != FlatNode::Kind::kOp) return inputs;
  switch (PassOf(node.def->op())) {
    case Pass::kNone:
      break;
    case Pass::kFirst:
      if (output <= 1) inputs.push_back(0);
      break;
    case Pass::kSame:
      inputs.push_back(output);
      break;
    case Pass::kAny:
      if (output == 0) all();
      break;
    case Pass::kMixes:
      all();
      break;
    case Pass::kLater:  // all but the first
      if (output == 0) all();
      if (!inputs.empty()) inputs.erase(inputs.begin());
      break;
  }
  std::erase_if(inputs, [&](int i) { return i >= static_cast<int>(node.inputs.size()); });
  return inputs;
}

int OutputsOf(const FlatGraph& flat, int id) {
  const FlatNode& node = flat.nodes[id];
  if (node.kind != FlatNode::Kind::kOp) return 1;
  if (PassOf(node.def->op()) == Pass::kSame) return static_cast<int>(node.inputs.size());
  if (PassOf(node.def->op()) != Pass::kMixes) return 2;
  int outputs = 1;
  for (const Edge& edge : flat.successors[id]) {
    outputs = std::max(outputs, std::min(edge.output, kMaxOutputs - 1) + 1);
  }
  return outputs;
}

class HandleFollower {
 public:
  HandleFollower(const FlatGraph& flat, const graph_def::FunctionDef* entry)
      : flat_(flat), entry_(entry) {}

  Values Run() {
    values_.at.resize(flat_.nodes.size());
    for (size_t i = 0; i < flat_.nodes.size(); ++i) Begin(static_cast<int>(i));
    for (const auto& [key, handles] : handles_) Number(handles);
    // A handle that changes in a loop takes a few rounds.
    HandAll();
    JudgeByUse();
    Guess();
    HandAll();
    return std::move(values_);
  }

 private:
  void HandAll() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int node : flat_.order) changed |= !values_.incomplete && Hand(node);
    }
  }

  // What was handed in is what its users take it for.
  void JudgeByUse() {
    for (const FlatNode& node : flat_.nodes) {
      if (node.kind != FlatNode::Kind::kOp) continue;
      const std::string& op = node.def->op();
      Object::Kind kind = Object::Kind::kVariable;
      if (AccessOfIterator(op)) kind = Object::Kind::kIterator;
      if (AccessOfTable(op)) kind = Object::Kind::kTable;
      if (op == "MutexLock") kind = Object::Kind::kMutex;
      if (kind == Object::Kind::kVariable) continue;
      for (const Edge& edge : node.inputs) {
        for (int object : values_.Of(edge)) {
          if (values_.objects[object].given) values_.objects[object].kind = kind;
        }
      }
    }
  }

  // A handle from where nobody knows, such as a queue, may be that of any variable.
  void Guess() {
    std::vector<int> variables;
    for (size_t i = 0; i < values_.objects.size(); ++i) {
      const Object& object = values_.objects[i];
      const bool variable = object.kind == Object::Kind::kVariable && !object.reference;
      if (variable) variables.push_back(static_cast<int>(i));
    }
    for (const FlatNode& node : flat_.nodes) {
      if (node.kind != FlatNode::Kind::kOp) continue;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Edge& edge = node.inputs[i];
        if (!TakesVariable(node.def->op(), static_cast<int>(i)) || !values_.Of(edge).empty()) {
          continue;
        }
        auto& outputs = values_.at[edge.from];
        if (edge.output >= kMaxOutputs) continue;
        if (std::ssize(outputs) <= edge.output) outputs.resize(edge.output + 1);
        outputs[edge.output] = variables.empty() ? Unknown(edge) : variables;
      }
    }
  }

  std::vector<int> Unknown(const Edge& edge) {
    Object object;
    object.name = flat_.NameOf(edge.from);
    if (edge.output > 0) object.name += ":" + std::to_string(edge.output);
    const auto [place, fresh] =
        unknown_.try_emplace(object.name, static_cast<int>(values_.objects.size()));
    if (fresh) values_.objects.push_back(object);
    return {place->second};
  }

  // A handle on a device that says less than those of others may be that of each that it matches.
  void Number(const std::vector<std::pair<int, Object>>& handles) {
    std::map<std::string, std::vector<int>> numbers;  // by device: the objects there
    for (const auto& [node, object] : handles) numbers[object.device];
    std::vector<int> objects;
    for (const auto& [node, object] : handles) {
      const std::string& device = object.device;
      const bool covered = std::any_of(numbers.begin(), numbers.end(), [&](const auto& other) {
        return SaysMore(other.first, device);
      });
      const bool known = std::any_of(objects.begin(), objects.end(), [&](int number) {
        return Alike(values_.objects[number].device, device);
      });
      if (covered || known) continue;
      objects.push_back(static_cast<int>(values_.objects.size()));
      values_.objects.push_back(object);
    }
    for (auto& [device, here] : numbers) {
      std::copy_if(objects.begin(), objects.end(), std::back_inserter(here),
                   [&](int number) { return MayBeOne(values_.objects[number].device, device); });
    }
    for (const auto& [node, object] : handles) values_.at[node][0] = numbers[object.device];
  }

  void Begin(int id) {
    const FlatNode& node = flat_.nodes[id];
    values_.at[id].resize(OutputsOf(flat_, id));
    Object object;
    std::string key;
    if (node.argument >= 0 && entry_ != nullptr) {
      const auto& argument = entry_->signature().input_arg(node.argument);
      if (argument.type() != graph_def::DT_RESOURCE && !argument.is_ref()) return;
      object.name = argument.name();
      object.given = true;
      object.reference = argument.is_ref();
      if (argument.handle_data_size() > 0) {
        object.dtype = argument.handle_data(0).dtype();
        object.shape = ShapeOf(argument.handle_data(0).shape());
      }
      key = "argument " + argument.name();
    } else if (node.kind == FlatNode::Kind::kOp && Makes(*node.def, &object)) {
      object.device = DeviceOf(node);
      key = KeyOf(flat_, id, &object);
    } else {
      return;
    }
    handles_[key].push_back({id, std::move(object)});
  }

  // Its own, or else that of the op that it is to be placed with.
  std::string DeviceOf(const FlatNode& node) {
    const NodeDef* def = node.def;
    for (int steps = 0; def->device().empty() && steps < kMaxColocated; ++steps) {
      const auto place = def->attr().find("_class");
      if (place == def->attr().end() || place->second.list().s_size() == 0) break;
      constexpr std::string_view kWith = "loc:@";
      const std::string& with = place->second.list().s(0);
      if (!with.starts_with(kWith)) break;
      const auto other = Named().find(flat_.scopes[node.scope].path + with.substr(kWith.size()));
      if (other == Named().end()) break;
      def = other->second;
    }
    return def->device();
  }
  const std::unordered_map<std::string, const NodeDef*>& Named() {
    if (!named_.empty()) return named_;
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      if (flat_.nodes[i].kind == FlatNode::Kind::kOp)
        named_.emplace(flat_.NameOf(static_cast<int>(i)), flat_.nodes[i].def);
    }
    return named_;
  }

  bool Hand(int id) {
    bool changed = false;
    const FlatNode& node = flat_.nodes[id];
    for (int output = 0; output < static_cast<int>(values_.at[id].size()); ++output) {
      for (int input : HandedOn(node, output)) {
        for (int object : values_.Of(node.inputs[input])) {
          // Version 1's references end where an op takes the value behind them.
          if (values_.objects[object].reference && node.kind == FlatNode::Kind::kOp &&
              !KeepsReference(node.def->op())) {
            continue;
          }
          std::vector<int>& to = values_.at[id][output];
          const auto place = std::lower_bound(to.begin(), to.end(), object);
          if (place != to.end() && *place == object) continue;
          if (++entries_ > kMaxEntries) {
            values_.incomplete = true;
            return false;
          }
          to.insert(place, object);
          changed = true;
        }
      }
    }
    return changed;
  }

  const FlatGraph& flat_;
  const graph_def::FunctionDef* entry_;
  Values values_;
  size_t entries_ = 0;
  std::unordered_map<std::string, const NodeDef*> named_;               // filled when first asked
  std::map<std::string, std::vector<std::pair<int, Object>>> handles_;  // by key: nodes, objects
  std::map<std::string, int> unknown_;
};

}  // namespace

const std::vector<int>& Values::Of(const Edge& edge) const {
  static const std::vector<int> kNone;
  if (edge.output < 0 || edge.output >= static_cast<int>(at[edge.from].size())) return kNone;
  return at[edge.from][edge.output];
}

Values FollowHandles(const FlatGraph& flat, const graph_def::FunctionDef* entry) {
  return HandleFollower(flat, entry).Run();
}

}  // namespace lockstep::check
