#include "lockstep/runtime/random.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "graph/tracer.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "random/generator.h"
#include "random/op_seeds.h"
#include "random/rejection.h"
#include "runtime/element_draws.h"
#include "runtime/graph_builder.h"
#include "runtime/op_seed.h"
#include "runtime/random_streams.h"
#include "runtime/variable_state.h"

namespace lockstep {

namespace {

// The seed of eager ops without any seed in functions of data sets.
constexpr int64_t kUnseededElements = 0x10C457E9;

// What SetSeed restarts. Streams of eager ops by (op, seeds, dtype); those of functions' ops, with
// what they begin with; counters of functions by their graph, for as long as it is traced.
struct Context {
  struct Tracing {
    std::weak_ptr<graph::Graph> graph;
    random::FunctionSeeds seeds;
  };
  std::mutex mutex;
  random::GlobalSeeds seeds;
  random::GlobalSeeds unset{0};
  std::map<std::string, Variable> streams;
  struct OfFunction {
    std::weak_ptr<TensorObject> cell;
    Tensor begins_with;
  };
  std::vector<OfFunction> of_functions;
  size_t few_of_functions = 64;  // before those that are gone are looked for
  std::vector<Tracing> tracings;
};

Context& GlobalContext() {
  static Context context;
  return context;
}

// The counter of what `tracer` traces: a graph's own, or a function's, which begins with the seed
// of the graph around it, else with the process's.
random::FunctionSeeds& SeedsOf(Context& context, graph::Tracer& tracer) {
  if (auto* built = dynamic_cast<runtime::GraphTracer*>(&tracer)) return built->state().seeds;
  std::erase_if(context.tracings, [](const Context::Tracing& t) { return t.graph.expired(); });
  for (Context::Tracing& tracing : context.tracings) {
    if (tracing.graph.lock() == tracer.graph()) return tracing.seeds;
  }
  const runtime::GraphState* around = runtime::GraphState::Current();
  context.tracings.push_back(
      {tracer.graph(), around == nullptr ? context.seeds.ForFunction()
                                         : random::FunctionSeeds(around->seeds.global_seed())});
  return context.tracings.back().seeds;
}

random::SeedPair NextPair(Context& context, graph::Tracer* tracer, std::optional<int64_t> seed) {
  return tracer == nullptr ? context.seeds.NextEager(seed) : SeedsOf(context, *tracer).Next(seed);
}

// Where TensorFlow would take any seed, because neither a global nor an op's own one is set,
// Lockstep goes on in a sequence of its own: a program gives the same bits each time it runs.
random::SeedPair OrNextOfProgram(Context& context, const random::SeedPair& pair) {
  return pair.nondeterministic() ? context.unset.NextEager({}) : pair;
}

// The stream of a pair, in the layout of a generator's state.
Variable StreamVariable(Context& context, const random::SeedPair& pair) {
  const random::SeedPair own = OrNextOfProgram(context, pair);
  // Each replica of an eager Run has a stream of its own.
  const runtime::VariableCreatorScope plain(nullptr);
  return Variable(
      [&] {
        return Constant<int64_t>({0, own.seed2, own.seed});
      },
      {.name = std::string(runtime::kRandomStreamName), .trainable = false});
}

void KeepForRestart(Context& context, const Variable& stream) {
  auto& kept = context.of_functions;
  if (kept.size() >= context.few_of_functions) {
    std::erase_if(kept, [](const Context::OfFunction& one) { return one.cell.expired(); });
    context.few_of_functions = std::max<size_t>(64, 2 * kept.size());
  }
  const std::shared_ptr<TensorObject> cell = stream.state().first().object();
  kept.push_back({cell, dynamic_cast<runtime::VariableCell&>(*cell).Read()});
}

Variable StreamFor(const char* op, const RandomOptions& options) {
  Context& context = GlobalContext();
  std::lock_guard lock(context.mutex);
  auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
  const random::SeedPair pair = NextPair(context, tracer, options.seed);
  // A function's op, and an eager one that no other call can name, has a stream of its own.
  if (tracer != nullptr || !options.seed) {
    runtime::StreamPool* pool = tracer == nullptr ? nullptr : runtime::StreamPool::Current();
    Variable own;
    Variable& stream = pool == nullptr ? own : pool->Next();
    if (stream.defined()) return stream;
    stream = StreamVariable(context, pair);
    if (tracer != nullptr && !pair.nondeterministic()) KeepForRestart(context, stream);
    return stream;
  }
  const std::string key = std::string(op) + "|" + std::to_string(pair.seed) + "|" +
                          std::to_string(pair.seed2) + "|" + std::string(DTypeName(options.dtype));
  auto [place, fresh] = context.streams.try_emplace(key);
  if (fresh) place->second = StreamVariable(context, pair);
  return place->second;
}

Tensor ReadAndSkip(const Variable& state, const Tensor& blocks) {
  return state.state().Update("RngReadAndSkip", {blocks})[0];
}

// How many blocks of its stream `elements` numbers reserve.
Tensor Blocks(int64_t elements) {
  return Scalar(static_cast<int64_t>(random::ReservedBlocks(elements)));
}
Tensor Blocks(const RandomSizes& sizes) {
  if (!sizes.values().defined()) return Blocks(sizes.known().num_elements());
  return ReduceProd(sizes.values()) * Blocks(1);
}

// The state for an op in the function of a data set, which follows from its element; undefined
// elsewhere.
Tensor DrawOfElement(std::optional<int64_t> seed, const Tensor& blocks) {
  Context& context = GlobalContext();
  auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
  auto* element = tracer == nullptr ? runtime::ElementScope::Current() : nullptr;
  const Tensor place = tracer != nullptr    ? runtime::ElementTraceScope::Current()
                       : element != nullptr ? runtime::ElementScope::CurrentPlace()
                                            : Tensor();
  if (!place.defined()) return Tensor();
  std::unique_lock lock(context.mutex);
  if (element != nullptr && !element->seeds) element->seeds = context.seeds.ForFunction();
  random::SeedPair pair =
      element != nullptr ? element->seeds->Next(seed) : NextPair(context, tracer, seed);
  const bool unseeded = pair.nondeterministic();
  if (unseeded && element != nullptr)
    pair = {kUnseededElements + element->place.step, ++element->unseeded};
  pair = OrNextOfProgram(context, pair);
  lock.unlock();
  return runtime::ElementState(place, pair, blocks, unseeded);
}

// What a stateful op draws with. Its stream goes on by `blocks`.
Tensor Drawn(const char* op, const RandomOptions& options, const Tensor& blocks) {
  const Tensor state = DrawOfElement(options.seed, blocks);
  return state.defined() ? state : ReadAndSkip(StreamFor(op, options), blocks);
}

// The stream of a draw from a generator. Of a generator that was made in a strategy's scope each
// replica has a copy, and a key of its own that follows from the shared one.
Tensor DrawBlocks(const Variable& state, const Tensor& blocks) {
  const Tensor stream = ReadAndSkip(state, blocks);
  if (!state.state().InReplica()) return stream;
  return ops::Emit1("RngReplicaState", {stream, ops::Emit1("ReplicaId", {})});
}
Tensor Draw(const Variable& state, const RandomSizes& shape) {
  return DrawBlocks(state, Blocks(shape));
}

Tensor StateTensor(const random::GeneratorState& state) {
  return Constant<int64_t>({state.words[0], state.words[1], state.words[2]});
}

}  // namespace

namespace runtime {

namespace {
thread_local StreamPool* current_pool = nullptr;
thread_local size_t next_of_pool = 0;
}  // namespace

StreamPool::Scope::Scope(StreamPool* pool)
    : outer_(std::exchange(current_pool, pool)), outer_next_(std::exchange(next_of_pool, 0)) {}
StreamPool::Scope::~Scope() {
  current_pool = outer_;
  next_of_pool = outer_next_;
}
StreamPool* StreamPool::Current() { return current_pool; }

Variable& StreamPool::Next() {
  if (next_of_pool == streams_.size()) streams_.emplace_back();
  return streams_[next_of_pool++];
}

random::SeedPair NextOpSeed(std::optional<int64_t> seed) {
  Context& context = GlobalContext();
  std::lock_guard lock(context.mutex);
  auto* graph = dynamic_cast<runtime::GraphTracer*>(&ops::CurrentBuilder());
  runtime::ElementScope* element = runtime::ElementScope::Current();
  if (graph != nullptr || element == nullptr)
    return OrNextOfProgram(context, NextPair(context, graph, seed));
  // A dataset that a function of another dataset makes: TensorFlow traces the function, so the
  // seeds are those of the function's ops, equal for each element.
  if (!element->seeds) element->seeds = context.seeds.ForFunction();
  return OrNextOfProgram(context, element->seeds->Next(seed));
}

std::optional<random::SeedPair> NextSeedPair(std::optional<int64_t> seed) {
  Context& context = GlobalContext();
  std::lock_guard lock(context.mutex);
  auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
  const random::SeedPair pair = NextPair(context, tracer, seed);
  return pair.nondeterministic() ? std::nullopt : std::optional(pair);
}

}  // namespace runtime

void SetSeed(int64_t seed) {
  Context& context = GlobalContext();
  std::lock_guard lock(context.mutex);
  if (auto* graph = dynamic_cast<runtime::GraphTracer*>(&ops::CurrentBuilder())) {
    graph->state().seeds.set_global_seed(seed);
    return;
  }
  context.seeds = random::GlobalSeeds(seed);
  context.streams.clear();
  for (Context::Tracing& tracing : context.tracings) tracing.seeds.set_global_seed(seed);
  for (const Context::OfFunction& one : context.of_functions) {
    const auto cell = std::dynamic_pointer_cast<runtime::VariableCell>(one.cell.lock());
    if (cell != nullptr) cell->Assign(one.begins_with);
  }
}

std::optional<int64_t> GlobalSeed() {
  Context& context = GlobalContext();
  std::lock_guard lock(context.mutex);
  return context.seeds.global_seed();
}

Tensor RandomUniform(const RandomSizes& shape, double low, double high,
                     const RandomOptions& options) {
  const Tensor stream = Drawn("RandomUniform", options, Blocks(shape));
  return StatelessRandomUniform(shape, stream, low, high, options.dtype);
}

Tensor RandomUniformInt(const RandomSizes& shape, int64_t low, int64_t high,
                        const RandomOptions& options) {
  const Tensor stream = Drawn("RandomUniformInt", options, Blocks(shape));
  return StatelessRandomUniformInt(shape, stream, low, high, options.dtype);
}

Tensor RandomNormal(const RandomSizes& shape, double mean, double deviation,
                    const RandomOptions& options) {
  const Tensor stream = Drawn("RandomStandardNormal", options, Blocks(shape));
  return StatelessRandomNormal(shape, stream, mean, deviation, options.dtype);
}

Tensor RandomTruncatedNormal(const RandomSizes& shape, double mean, double deviation,
                             const RandomOptions& options) {
  const Tensor stream = Drawn("TruncatedNormal", options, Blocks(shape));
  return StatelessTruncatedNormal(shape, stream, mean, deviation, options.dtype);
}

// Reserves what TensorFlow does: two words a sample, rounded up to blocks of four samples.
Tensor RandomCategorical(const Tensor& logits, int64_t samples, const RandomOptions& options) {
  const Tensor a_row = Blocks((samples + 3) / 4 * 4 * 2);
  const int64_t rows = logits.rank() > 0 ? logits.shape()[0] : 0;
  const Tensor blocks =
      rows >= 0 ? a_row * rows : a_row * Gather(ShapeOf(logits, DType::kInt64), Scalar<int64_t>(0));
  const Tensor state = Drawn("Multinomial", options, blocks);
  return StatelessCategorical(logits, samples, state, options.dtype);
}

// Reserves what TensorFlow does: a word for each row but the last, rounded up to blocks of four.
Tensor RandomShuffle(const Tensor& value, std::optional<int64_t> seed) {
  if (value.rank() == 0) return value;
  const int64_t known = value.shape()[0];
  const Tensor rows =
      known >= 0 ? Scalar(known) : Gather(ShapeOf(value, DType::kInt64), Scalar<int64_t>(0));
  const Tensor blocks = FloorDiv(rows + Scalar<int64_t>(2), Scalar<int64_t>(4));
  const Tensor state = Drawn("RandomShuffle", {.dtype = value.dtype(), .seed = seed}, blocks);
  return Gather(value, RandomPermutationLike(value, state));
}

Tensor RandomGamma(int64_t samples, const Tensor& alphas, const RandomOptions& options) {
  const Tensor state = Drawn("RandomGamma", options, Blocks(samples * alphas.shape()[0]));
  return StatelessGamma(samples, state, alphas);
}

Tensor RandomPoisson(int64_t samples, const Tensor& rates, double highest,
                     const RandomOptions& options) {
  const Tensor state = Drawn("RandomPoissonV2", options, Blocks(samples * rates.shape()[0]));
  return StatelessPoisson(samples, state, rates, highest);
}

Generator::Generator(const std::array<int64_t, 3>& state)
    : state_(
          [&] {
            return Constant<int64_t>({state[0], state[1], state[2]});
          },
          {.name = "StateVar", .trainable = false}) {}

Generator Generator::FromSeed(int64_t seed) {
  return Generator(random::GeneratorState::FromSeed(seed).words);
}
Generator Generator::FromSeed(const std::vector<int64_t>& digits) {
  return Generator(random::GeneratorState::FromSeed(std::span<const int64_t>(digits)).words);
}
Generator Generator::FromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter) {
  return Generator(random::GeneratorState::FromKeyCounter(key, counter).words);
}

