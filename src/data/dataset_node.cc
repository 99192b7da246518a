#include "data/dataset_node.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "data/rows.h"

namespace lockstep::data {

namespace {

class TableReader : public ElementReader {
 public:
  TableReader(std::unique_ptr<ElementTable> table, int64_t first, int64_t end)
      : table_(std::move(table)), next_(first), end_(end) {}
  std::optional<Element> Next() override {
    if (next_ >= end_) return std::nullopt;
    return table_->At(next_++);
  }

 private:
  std::unique_ptr<ElementTable> table_;
  int64_t next_;
  const int64_t end_;
};

}  // namespace

std::optional<Element> TextReader::Next() {
  std::string text;
  if (!NextText(text)) return std::nullopt;
  return Element{TensorOfTexts({&text, 1}, Shape{})};
}

void ElementTable::AppendRows(int64_t, int64_t, std::vector<int64_t>&) {
  LOCKSTEP_CHECK(!"only a table over rows of tensors has rows");
}

DatasetNode::DatasetNode(std::string name, std::vector<NodePtr> inputs)
    : name_(std::move(name)), inputs_(std::move(inputs)) {}

bool DatasetNode::indexable() const {
  return stream_reason().empty() && std::all_of(inputs_.begin(), inputs_.end(),
                                                [](const NodePtr& n) { return n->indexable(); });
}

std::unique_ptr<ElementReader> DatasetNode::Read(Pass pass, int64_t first) const {
  LOCKSTEP_CHECK(indexable());
  return ReadTable(Table(pass), first, Bound(cardinality()));
}

std::unique_ptr<ElementTable> DatasetNode::Table(Pass) const {
  LOCKSTEP_CHECK(!"a stream has no table");
  return nullptr;
}

int64_t Bound(int64_t cardinality) {
  return cardinality < 0 ? std::numeric_limits<int64_t>::max() : cardinality;
}

void Discard(ElementReader& reader, int64_t count) {
  if (auto* texts = dynamic_cast<TextReader*>(&reader)) {
    std::string text;
    while (count-- > 0 && texts->NextText(text)) {
    }
    return;
  }
  while (count-- > 0 && reader.Next()) {
  }
}

int64_t NextFunctionStep() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1);
}

// Rounds of known length go on where the one before has ended; others differ by their number.
ElementCounter::ElementCounter(const DatasetNode& input, Pass pass, int64_t step, int64_t first)
    : start_{.number = 0, .pass = pass.number, .round = pass.round, .step = step}, next_(first) {
  const int64_t size = input.cardinality();
  const uint64_t passes = std::max(pass.number, pass.round);
  if (size < 0) {
    start_.total = static_cast<int64_t>(passes << 32);  // more than a pass has
    return;
  }
  start_.number = static_cast<int64_t>(static_cast<uint64_t>(pass.round) * size);
  start_.round = 0;
  start_.total = static_cast<int64_t>(passes * size);
}

runtime::ElementPlace ElementCounter::At(int64_t index) const {
  runtime::ElementPlace place = start_;
  place.number += index;
  place.total += index;
  return place;
}

std::unique_ptr<ElementReader> ReadTable(std::unique_ptr<ElementTable> table, int64_t first,
                                         int64_t end) {
  return std::make_unique<TableReader>(std::move(table), first, end);
}

void Refuse(const char* where, const std::string& rule, const std::string& got,
            const std::string& cure) {
  throw Error(Code::kInvalidArgument,
              "[dataset." + std::string(where) + "] " + rule + "; got " + got + "; " + cure);
}

}  // namespace lockstep::data
