#include "case.h"
#include "lockstep/data/dataset.h"
#include "lockstep/runtime/random.h"

namespace golden {
namespace {

using lockstep::Dataset;
using lockstep::Element;
using lockstep::Scalar;
using lockstep::Tensor;

// What TensorFlow takes where no seed was set, as the cases say.
constexpr int64_t kNoGlobalSeed = 87654321;

void SetGlobalSeed(const Case& golden) {
  const bool given = golden.HasParam("global_seed") && golden.Value("global_seed").is_number();
  lockstep::SetSeed(given ? golden.Get<int64_t>("global_seed") : kNoGlobalSeed);
}

Json ListOf(const Tensor& tensor) {
  if (tensor.rank() == 0) return tensor.scalar<int64_t>();
  const int64_t rows = tensor.shape()[0];
  const int64_t size = rows == 0 ? 0 : tensor.num_elements() / rows;
  const auto values = tensor.data<int64_t>();
  Json list = Json::array();
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<int64_t> part(values.begin() + row * size, values.begin() + (row + 1) * size);
    const lockstep::Shape inner(tensor.shape().sizes().subspan(1));
    list.push_back(ListOf(Tensor::FromVector(part, inner)));
  }
  return list;
}

// The elements as a list; of several components each is a list.
std::string Read(const Dataset& dataset) {
  Json list = Json::array();
  for (const Element& element : dataset) {
    if (element.size() == 1) {
      list.push_back(ListOf(element[0]));
      continue;
    }
    Json components = Json::array();
    for (const Tensor& tensor : element) components.push_back(ListOf(tensor));
    list.push_back(components);
  }
  return list.dump();
}

int64_t Int(const Case& golden, const std::string& name, int64_t fallback) {
  return golden.Param<int64_t>(name, fallback);
}

std::optional<int64_t> Seed(const Case& golden) {
  if (!golden.HasParam("seed")) return std::nullopt;
  return golden.Get<int64_t>("seed");
}

void ShuffleFixed(const Case& golden, Produced& produced) {
  SetGlobalSeed(golden);
  const int64_t n = Int(golden, "n", 10);
  const lockstep::ShuffleOptions options{Seed(golden), false};
  for (const auto& [name, expected] : golden.outputs().items()) {
    const bool full = name == "order_full";
    if (!full && !name.starts_with("order_buf")) throw Skip{"nothing here makes " + name};
    produced[name] = Read(Dataset::Range(n).Shuffle(full ? n : NumberOf(name), options));
  }
}

void ShuffleDefaultSeed(const Case& golden, Produced& produced) {
  SetGlobalSeed(golden);
  const int64_t n = Int(golden, "n", 10);
  produced["order"] = Read(Dataset::Range(n).Shuffle(n, {.reshuffle_each_iteration = false}));
}

void Reshuffle(const Case& golden, Produced& produced) {
  SetGlobalSeed(golden);
  const Dataset dataset =
      Dataset::Range(Int(golden, "n", 10)).Shuffle(Int(golden, "buffer", 10), {Seed(golden)});
  for (size_t i = 0; i < golden.outputs().size(); ++i)
    produced["epoch" + std::to_string(i)] = Read(dataset);
}

void ShuffleThenRepeat(const Case& golden, Produced& produced) {
  SetGlobalSeed(golden);
  const int64_t n = Int(golden, "n", 5);
  const auto passes = static_cast<int64_t>(golden.outputs()["order"].size()) / n;
  produced["order"] =
      Read(Dataset::Range(n).Shuffle(Int(golden, "buffer", 2), {Seed(golden)}).Repeat(passes));
}

void RandomWords(const Case& golden, Produced& produced) {
  SetGlobalSeed(golden);
  const auto count = static_cast<int64_t>(golden.outputs()["v"].size());
  produced["v"] = Read(Dataset::Random(Seed(golden)).Take(count));
}

void Batch(const Case& golden, Produced& produced) {
  const Dataset range = Dataset::Range(Int(golden, "n", 10));
  produced["keep"] = Read(range.Batch(4));
  produced["drop"] = Read(range.Batch(4, true));
  produced["unbatch_shard"] = Read(range.Batch(4).Unbatch().Shard(3, 1));
  produced["skip_take"] = Read(range.Skip(3).Take(4));
  produced["rebatch"] = Read(range.Batch(4).Rebatch({3}));
  produced["rebatch_list"] = Read(range.Batch(4).Rebatch({2, 1, 1}));
}

void Interleave(const Case& golden, Produced& produced) {
  const int64_t cycle = Int(golden, "cycle_length", 2);
  const int64_t block = Int(golden, "block_length", 2);
  const Dataset::Expansion upto = [](const Element& x) {
    return Dataset::Range(x[0].scalar<int64_t>());
  };
  produced["const"] = Read(Dataset::Range(4).Interleave(
      [](const Element& x) { return Dataset::FromTensors(x).Repeat(3); }, cycle, block));
  produced["uneven"] = Read(Dataset::Range(1, 6).Interleave(upto, cycle, block));
  produced["flat_map"] = Read(Dataset::Range(1, 5).FlatMap(upto));
}

void Window(const Case& golden, Produced& produced) {
  const Dataset range = Dataset::Range(Int(golden, "n", 10));
  for (const bool drop : {false, true}) {
    produced[drop ? "drop" : "keep"] =
        Read(range.Window(Int(golden, "size", 3), Int(golden, "shift", Int(golden, "size", 3)),
                          Int(golden, "stride", 1), drop));
  }
}

// Elements m to n, element i being i times i: "fill([x],x) for x in m..n".
void PaddedBatch(const Case& golden, Produced& produced) {
  const auto words = golden.Param<std::string>("elements", "1..5");
  const std::vector<double> bounds = NumbersIn(words);
  if (bounds.size() != 2) throw Skip{"elements are \"fill([x],x) for x in m..n\", not " + words};
  const auto first = static_cast<int64_t>(bounds[0]), last = static_cast<int64_t>(bounds[1]);
  const Dataset elements = Dataset::Range(first, last + 1).Map([](const Element& x) -> Element {
    const int64_t n = x[0].scalar<int64_t>();
    return {Tensor::FromVector(std::vector<int64_t>(n, n), {n})};
  });
  produced["auto"] = Read(elements.PaddedBatch(2));
  produced["fixed"] =
      Read(elements.PaddedBatch(2, {lockstep::Shape{last + 1}}, {Scalar<int64_t>(-1)}));
}

void ZipConcatScan(const Case& golden, Produced& produced) {
  produced["zip"] = Read(Dataset::Zip({Dataset::Range(3), Dataset::Range(10, 15)}));
  produced["concat"] = Read(Dataset::Range(2).Concatenate(Dataset::Range(7, 9)));
  produced["scan"] = Read(Dataset::Range(6).Scan(
      {Scalar<int64_t>(0)},
      [](const Element& sum, const Element& x) -> std::pair<Element, Element> {
        const Element next{Scalar<int64_t>(sum[0].scalar<int64_t>() + x[0].scalar<int64_t>())};
        return {next, next};
      }));
  produced["enumerate"] = Read(Dataset::Range(5, 8).Enumerate(3));
  produced["filter"] = Read(Dataset::Range(Int(golden, "n", 10)).Filter([](const Element& x) {
    return x[0].scalar<int64_t>() % 3 == 0;
  }));
}

void DistributeDataset(const Case& golden, Produced& produced) {
  const int64_t workers = Int(golden, "workers", 1);
  const int64_t batch = Int(golden, "global_batch", 4);
  const bool off = golden.Param<std::string>("policy", "DATA") == "OFF";
  const Dataset batches = Dataset::Range(Int(golden, "n", 10)).Batch(batch);
  for (int64_t worker = 0; worker < workers; ++worker) {
    produced["worker" + std::to_string(worker)] = Read(
        batches.Pieces({.batch = batch,
                        .replicas = workers * Int(golden, "replicas_per_worker", 1),
                        .workers = workers,
                        .worker = worker,
                        .policy = off ? Dataset::ShardPolicy::kOff : Dataset::ShardPolicy::kData}));
  }
}

const RegisterGroup kData("data", {{"data_shuffle_fixed", ShuffleFixed},
                                   {"data_shuffle_default_op_seed", ShuffleDefaultSeed},
                                   {"data_reshuffle_each_iteration", Reshuffle},
                                   {"data_shuffle_then_repeat", ShuffleThenRepeat},
                                   {"data_random_dataset", RandomWords},
                                   {"data_batch", Batch},
                                   {"data_interleave", Interleave},
                                   {"data_window", Window},
                                   {"data_padded_batch", PaddedBatch},
                                   {"data_zip_concat_scan", ZipConcatScan},
                                   {"distribute_dataset", DistributeDataset}});

}  // namespace
}  // namespace golden
