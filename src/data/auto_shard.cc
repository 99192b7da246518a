// The division of a pipeline among workers by TensorFlow's rules.

#include <optional>
#include <utility>

#include "base/log.h"
#include "data/dataset_node.h"
#include "data/file_source.h"
#include "lockstep/data/transformations.h"

namespace lockstep {

namespace {

using data::DatasetNode;
using data::NodePtr;
using data::Refuse;

struct Division {
  int64_t workers = 1, worker = 0;
};

// The same pipeline over this worker's files; nothing where no files are read, or a step cannot be
// made again.
class FileDivider {
 public:
  explicit FileDivider(const Division& division) : division_(division) {}

  NodePtr Divide(const NodePtr& node) {
    if (const auto* source = dynamic_cast<const data::FileSourceNode*>(node.get()))
      return source->WithFiles(Mine(source->files()));
    if (node->inputs().empty()) return nullptr;
    if (ReadsFiles(*node)) return Over(*node, DivideNames(node->inputs()[0]));
    if (node->inputs().size() == 1) {
      const NodePtr input = Divide(node->inputs()[0]);
      return input == nullptr ? nullptr : Over(*node, input);
    }
    std::vector<NodePtr> inputs;
    for (const NodePtr& input : node->inputs()) {
      inputs.push_back(Divide(input));
      if (inputs.back() == nullptr) return nullptr;
    }
    return node->WithInputs(inputs);
  }

 private:
  std::vector<std::string> Mine(const std::vector<std::string>& files) const {
    RequireEnough(static_cast<int64_t>(files.size()));
    std::vector<std::string> mine;
    for (size_t j = division_.worker; j < files.size(); j += division_.workers)
      mine.push_back(files[j]);
    return mine;
  }
  void RequireEnough(int64_t files) const {
    if (files >= division_.workers) return;
    Refuse("auto_shard", "files can be divided among at most as many workers",
           std::to_string(files) + " files for " + std::to_string(division_.workers) + " workers",
           "write more files, or take AutoShardPolicy::kData");
  }

  // Whether a step makes a dataset that reads files of each element.
  static bool ReadsFiles(const DatasetNode& node) {
    const Dataset::Expansion* expansion = data::ExpansionOf(node);
    if (expansion == nullptr) return false;
    const std::optional<Element> name = node.inputs()[0]->Read(0, 0)->Next();
    return name && HasFiles(*(*expansion)(*name).node());
  }
  static bool HasFiles(const DatasetNode& node) {
    if (dynamic_cast<const data::FileSourceNode*>(&node) != nullptr || ReadsFiles(node))
      return true;
    for (const NodePtr& input : node.inputs()) {
      if (HasFiles(*input)) return true;
    }
    return false;
  }

  // The names of this worker's files; a shuffle before the division comes behind it.
  NodePtr DivideNames(const NodePtr& names) {
    if (names->moves_elements()) return names->WithInputs({DivideNames(names->inputs()[0])});
    const int64_t count = names->cardinality();
    if (count >= 0) RequireEnough(count);
    return data::MakeShard(names, division_.workers, division_.worker);
  }
  static NodePtr Over(const DatasetNode& node, const NodePtr& input) {
    return input == nullptr ? nullptr : node.WithInputs({input});
  }

  Division division_;
};

void CheckWorkers(const AutoShardOptions& options) {
  if (options.workers >= 1 && options.worker >= 0 && options.worker < options.workers) return;
  Refuse("auto_shard", "a worker has a number below that of the workers",
         std::to_string(options.worker) + " of " + std::to_string(options.workers),
         "count them from 0");
}

// Divided by files; nothing where the rule says by elements.
std::optional<Dataset> ByFiles(const Dataset& dataset, const AutoShardOptions& options) {
  if (options.policy != AutoShardPolicy::kFile && options.policy != AutoShardPolicy::kAuto)
    return std::nullopt;
  const NodePtr divided = FileDivider({options.workers, options.worker}).Divide(dataset.node());
  if (divided != nullptr) return Dataset(divided);
  if (options.policy == AutoShardPolicy::kFile) {
    throw Error(Code::kNotFound,
                "[dataset.auto_shard] kFile needs a source that reads files; got none in\n" +
                    dataset.Explain() + "take AutoShardPolicy::kData");
  }
  base::Log(base::Severity::kWarning,
            "[dataset.auto_shard] there are no files to divide among " +
                std::to_string(options.workers) +
                " workers: each reads everything and keeps its part of the elements");
  return std::nullopt;
}

}  // namespace

Dataset AutoShard(const Dataset& dataset, const AutoShardOptions& options) {
  CheckWorkers(options);
  if (options.workers == 1 || options.policy == AutoShardPolicy::kOff) return dataset;
  const auto by_files = ByFiles(dataset, options);
  return by_files ? *by_files : dataset.Shard(options.workers, options.worker);
}

Dataset DistributedPieces(const Dataset& dataset, const Dataset::PieceOptions& pieces,
                          AutoShardPolicy policy) {
  Dataset::PieceOptions own = pieces;
  own.policy =
      policy == AutoShardPolicy::kOff ? Dataset::ShardPolicy::kOff : Dataset::ShardPolicy::kData;
  const AutoShardOptions options{pieces.workers, pieces.worker, policy};
  CheckWorkers(options);
  if (pieces.workers > 1) {
    if (const auto by_files = ByFiles(dataset, options)) {
      own.workers = 1;
      own.worker = 0;
      return by_files->Pieces(own);
    }
  }
  return dataset.Pieces(own);
}

}  // namespace lockstep
