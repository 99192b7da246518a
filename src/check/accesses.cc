#include "check/accesses.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;
using Kind = FlatNode::Kind;

constexpr size_t kMaxRows = 65'536;

const graph_def::AttrValue* Attribute(const NodeDef& node, const char* name) {
  const auto place = node.attr().find(name);
  return place == node.attr().end() ? nullptr : &place->second;
}

bool IsInteger(int dtype) {
  using namespace graph_def;
  for (int integer : {DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_INT64, DT_UINT16, DT_UINT32,
                      DT_UINT64, DT_INT4, DT_UINT4, DT_BOOL}) {
    if (dtype % 100 == integer) return true;
  }
  return false;
}

// The numbers of a constant, sorted and each once.
std::optional<std::vector<int64_t>> ConstantRows(const FlatNode& node) {
  if (node.kind != Kind::kOp || node.def->op() != "Const") return std::nullopt;
  const auto* value = Attribute(*node.def, "value");
  if (value == nullptr || !value->has_tensor()) return std::nullopt;
  const graph_def::TensorProto& tensor = value->tensor();
  std::set<int64_t> rows(tensor.int_val().begin(), tensor.int_val().end());
  rows.insert(tensor.int64_val().begin(), tensor.int64_val().end());
  const std::string& bytes = tensor.tensor_content();
  const size_t size = tensor.dtype() == graph_def::DT_INT64 ? 8 : 4;
  if (bytes.size() / size > kMaxRows || rows.size() > kMaxRows) return std::nullopt;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(size == 8 ? static_cast<void*>(&wide) : &narrow, bytes.data() + at, size);
    rows.insert(size == 8 ? wide : narrow);
  }
  if (rows.empty()) rows.insert(0);  // nothing is written for a tensor of zeros
  return std::vector<int64_t>(rows.begin(), rows.end());
}

class AccessCollector {
 public:
  AccessCollector(const FlatGraph& flat, const Values& values, const Conditions& conditions)
      : flat_(flat), values_(values), conditions_(conditions) {}

  std::vector<Access> Run() {
    for (size_t i = 0; i < flat_.nodes.size(); ++i) Look(static_cast<int>(i));
    const size_t direct = accesses_.size();
    for (size_t i = 0; i < direct; ++i) {
      const Access access = accesses_[i];
      if (access.what.kind == AccessKind::kRead && values_.objects[access.object].reference &&
          KeepsBuffer(flat_.nodes[access.node].def->op())) {
        FollowBuffer(access);
      }
    }
    return std::move(accesses_);
  }

