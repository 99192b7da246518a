#include "check/locks.h"

namespace lockstep::check {

namespace {

// Sections times accesses; with more of them locks keep nothing apart.
constexpr size_t kMaxHeld = 100'000;

std::vector<Section> SectionsOf(const FlatGraph& flat, const Values& values) {
  std::vector<Section> sections;
  for (size_t i = 0; i < flat.nodes.size(); ++i) {
    const FlatNode& node = flat.nodes[i];
    if (!IsOp(node, {"MutexLock"}) || node.inputs.empty()) continue;
    const std::vector<int>& mutexes = values.Of(node.inputs[0]);
    if (mutexes.size() != 1) continue;
    for (const Edge& edge : flat.successors[i]) {
      if (edge.output >= 0 && IsOp(flat.nodes[edge.from], {"ConsumeMutexLock"}))
        sections.push_back({mutexes[0], static_cast<int>(i), edge.from, {}, {}});
    }
  }
  return sections;
}

}  // namespace

Locks::Locks(const FlatGraph& flat, const Values& values, const Order& order,
             const std::vector<Access>& accesses)
    : sections_(SectionsOf(flat, values)) {
  if (sections_.size() * accesses.size() > kMaxHeld) sections_.clear();
  const std::vector<char> blocked(flat.loops.size(), true);
  for (size_t s = 0; s < sections_.size(); ++s) {
    Section& section = sections_[s];
    const auto inside = order.After(std::vector<int>{section.lock}, blocked, -1, 0);
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Access& access = accesses[i];
      if (!(inside[access.node] & 1)) continue;
      const auto after = order.After(std::vector<int>{access.node}, blocked, -1, 0);
      if (!(after[section.consumer] & 1)) continue;
      around_[static_cast<int>(i)].push_back(static_cast<int>(s));
      if (access.reads()) section.read.insert(access.object);
      if (access.writes()) section.written.insert(access.object);
    }
  }
}

std::pair<const Section*, const Section*> Locks::Between(int a, int b) const {
  const auto ones = around_.find(a), others = around_.find(b);
  if (ones == around_.end() || others == around_.end()) return {};
  for (int one : ones->second) {
    for (int other : others->second) {
      if (sections_[one].mutex == sections_[other].mutex)
        return {&sections_[one], &sections_[other]};
    }
  }
  return {};
}

const Section* Locks::Around(int access) const {
  const auto place = around_.find(access);
  return place == around_.end() ? nullptr : &sections_[place->second.front()];
}

}  // namespace lockstep::check
