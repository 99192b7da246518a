#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace lockstep::runtime {

/// A traced graph made ready to run: as one plan where that is possible, else as a program.
class Compiled {
 public:
  /// Runs all passes on `graph`, whose parameters' types are known.
  explicit Compiled(const graph::Graph& graph);

  std::vector<Tensor> Run(const std::vector<Tensor>& arguments, base::Team& team);
  std::string Describe() const;

 private:
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Program> program_;
};

}  // namespace lockstep::runtime
