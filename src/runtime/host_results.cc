#include "runtime/host_results.h"

#include "runtime/replica.h"

namespace lockstep::runtime {

namespace {
thread_local HostResults* current = nullptr;
}  // namespace

HostResults::Scope::Scope(HostResults& results) : outer_(current) {
  for (auto& [replica, of] : results.results_) of.next = 0;
  current = &results;
}

HostResults::Scope::~Scope() { current = outer_; }

std::vector<Tensor> CarryOutHostOp(const HostOp& host, const ops::OpSpec& spec,
                                   const ops::Attributes& attributes,
                                   const std::vector<Tensor>& inputs) {
  if (current == nullptr || !host.outside) return host.function(spec, attributes, inputs);
  HostResults& results = *current;
  HostResults::OfReplica& own = results.results_[CurrentReplica()];
  if (own.next < own.given.size()) return own.given[own.next++];
  std::vector<Tensor> given = host.function(spec, attributes, inputs);
  own.given.push_back(given);
  ++own.next;
  return given;
}

}  // namespace lockstep::runtime