 private:
  void Look(int id) {
    const FlatNode& node = flat_.nodes[id];
    if (node.kind != Kind::kOp) return;
    // In a body nobody can fetch what nobody takes.
    const bool unused =
        !flat_.scopes[node.scope].function.empty() && flat_.successors[id].size() <= 1;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const std::vector<int>& objects = values_.Of(node.inputs[i]);
      for (int object : objects) {
        const auto what = WhatOf(*node.def, static_cast<int>(i), values_.objects[object]);
        if (!what) continue;
        if (what->kind == AccessKind::kRead && (unused || AsksFirst(id))) continue;
        Keep(id, object, *what, objects.size() > 1);
      }
    }
  }

  static std::optional<OpAccess> WhatOf(const NodeDef& node, int input, const Object& object) {
    switch (object.kind) {
      case Object::Kind::kVariable:
        return AccessOfVariable(node, input, object.reference);
      case Object::Kind::kIterator:
        return AccessOfIterator(node.op());
      case Object::Kind::kTable:
        return AccessOfTable(node.op());
      default:
        return std::nullopt;
    }
  }

  void Keep(int id, int object, const OpAccess& what, bool may) {
    const FlatNode& node = flat_.nodes[id];
    Access access{.node = id, .object = object, .what = what, .may = may};
    for (const Access& same : accesses_) {
      if (&same >= accesses_.data() + Begin(id) && same.object == object &&
          same.what.kind == what.kind) {
        return;
      }
    }
    const auto* locking = Attribute(*node.def, "use_locking");
    access.unlocked = values_.objects[object].reference && access.writes() &&
                      (locking == nullptr || !locking->b());
    const auto* type = Attribute(*node.def, "T");
    if (type == nullptr) type = Attribute(*node.def, "dtype");
    access.integer = IsInteger(type != nullptr && type->type() != graph_def::DT_INVALID
                                   ? type->type()
                                   : values_.objects[object].dtype);
    const int inputs = static_cast<int>(node.inputs.size());
    if (what.rows >= 0 && what.rows < inputs) {
      access.rows = ConstantRows(flat_.nodes[conditions_.Origin(node.inputs[what.rows]).from]);
    }
    if (what.value >= 0 && what.value < inputs) {
      access.value = conditions_.Origin(node.inputs[what.value]);
    }
    accesses_.push_back(std::move(access));
  }

  // Where the accesses of the newest node begin.
  size_t Begin(int id) const {
    size_t begin = accesses_.size();
    while (begin > 0 && accesses_[begin - 1].node == id) --begin;
    return begin;
  }

  bool AsksFirst(int id) const {
    const auto& literals = conditions_.Of(id);
    return std::any_of(literals.begin(), literals.end(), [&](const Literal& literal) {
      const FlatNode& node = flat_.nodes[literal.node];
      return node.kind == Kind::kOp &&
             (node.def->op() == "IsVariableInitialized" || node.def->op() == "VarIsInitializedOp");
    });
  }

  // In version 1 what a read gives is the variable's buffer, until the last op has used it.
  void FollowBuffer(const Access& read) {
    std::set<int> seen;
    std::vector<int> open{read.node};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (const Edge& edge : flat_.successors[node]) {
        if (edge.output < 0 || !seen.insert(edge.from).second) continue;
        const FlatNode& user = flat_.nodes[edge.from];
        const std::string& device = user.def == nullptr ? std::string() : user.def->device();
        const std::string& home = flat_.nodes[read.node].def->device();
        if (!device.empty() && !home.empty() && device != home) continue;  // sent: a copy
        if (user.kind == Kind::kJoin || (user.kind == Kind::kOp && KeepsBuffer(user.def->op()))) {
          open.push_back(edge.from);
        } else if (user.kind == Kind::kOp && !IgnoresValue(user.def->op())) {
          Access late = read;
          late.node = edge.from;
          late.through = read.node;
          accesses_.push_back(std::move(late));
        }
      }
    }
  }

  const FlatGraph& flat_;
  const Values& values_;
  const Conditions& conditions_;
  std::vector<Access> accesses_;
};

// Whether both certainly touch different rows.
bool Apart(const Access& a, const Access& b) {
  if (!a.what.part || !b.what.part || !a.rows || !b.rows) return false;
  return std::none_of(a.rows->begin(), a.rows->end(), [&](int64_t row) {
    return std::binary_search(b.rows->begin(), b.rows->end(), row);
  });
}

bool IsConstant(const FlatNode& node) {
  return node.kind == Kind::kOp && node.def->op() == "Const";
}

// Whether a value made at `node` is the same in all iterations of `loop`.
bool Outside(const FlatGraph& flat, int node, int loop) {
  for (int around = flat.nodes[node].loop; around >= 0; around = flat.loops[around].parent) {
    if (around == loop) return IsConstant(flat.nodes[node]);
  }
  return true;
}

}  // namespace

std::vector<Access> AccessesOf(const FlatGraph& flat, const Values& values,
                               const Conditions& conditions) {
  return AccessCollector(flat, values, conditions).Run();
}

Conflict ConflictOf(const Access& a, const Access& b, const FlatGraph& flat, int loop,
                    bool replicas) {
  if (!a.writes() && !b.writes()) return Conflict::kNone;
  if (Apart(a, b)) return Conflict::kNone;
  const bool accumulate =
      a.what.kind == AccessKind::kAccumulate && b.what.kind == AccessKind::kAccumulate;
  if (accumulate && a.what.accumulation == b.what.accumulation) {
    // Rows that two ops add to without a lock at the same time may lose one of the two.
    if (a.unlocked || b.unlocked) return a.what.part ? Conflict::kRace : Conflict::kUnlocked;
    const bool exact = a.integer || a.what.accumulation == Accumulation::kMinimum ||
                       a.what.accumulation == Accumulation::kMaximum;
    return exact ? Conflict::kNone : Conflict::kRounding;
  }
  // Who assigns the same twice has assigned it once.
  const bool assign = a.what.kind == AccessKind::kWrite && b.what.kind == AccessKind::kWrite;
  if (assign && !a.what.part && !b.what.part && a.value.from >= 0 && a.value.from == b.value.from &&
      a.value.output == b.value.output && (loop < 0 || Outside(flat, a.value.from, loop)) &&
      (!replicas || IsConstant(flat.nodes[a.value.from]))) {
    return Conflict::kNone;
  }
  return Conflict::kRace;
}

}  // namespace lockstep::check
