#include "distribute/collective_sum.h"

#include "collectives/all_reduce.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

runtime::AsynchronousOp MakeCollectiveSum(collectives::Group& group,
                                          const collectives::Division& division, uint64_t step,
                                          base::Duration timeout) {
  return [&group, division, step, timeout](
             const graph::Node& node, const std::vector<Tensor>& inputs, runtime::OnTensors done) {
    const ops::TensorType& type = node.outputs[0];
    const auto& nodes = node.attributes.Get<std::vector<int64_t>>("nodes");
    const size_t count = type.shape.num_elements();
    auto output = tensor::Buffer::Allocate(type.dtype, count);
    collectives::SumRequest request{
        .id = {step, static_cast<uint32_t>(node.attributes.Get<int64_t>("bucket"))},
        .dtype = type.dtype,
        .count = count,
        .division = division,
        .output = static_cast<std::byte*>(output->data()),
        .options = {.timeout = timeout}};
    for (size_t i = 0; i < inputs.size(); ++i) {
      request.contributions.push_back({{static_cast<collectives::Leaf>(nodes[2 * i]),
                                        static_cast<collectives::Leaf>(nodes[2 * i + 1])},
                                       static_cast<const std::byte*>(inputs[i].raw_data())});
    }
    // The inputs stay alive, unchanged, until the sum is there.
    collectives::AllReduceSum(
        group, std::move(request),
        [output, type, inputs, done = std::move(done)](Result<collectives::Reduced> reduced) {
          if (!reduced.ok()) {
            done(reduced.status());
            return;
          }
          done(std::vector<Tensor>{Tensor::FromBuffer(output, type.dtype, type.shape)});
        });
  };
}

}  // namespace lockstep::distribute
