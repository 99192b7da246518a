#include "check/accesses.h"

#include <algorithm>
#include <map>
#include <set>

#include "check/captured.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;
using Kind = FlatNode::Kind;

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

void Add(const std::vector<Literal>& more, std::vector<Literal>* to) {
  for (const Literal& literal : more) {
    if (std::find(to->begin(), to->end(), literal) == to->end()) to->push_back(literal);
  }
}

bool IsMerge(const FlatNode& node) {
  return node.kind == Kind::kOp && (node.def->op() == "Merge" || node.def->op() == "RefMerge");
}

class AccessCollector {
 public:
  AccessCollector(const FlatGraph& flat, const Values& values, const Conditions& conditions,
                  bool initializes, const std::set<std::string>& born)
      : flat_(flat),
        values_(values),
        conditions_(conditions),
        initializes_(initializes),
        born_(born) {}

  std::vector<Access> Run() {
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      if (IsOp(flat_.nodes[i], {"MakeIterator"}) && flat_.nodes[i].inputs.size() == 2)
        makers_.push_back(static_cast<int>(i));
    }
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
    if (node.kind != Kind::kOp || node.elsewhere || conditions_.Never(id)) return;
    if (RunsDataset(node.def->op())) return LookIntoDatasets(id, id);
    if (RunsFunctions(*node.def)) return KeepCaptured(id, node);
    if (TakesElement(node.def->op()) && !node.inputs.empty()) LookBehindIterator(id);
    // In a body nobody can fetch what nobody takes.
    const bool unused =
        !flat_.scopes[node.scope].function.empty() && flat_.successors[id].size() <= 1;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const std::vector<int>& objects = values_.Of(node.inputs[i]);
      for (int object : objects) {
        const auto what = WhatOf(*node.def, static_cast<int>(i), values_.objects[object]);
        if (!what) continue;
        if (what->kind == AccessKind::kRead && (unused || (AsksFirst(id) && !Taken(id)))) continue;
        if (what->existence && !MayFindNone(id, object)) continue;
        Access access{.node = id, .object = object, .what = *what, .may = objects.size() > 1};
        if (IsMerge(node)) {
          access.conditions = conditions_.Along(node.inputs[i]);
          access.behind = node.inputs[i].from;
        }
        Keep(std::move(access));
      }
    }
  }

  // Who takes an element runs the functions of the datasets that the iterator was made for, in this
  // run or in another one.
  void LookBehindIterator(int id) {
    const std::vector<int>& iterators = values_.Of(flat_.nodes[id].inputs[0]);
    for (int maker : makers_) {
      const FlatNode& node = flat_.nodes[maker];
      const std::vector<int>& made = values_.Of(node.inputs[1]);
      const bool meets = std::any_of(made.begin(), made.end(), [&](int iterator) {
        return std::binary_search(iterators.begin(), iterators.end(), iterator);
      });
      if (meets) LookIntoDatasets(id, node.inputs[0].from, maker);
    }
  }

  // The functions of a node and of the datasets that it takes run while `id` does, or, of those
  // that make elements ahead for an iterator, from when `maker` gives it the datasets.
  void LookIntoDatasets(int id, int first, int maker = -1) {
    const int since = maker >= 0 && flat_.nodes[maker].elsewhere ? -1 : maker;
    std::vector<std::pair<int, int>> open{{first, -1}};  // a dataset, and which one makes it ahead
    std::set<std::pair<int, int>> seen{open[0]};
    while (!open.empty()) {
      const auto [dataset, behind] = open.back();
      const FlatNode& node = flat_.nodes[dataset];
      open.pop_back();
      const bool starts =
          maker >= 0 && behind < 0 && node.kind == Kind::kOp && MakesElementsAhead(node.def->op());
      const int ahead = starts ? dataset : behind;
      if (node.kind == Kind::kOp) KeepCaptured(id, node, ahead, ahead < 0 ? -1 : since);
      for (const Edge& edge : node.inputs) {
        const FlatNode& from = flat_.nodes[edge.from];
        const bool takes = from.kind == Kind::kOp
                               ? from.def->op().find("Dataset") != std::string::npos
                               : from.kind == Kind::kJoin;
        if (takes && seen.insert({edge.from, ahead}).second) open.push_back({edge.from, ahead});
      }
    }
  }

  void KeepCaptured(int id, const FlatNode& node, int ahead = -1, int since = -1) {
    std::vector<const std::vector<int>*> handles;
    for (const Edge& edge : node.inputs) {
      if (!values_.Of(edge).empty()) handles.push_back(&values_.Of(edge));
    }
    for (size_t k = 0; k < handles.size(); ++k) {
      const auto what = AccessOfCaptured(*flat_.library, *node.def, static_cast<int>(k),
                                         static_cast<int>(handles.size()));
      for (int object : *handles[k]) {
        const Object& one = values_.objects[object];
        if (!what || one.kind != Object::Kind::kVariable || one.reference) continue;
        Keep({.node = id,
              .object = object,
              .what = *what,
              .may = handles[k]->size() > 1,
              .ahead = ahead,
              .since = since});
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

  void Keep(Access access) {
    const FlatNode& node = flat_.nodes[access.node];
    const Object& object = values_.objects[access.object];
    for (size_t i = Begin(access.node); i < accesses_.size(); ++i) {
      if (accesses_[i].object != access.object || accesses_[i].what.kind != access.what.kind)
        continue;
      accesses_[i].conditions.clear();
      accesses_[i].behind = -1;
      if (access.ahead >= 0 && accesses_[i].ahead < 0) {
        accesses_[i].ahead = access.ahead;
        accesses_[i].since = access.since;
      }
      return;
    }
    const auto* locking = Attribute(*node.def, "use_locking");
    if (access.writes() && (locking == nullptr || !locking->b()))
      access.lock = LockWithoutAsking(node.def->op(), object.reference);
    const auto* type = Attribute(*node.def, "T");
    if (type == nullptr) type = Attribute(*node.def, "dtype");
    access.integer = IsInteger(
        type != nullptr && type->type() != graph_def::DT_INVALID ? type->type() : object.dtype);
    const int value = access.what.value;
    if (value >= 0 && value < static_cast<int>(node.inputs.size())) {
      access.value = conditions_.Origin(node.inputs[value]);
    }
    FindPlaces(&access);
    // Who looks at its shape alone reads nothing.
    if (access.places && access.places->empty() && !access.writes()) return;
    accesses_.push_back(std::move(access));
  }

  void FindPlaces(Access* access) const {
    const FlatNode& node = flat_.nodes[access->node];
    const OpAccess& what = access->what;
    const KnownShape& shape = values_.objects[access->object].shape;
    if (what.slice >= 0) {
      access->places = PlacesOfSlice(flat_, conditions_, access->node, what.slice, shape);
    } else if (what.rows >= 0 && what.rows < static_cast<int>(node.inputs.size())) {
      access->places = PlacesListedBy(flat_, conditions_, node.inputs[what.rows], what.tuples);
      access->row = CounterAt(flat_, conditions_, node.inputs[what.rows]);
    } else if (node.def->op() == "ReadVariableOp" ||
               (what.kind == AccessKind::kRead && node.def->op() == "Identity")) {
      if (node.fetched) return;
      access->places = PlacesTakenFrom(flat_, conditions_, access->node, shape);
      access->what.part = access->places != nullptr;
    }
  }

  // Where the accesses of the newest node begin.
  size_t Begin(int id) const {
    size_t begin = accesses_.size();
    while (begin > 0 && accesses_[begin - 1].node == id) --begin;
    return begin;
  }

  // Whether among those who take what the node gives is one of whom `ends` holds; all others hand
  // it on to those who take what they give.
  template <typename Ends>
  bool AnyTaker(int id, const Ends& ends) const {
    std::vector<int> open{id};
    std::set<int> seen;
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (const Edge& edge : flat_.successors[from]) {
        if (edge.output < 0 || !seen.insert(edge.from).second) continue;
        if (ends(flat_.nodes[edge.from])) return true;
        open.push_back(edge.from);
      }
    }
    return false;
  }

  // Whether an op of a run that does not initialize takes what the node gives.
  bool Taken(int id) const {
    return !initializes_ && AnyTaker(id, [](const FlatNode& user) {
      return user.kind == Kind::kOp && !KeepsBuffer(user.def->op());
    });
  }

  // Whether who asks if a variable has a value may come before the first one. In a run that gives
  // first values nothing else depends on the answer, nor where nobody takes what is chosen by it.
  bool MayFindNone(int id, int object) const {
    if (initializes_ || born_.contains(values_.objects[object].name)) return false;
    bool used = false, chooses = false;
    const bool taken = AnyTaker(id, [&](const FlatNode& user) {
      used = true;
      chooses = chooses || IsOp(user, {"Switch", "RefSwitch"});
      return user.kind == Kind::kOp && !KeepsBuffer(user.def->op()) &&
             !IsOp(user, {"LogicalNot", "ReadVariableOp"});
    });
    if (taken) return !chooses || !ReadWhereFound(object);
    return !used || flat_.nodes[id].fetched;
  }

  // Whether the variable is read where it was found to have a value: then that read is told.
  bool ReadWhereFound(int object) const {
    for (size_t i = 0; i < flat_.nodes.size(); ++i) {
      const FlatNode& node = flat_.nodes[i];
      if (!IsOp(node, {"ReadVariableOp", "Identity"}) || node.inputs.empty()) continue;
      const std::vector<int>& read = values_.Of(node.inputs[0]);
      if (std::binary_search(read.begin(), read.end(), object) && AsksFirst(static_cast<int>(i)))
        return true;
    }
    return false;
  }

  bool AsksFirst(int id) const {
    const auto& literals = conditions_.Of(id);
    return std::any_of(literals.begin(), literals.end(), [&](const Literal& literal) {
      if (literal.node < 0) return false;
      const FlatNode& node = flat_.nodes[literal.node];
      return node.kind == Kind::kOp &&
             (node.def->op() == "IsVariableInitialized" || node.def->op() == "VarIsInitializedOp");
    });
  }

  // In version 1 what a read gives is the variable's buffer, until the last op has used it.
  void FollowBuffer(const Access& read) {
    std::map<int, std::vector<Literal>> under{{read.node, conditions_.Of(read.node)}};
    std::set<int> users;
    std::vector<int> open{read.node};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (const Edge& edge : flat_.successors[node]) {
        if (edge.output < 0 || !Reach({node, edge.output}, edge.from, &under)) continue;
        const FlatNode& user = flat_.nodes[edge.from];
        const std::string& device = user.def == nullptr ? std::string() : user.def->device();
        const std::string& home = flat_.nodes[read.node].def->device();
        if (!device.empty() && !home.empty() && device != home) continue;  // sent: a copy
        if (user.kind == Kind::kJoin || HandsOn(user, {node, edge.output})) {
          open.push_back(edge.from);
        } else if (user.kind == Kind::kOp && !IgnoresValue(user.def->op())) {
          users.insert(edge.from);
        }
      }
    }
    for (int user : users) {
      Access late = read;
      late.node = user;
      late.through = read.node;
      late.conditions = under[user];
      accesses_.push_back(std::move(late));
    }
  }

  static bool HandsOn(const FlatNode& user, const Edge& buffer) {
    if (user.kind != Kind::kOp) return false;
    for (size_t i = 0; i < user.inputs.size(); ++i) {
      const Edge& input = user.inputs[i];
      if (input.from == buffer.from && input.output == buffer.output &&
          KeepsBufferOf(user.def->op(), static_cast<int>(i)))
        return true;
    }
    return false;
  }

  // Notes under what the buffer comes to a node; false if that is known already. On several ways it
  // is what they have in common.
  bool Reach(const Edge& along, int to, std::map<int, std::vector<Literal>>* under) const {
    std::vector<Literal> conditions = (*under)[along.from];
    Add(conditions_.Along(along), &conditions);
    if (!IsMerge(flat_.nodes[to])) Add(conditions_.Of(to), &conditions);
    const auto [place, fresh] = under->try_emplace(to, conditions);
    if (fresh) return true;
    const size_t before = place->second.size();
    std::erase_if(place->second, [&](const Literal& literal) {
      return std::find(conditions.begin(), conditions.end(), literal) == conditions.end();
    });
    return place->second.size() < before;
  }

  const FlatGraph& flat_;
  const Values& values_;
  const Conditions& conditions_;
  const bool initializes_;
  const std::set<std::string>& born_;
  std::vector<int> makers_;  // what gives iterators their datasets
  std::vector<Access> accesses_;
};

