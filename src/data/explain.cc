#include <cstdio>

#include "data/dataset_node.h"
#include "data/file_source.h"
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

bool Is(const data::DatasetNode& node, const char* step) { return node.name().starts_with(step); }

// The first step of this kind below `node`, as far as nothing but steps of one input lies between.
const data::DatasetNode* Below(const data::DatasetNode& node, const char* step) {
  const data::DatasetNode* place = &node;
  while (place->inputs().size() == 1) {
    place = place->inputs()[0].get();
    if (Is(*place, step)) return place;
  }
  return nullptr;
}

std::string ShuffleNote(const data::DatasetNode& node) {
  long long buffer = 0;
  if (std::sscanf(node.name().c_str(), "shuffle(buffer %lld", &buffer) != 1) return "";
  const int64_t count = node.inputs()[0]->cardinality();
  if (Below(node, "batch(") != nullptr && Below(node, "unbatch") == nullptr)
    return "it mixes whole batches; to mix examples, shuffle before the batches are made";
  if (Below(node, "repeat") != nullptr)
    return "passes run into each other, as they are repeated before; to keep them apart, repeat "
           "behind it";
  if (node.name().find("the same in every pass") != std::string::npos)
    return "every pass has the same order";
  if (count > buffer)
    return "an element moves forward by " + std::to_string(buffer) +
           " places at most; to mix all " + std::to_string(count) + ", take a buffer as large";
  return "";
}

std::string BatchNote(const data::DatasetNode& node) {
  long long size = 0;
  const bool drops = node.name().find("drop_remainder") != std::string::npos;
  const int64_t count = node.inputs()[0]->cardinality();
  if (std::sscanf(node.name().c_str(), "batch(%lld", &size) != 1 || count < 0 || count % size == 0)
    return "";
  const std::string rest = std::to_string(count % size);
  return drops ? "the last " + rest + " elements of each pass are left out"
               : "the last batch has " + rest + " rows, and counts by them";
}

// What users have taken for something else.
std::string NoteOf(const data::DatasetNode& node) {
  if (Is(node, "shuffle(")) return ShuffleNote(node);
  if (Is(node, "batch(")) return BatchNote(node);
  if (Is(node, "cache") && Below(node, "shuffle(") != nullptr)
    return "every pass has the order of the first one; to mix anew, shuffle behind it";
  if (Is(node, "shard("))
    return "it is divided by hand: workers that divide it again would each take a part of the part";
  if (const auto* files = dynamic_cast<const data::FileSourceNode*>(&node)) {
    const std::string count = std::to_string(files->files().size());
    return "AutoShard divides the " + count + (count == "1" ? " file" : " files") +
           " among as many workers at most";
  }
  return "";
}

void Notes(const data::DatasetNode& node, std::string& text) {
  for (const data::NodePtr& input : node.inputs()) Notes(*input, text);
  const std::string note = NoteOf(node);
  if (!note.empty()) text += "  " + node.name() + ": " + note + "\n";
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
  std::string notes;
  Notes(*node_, notes);
  if (!notes.empty()) text += "notes\n" + notes;
  return text;
}

}  // namespace lockstep
