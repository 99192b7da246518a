#include "distribute/programs/push_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/team.h"
#include "distribute/programs/weight_step_test.h"
#include "runtime/compiled.h"

namespace lockstep::distribute {
namespace {

Tensor Waves(const Shape& shape, float pace) {
  std::vector<float> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(pace * static_cast<float>(i));
  return Tensor::FromVector(values, shape);
}

std::string BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()};
}

Tensor Rows(const Tensor& tensor, const std::vector<int64_t>& borders, int server) {
  if (borders.empty()) return tensor;
  const int64_t columns = tensor.shape()[1], rows = borders[server + 1] - borders[server];
  const auto own = tensor.data<float>().subspan(borders[server] * columns, rows * columns);
  return Tensor::FromVector(std::vector<float>(own.begin(), own.end()), {rows, columns});
}

// What servers make of a worker's pushes is what one process does.
void ExpectOneResult(int64_t examples, int servers, size_t pushed) {
  SCOPED_TRACE(testing::Message() << examples << " examples, " << servers << " servers");
  base::Team team(1);
  const Tensor first = Waves({kInputs, kOutputs}, 0.3f);
  const std::vector<Tensor> batch{Waves({examples, kInputs}, 0.7f),
                                  Waves({examples, kOutputs}, 0.9f)};
  Variable weight(first);
  const graph::Graph step = WeightStep(weight, examples);
  const PushProgram program(
      step, {.examples = examples, .has_rows = {true, true}, .servers = servers, .slice_from = 1});
  ASSERT_EQ(program.pushed().size(), pushed);
  const std::vector<Tensor> pushes = runtime::Compiled(program.Worker(), {}).Run(batch, team);
  runtime::Compiled(step, {}).Run(batch, team);
  std::string made;
  for (int server = 0; server < servers; ++server) {
    const auto& borders = program.kept()[0].borders;
    Variable rows(Rows(first, borders, server));
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < pushes.size(); ++i)
      arguments.push_back(Rows(pushes[i], program.pushed()[i].borders, server));
    runtime::Compiled(program.Server(server, [&](size_t) { return rows.handle(); }), {})
        .Run(arguments, team);
    made += BytesOf(rows.value());
  }
  EXPECT_EQ(made, BytesOf(weight.value()));
}

TEST(PushProgram, AFewExamplesArePushedAsFactors) {
  for (const int servers : {1, 2, 3}) ExpectOneResult(8, servers, 2);
}

TEST(PushProgram, OfManyTheirSumIs) {
  for (const int servers : {1, 2, 3}) ExpectOneResult(200, servers, 1);
}

}  // namespace
}  // namespace lockstep::distribute