bool ApartByPlace(const Access& a, const Access& b, const FlatGraph& flat, int loop,
                  bool replicas) {
  if (!a.what.part || !b.what.part) return false;
  if (a.row && b.row && !replicas && Differ(*a.row, *b.row, flat, loop)) return true;
  return Apart(a.places, b.places);
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

// Whether both are the same value, also if it is written as two constants.
bool SameValue(const Edge& a, const Edge& b, const FlatGraph& flat) {
  if (a.from < 0 || b.from < 0) return false;
  if (a.from == b.from) return a.output == b.output;
  if (!IsConstant(flat.nodes[a.from]) || !IsConstant(flat.nodes[b.from])) return false;
  const auto* one = Attribute(*flat.nodes[a.from].def, "value");
  const auto* other = Attribute(*flat.nodes[b.from].def, "value");
  return one != nullptr && other != nullptr &&
         one->SerializeAsString() == other->SerializeAsString();
}

// Whether a variable may have no value before, or after: other writes fail where there is none.
bool GivesFirstValue(const Access& access) {
  return access.what.kind == AccessKind::kWrite && !access.what.part;
}

// Whether two accumulations end alike in either order, but for rounding.
bool Commute(Accumulation a, Accumulation b, bool integer) {
  if (a == b) return true;
  const auto product = [](Accumulation one) {
    return one == Accumulation::kMultiplication || one == Accumulation::kDivision;
  };
  return product(a) && product(b) && !integer;
}

}  // namespace

