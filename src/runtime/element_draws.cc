#include "runtime/element_draws.h"

#include <utility>

#include "graph/tracer.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"

namespace lockstep::runtime {

namespace {

thread_local ElementScope* current_element = nullptr;
thread_local ElementTraceScope* current_trace = nullptr;

std::shared_ptr<graph::Graph> TracedGraph() {
  auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
  return tracer == nullptr ? nullptr : tracer->graph();
}

// Odd numbers far from those that programs choose as seeds.
constexpr int64_t kPassStep = 0x1E3779B97F4A7C15;
constexpr int64_t kRoundStep = 0x2545F4914F6CDD1D;

}  // namespace

ElementScope::ElementScope(const ElementPlace& of)
    : place(of), outer_(std::exchange(current_element, this)) {}
ElementScope::~ElementScope() { current_element = outer_; }
ElementScope* ElementScope::Current() { return current_element; }

Tensor ElementScope::CurrentPlace() {
  const ElementPlace place = current_element == nullptr ? ElementPlace{} : current_element->place;
  return Constant<int64_t>({place.number, place.pass, place.round, place.total});
}

ElementTraceScope::ElementTraceScope(const Tensor& place)
    : place_(place), graph_(TracedGraph()), outer_(std::exchange(current_trace, this)) {}
ElementTraceScope::~ElementTraceScope() { current_trace = outer_; }

Tensor ElementTraceScope::Current() {
  if (current_trace == nullptr || current_trace->graph_ != TracedGraph()) return Tensor();
  return current_trace->place_;
}

// A stream's words are its counter, low and high, and its key (random/generator.h).
Tensor ElementState(const Tensor& place, const random::SeedPair& pair, const Tensor& blocks,
                    bool differs_by_pass) {
  const Tensor steps = Stack(
      {blocks, Scalar<int64_t>(differs_by_pass ? kPassStep : 0), Scalar<int64_t>(kRoundStep)});
  return Slice(place, {0}, {3}) * steps + Constant<int64_t>({0, pair.seed2, pair.seed});
}

}  // namespace lockstep::runtime