Tensor Generator::Uniform(const RandomSizes& shape, double low, double high, DType dtype) const {
  return StatelessRandomUniform(shape, Draw(state_, shape), low, high, dtype);
}
Tensor Generator::UniformInt(const RandomSizes& shape, int64_t low, int64_t high,
                             DType dtype) const {
  return StatelessRandomUniformInt(shape, Draw(state_, shape), low, high, dtype);
}
Tensor Generator::UniformFullInt(const RandomSizes& shape, DType dtype) const {
  return StatelessRandomUniformFullInt(shape, Draw(state_, shape), dtype);
}
Tensor Generator::Normal(const RandomSizes& shape, double mean, double deviation,
                         DType dtype) const {
  return StatelessRandomNormal(shape, Draw(state_, shape), mean, deviation, dtype);
}
Tensor Generator::TruncatedNormal(const RandomSizes& shape, double mean, double deviation,
                                  DType dtype) const {
  return StatelessTruncatedNormal(shape, Draw(state_, shape), mean, deviation, dtype);
}

Tensor Generator::Binomial(int64_t samples, const Tensor& counts,
                           const Tensor& probabilities) const {
  const auto blocks = random::BinomialBlocks(counts.shape()[0], samples);
  const Tensor state = DrawBlocks(state_, Scalar(static_cast<int64_t>(blocks)));
  return StatelessBinomial(samples, state, counts, probabilities);
}

Tensor Generator::MakeSeeds(int64_t count) const {
  const Tensor seeds = UniformFullInt(Shape{1, count}, DType::kInt64);
  return Concat({seeds, ZerosLike(seeds)}, 0);
}

std::vector<Generator> Generator::Split(int64_t count) const {
  std::vector<Generator> generators;
  const Tensor keys = UniformFullInt(Shape{count}, DType::kInt64);
  for (const int64_t key : keys.data<int64_t>()) generators.push_back(FromKeyCounter(key, {0, 0}));
  return generators;
}

void Generator::Skip(int64_t elements) const {
  ReadAndSkip(state_, random::ReservedBlocks(elements));
}
void Generator::ResetFromSeed(int64_t seed) const {
  state_.Assign(StateTensor(random::GeneratorState::FromSeed(seed)));
}
void Generator::ResetFromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter) const {
  state_.Assign(StateTensor(random::GeneratorState::FromKeyCounter(key, counter)));
}

}  // namespace lockstep