std::vector<Access> AccessesOf(const FlatGraph& flat, const Values& values,
                               const Conditions& conditions, bool initializes,
                               const std::set<std::string>& born) {
  return AccessCollector(flat, values, conditions, initializes, born).Run();
}

bool MayLose(const Access& a, const Access& b) {
  if (a.lock == Lock::kNone || b.lock == Lock::kNone) return true;
  return a.lock == Lock::kShared && b.lock == Lock::kShared;
}

Conflict ConflictOf(const Access& a, const Access& b, const FlatGraph& flat, int loop,
                    bool replicas) {
  if (!a.writes() && !b.writes()) return Conflict::kNone;
  if (a.what.existence && !GivesFirstValue(b)) return Conflict::kNone;
  if (b.what.existence && !GivesFirstValue(a)) return Conflict::kNone;
  if (ApartByPlace(a, b, flat, loop, replicas)) return Conflict::kNone;
  const bool accumulate =
      a.what.kind == AccessKind::kAccumulate && b.what.kind == AccessKind::kAccumulate;
  if (accumulate && Commute(a.what.accumulation, b.what.accumulation, a.integer)) {
    // Rows that two ops add to without a lock at the same time may lose one of the two.
    if (MayLose(a, b)) return a.what.part || b.what.part ? Conflict::kRace : Conflict::kUnlocked;
    const bool exact = a.integer || a.what.accumulation == Accumulation::kMinimum ||
                       a.what.accumulation == Accumulation::kMaximum;
    return exact ? Conflict::kNone : Conflict::kRounding;
  }
  // Who assigns the same twice has assigned it once.
  const bool assign = a.what.kind == AccessKind::kWrite && b.what.kind == AccessKind::kWrite;
  if (assign && !a.what.part && !b.what.part && SameValue(a.value, b.value, flat) &&
      (loop < 0 || Outside(flat, a.value.from, loop)) &&
      (!replicas || IsConstant(flat.nodes[a.value.from]))) {
    return Conflict::kNone;
  }
  return Conflict::kRace;
}

}  // namespace lockstep::check
