#include "data/dataset_node.h"
#include "data/rows.h"
#include "lockstep/data/dataset.h"

namespace lockstep {

namespace {

std::string Count(int64_t cardinality) {
  if (cardinality == kInfiniteCardinality) return "endlessly many elements";
  if (cardinality == kUnknownCardinality) return "an unknown number of elements";
  return std::to_string(cardinality) + (cardinality == 1 ? " element" : " elements");
}

// The steps that are streams over indexable inputs, from the front of the pipeline.
void Blame(const data::DatasetNode& node, std::string& text) {
  for (const data::NodePtr& input : node.inputs()) Blame(*input, text);
  if (node.stream_reason().empty()) return;
  if (text.find(node.name() + ":") != std::string::npos) return;
  text += "  " + node.name() + ": " + node.stream_reason() + "\n";
}

void Steps(const data::DatasetNode& node, int depth, std::string& text) {
  text += std::string(2 * depth + 2, ' ') + node.name() + "\n";
  for (const data::NodePtr& input : node.inputs()) Steps(*input, depth + 1, text);
}

}  // namespace

std::string Dataset::Explain() const {
  std::string text;
  if (indexable()) {
    text += "indexable, " + Count(Cardinality()) +
            ": an element is a function of its number and its pass\n"
            "who reads: every worker, only the elements that it needs\n"
            "cursor: the number of the next element\n";
    const auto rows = node_->rows();
    if (rows && rows->batched) {
      text += "a training step takes the rows of a batch itself, from the whole tensors\n";
    }
  } else {
    text += "stream, " + Count(Cardinality()) +
            ": elements are read from the front\n"
            "who reads: one task, which sends the others their parts\n"
            "cursor: (pass, number of elements read); going back reads again\n"
            "made a stream by\n";
    Blame(*node_, text);
  }
  text += "steps, the last one first\n";
  Steps(*node_, 0, text);
  return text;
}

}  // namespace lockstep
