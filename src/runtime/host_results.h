#pragma once

#include <map>
#include <memory>
#include <vector>

#include "ops/op.h"
#include "runtime/host_ops.h"

namespace lockstep::runtime {

/// What host ops that do something outside of the program (`HostOp::outside`) have given in one
/// run, so that, when the run is carried out again, they give the same and do nothing again. By
/// replica, in the order of the program.
class HostResults {
 public:
  bool empty() const { return results_.empty(); }

  /// While it lives, such ops of this thread take from `results` what is there, and add the rest.
  class Scope {
   public:
    explicit Scope(HostResults& results);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    HostResults* const outer_;
  };

 private:
  friend std::vector<Tensor> CarryOutHostOp(const HostOp& host, const ops::OpSpec& spec,
                                            const ops::Attributes& attributes,
                                            const std::vector<Tensor>& inputs);
  struct OfReplica {
    std::vector<std::vector<Tensor>> given;
    size_t next = 0;
  };
  std::map<int, OfReplica> results_;
};

/// Carries out a host op, or takes what it has given before.
std::vector<Tensor> CarryOutHostOp(const HostOp& host, const ops::OpSpec& spec,
                                   const ops::Attributes& attributes,
                                   const std::vector<Tensor>& inputs);

}  // namespace lockstep::runtime
