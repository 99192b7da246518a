// Where values live: chunk memory of a lane for what never leaves a group, else the arena.

#include <algorithm>
#include <limits>

#include "runtime/plan_compiler.h"

namespace lockstep::runtime {

namespace {

constexpr size_t kAlignment = 64;
// The outputs of one pass over a group's steps should stay in a core's second-level cache.
constexpr size_t kChunkBytes = 192 * 1024;
// A step counts as writing next to nothing below this part of what its group writes.
constexpr size_t kNextToNothing = 256;
// Buffers that begin at the same offset of a page compete for the same cache lines.
constexpr size_t kStagger = 5 * kAlignment;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Free pieces of the arena, by offset.
class ArenaSpace {
 public:
  size_t Take(size_t bytes) {
    size_t best = pieces_.size();
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].bytes >= bytes &&
          (best == pieces_.size() || pieces_[i].bytes < pieces_[best].bytes))
        best = i;
    }
    if (best == pieces_.size()) {
      const size_t offset = end_;
      if (__builtin_add_overflow(end_, bytes, &end_)) {
        throw Error(Code::kResourceExhausted,
                    "[plan] memory for the values of a run is needed; got " +
                        std::to_string(bytes) + " bytes besides " + std::to_string(offset));
      }
      return offset;
    }
    const size_t offset = pieces_[best].offset;
    pieces_[best].offset += bytes;
    pieces_[best].bytes -= bytes;
    if (pieces_[best].bytes == 0) pieces_.erase(pieces_.begin() + best);
    return offset;
  }
  void Give(size_t offset, size_t bytes) {
    auto place = std::lower_bound(pieces_.begin(), pieces_.end(), offset,
                                  [](const Piece& p, size_t o) { return p.offset < o; });
    place = pieces_.insert(place, {offset, bytes});
    if (auto next = place + 1;
        next != pieces_.end() && place->offset + place->bytes == next->offset) {
      place->bytes += next->bytes;
      place = pieces_.erase(next) - 1;
    }
    if (place != pieces_.begin() && (place - 1)->offset + (place - 1)->bytes == place->offset) {
      (place - 1)->bytes += place->bytes;
      pieces_.erase(place);
    }
  }
  size_t end() const { return end_; }

 private:
  struct Piece {
    size_t offset, bytes;
  };
  std::vector<Piece> pieces_;
  size_t end_ = 0;
};

}  // namespace

// A large product wants all rows of its lane at once, since it packs its matrix for each call;
// cheap steps want few, so that they stay in the cache. A group with both becomes several, which
// still need no barrier between them: their rows are divided in the same way.
void PlanCompiler::SplitGroups() {
  for (Phase& phase : plan_->phases_) {
    std::vector<Group> groups;
    for (Group& group : phase.groups) {
      if (group.by_depth) {
        for (int index : group.steps) group_of_step_[index] = static_cast<int>(groups.size());
        groups.push_back(group);
        continue;
      }
      bool join = false;  // whether the next step may join the last of `groups`
      for (int index : group.steps) {
        const bool whole = group.owner < 0 && plan_->steps_[index].kernel->min_rows() > 0;
        if (!join || whole) {
          groups.push_back({.domain = group.domain, .owner = group.owner});
        }
        groups.back().steps.push_back(index);
        groups.back().grain = std::max(groups.back().grain, plan_->steps_[index].grain);
        group_of_step_[index] = static_cast<int>(groups.size()) - 1;
        join = !whole;
      }
    }
    phase.groups = std::move(groups);
  }
}

void PlanCompiler::FindRowDomains() {
  std::vector<RowDomain>& domains = plan_->row_domains_;
  for (Phase& phase : plan_->phases_) {
    double most = 0;
    for (Group& group : phase.groups) {
      if (group.owner >= 0) continue;
      auto place = std::find_if(domains.begin(), domains.end(), [&](const RowDomain& domain) {
        return domain.rows == group.domain;
      });
      if (place == domains.end()) place = domains.insert(place, {.rows = group.domain});
      place->grain = std::max(place->grain, group.grain);
      group.share = static_cast<int>(place - domains.begin());
      double cost = 0;
      for (int index : group.steps) {
        const kernels::Kernel& kernel = *plan_->steps_[index].kernel;
        cost += kernel.cost_per_row() * static_cast<double>(kernel.rows());
      }
      if (cost <= most) continue;
      most = cost;
      phase.dearest_share = group.share;
    }
  }
}

// A value lives in chunk memory when its group is divided and only steps of the group read it, row
// by row.
void PlanCompiler::MarkChunkSlots() {
  if (!options_.fuse) return;
  std::vector<char> leaves_group(plan_->slots_.size(), 0);
  for (size_t index = 0; index < plan_->steps_.size(); ++index) {
    const Step& step = plan_->steps_[index];
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const int slot = step.inputs[i];
      if (slot < 0 || producer_[slot] < 0) continue;
      const int producer = producer_[slot];
      const bool same = phase_of_step_[producer] == phase_of_step_[index] &&
                        group_of_step_[producer] == group_of_step_[index];
      if (!same || !ops::HasBit(step.kernel->aligned_inputs(), i)) leaves_group[slot] = 1;
    }
  }
  for (size_t slot = 0; slot < plan_->slots_.size(); ++slot) {
    Slot& s = plan_->slots_[slot];
    if (s.kind != Slot::Kind::kArena || producer_[slot] < 0 || leaves_group[slot]) continue;
    const int step = producer_[slot];
    const Group& group = plan_->phases_[phase_of_step_[step]].groups[group_of_step_[step]];
    if (group.owner >= 0 || group.by_depth || s.bytes % group.domain != 0) continue;
    // Output 0 has the kernel's rows along axis 0; other outputs must be divided the same way.
    const auto& outputs = graph_.node(plan_->steps_[step].node).outputs;
    const auto place = std::find(plan_->steps_[step].outputs.begin(),
                                 plan_->steps_[step].outputs.end(), static_cast<int>(slot));
    const Shape& shape = outputs[place - plan_->steps_[step].outputs.begin()].shape;
    if (shape.rank() == 0 || shape[0] % group.domain != 0) continue;
    s.kind = Slot::Kind::kChunk;
    s.row_bytes = s.bytes / group.domain;
  }
}

void PlanCompiler::ChooseChunks() {
  for (Phase& phase : plan_->phases_) {
    for (Group& group : phase.groups) {
      if (group.owner >= 0 || group.by_depth || !options_.fuse || group.steps.size() < 2) continue;
      size_t row_bytes = 0;
      for (int index : group.steps) {
        for (int slot : plan_->steps_[index].outputs) {
          row_bytes += plan_->slots_[slot].bytes / group.domain;
        }
      }
      int64_t least = 1, grain = 1;
      for (int index : group.steps) {
        const Step& step = plan_->steps_[index];
        const int64_t ratio = std::max<int64_t>(1, step.kernel->rows() / group.domain);
        least = std::max(least, (step.kernel->min_rows() + ratio - 1) / ratio);
        // A step that writes next to nothing may be slow rather than make the others' chunks large.
        size_t written = 0;
        for (int slot : step.outputs) written += plan_->slots_[slot].bytes / group.domain;
        const bool counts = ratio == 1 && (written == 0 || written >= row_bytes / kNextToNothing);
        if (counts) grain = std::max(grain, step.kernel->row_grain());
        for (int slot : step.inputs) {
          if (slot >= 0 && plan_->slots_[slot].kind == Slot::Kind::kVariable &&
              !step.writes.empty()) {
            row_bytes += plan_->slots_[slot].bytes / group.domain;
          }
        }
      }
      const int64_t fitting = static_cast<int64_t>(kChunkBytes / std::max<size_t>(1, row_bytes));
      const int64_t chunk = std::max({fitting / grain * grain, grain, least});
      group.chunk = std::min(chunk, group.domain);
    }
  }
}

void PlanCompiler::PlanArena() {
  const int phases = static_cast<int>(plan_->phases_.size());
  std::vector<int> last(plan_->slots_.size(), -1);
  for (size_t index = 0; index < plan_->steps_.size(); ++index) {
    const Step& step = plan_->steps_[index];
    for (int slot : step.inputs) {
      if (slot >= 0) last[slot] = std::max(last[slot], phase_of_step_[index]);
    }
    for (int slot : step.outputs) last[slot] = std::max(last[slot], phase_of_step_[index]);
  }
  ArenaSpace space;
  std::vector<std::vector<int>> dying(phases);
  for (int p = 0; p < phases; ++p) {
    for (Group& group : plan_->phases_[p].groups) {
      size_t chunk_offset = 0;
      for (int index : group.steps) {
        for (int slot : plan_->steps_[index].outputs) {
          Slot& s = plan_->slots_[slot];
          if (s.kind == Slot::Kind::kChunk) {
            const int64_t rows = group.chunk > 0 ? group.chunk : group.domain;
            s.offset = chunk_offset;
            chunk_offset += Aligned(s.row_bytes * rows) + kStagger;
          } else if (s.kind == Slot::Kind::kArena) {
            s.offset = space.Take(Aligned(s.bytes) + kStagger);
            dying[last[slot]].push_back(slot);
          }
        }
      }
      plan_->chunk_bytes_ = std::max(plan_->chunk_bytes_, chunk_offset);
    }
    for (int slot : dying[p]) {
      space.Give(plan_->slots_[slot].offset, Aligned(plan_->slots_[slot].bytes) + kStagger);
    }
  }
  plan_->arena_bytes_ = space.end();
}

void PlanCompiler::PlanPointers() {
  int next = 0;
  for (Step& step : plan_->steps_) {
    plan_->pointer_offsets_.push_back(next);
    next += static_cast<int>(step.inputs.size() + step.outputs.size());
  }
  plan_->num_pointers_ = next;
  for (Phase& phase : plan_->phases_) {
    for (Group& group : phase.groups) {
      for (int index : group.steps) {
        int pointer = plan_->pointer_offsets_[index];
        auto add = [&](int slot) {
          const int place = pointer++;
          if (slot < 0) return;
          switch (plan_->slots_[slot].kind) {
            case Slot::Kind::kChunk:
              group.chunk_patches.push_back({slot, place});
              break;
            case Slot::Kind::kArena:
            case Slot::Kind::kConstant:
              plan_->arena_patches_.push_back({slot, place});
              break;
            default:
              plan_->patches_.push_back({slot, place});
          }
        };
        for (int slot : plan_->steps_[index].inputs) add(slot);
        for (int slot : plan_->steps_[index].outputs) add(slot);
      }
    }
  }
}

}  // namespace lockstep::runtime
