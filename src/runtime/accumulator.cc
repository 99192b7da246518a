#include "runtime/accumulator.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/element_types.h"

namespace lockstep::runtime {

namespace {

std::string_view BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()};
}

std::shared_ptr<SharedObject> MakeAccumulator(const std::string& name,
                                              const ops::Attributes& given) {
  Accumulator::Spec spec;
  const std::vector<ops::TensorType> types = ElementTypes(given);
  const std::string reduction = given.GetOr<std::string>("reduction_type", "MEAN");
  if (types.size() != 1 || (!IsFloating(types[0].dtype) && !IsInteger(types[0].dtype))) {
    throw Error(Code::kInvalidArgument,
                "[accumulator] gradients are numbers of one dtype; got " +
                    (types.empty() ? std::string("none") : types[0].ToString()) + " for '" + name +
                    "'");
  }
  if (reduction != "MEAN" && reduction != "SUM") {
    throw Error(Code::kInvalidArgument,
                "[accumulator] reduction_type is MEAN or SUM; got " + reduction);
  }
  spec.dtype = types[0].dtype;
  spec.shape = types[0].shape;
  spec.has_shape = given.GetOr("has_shape", true);
  spec.mean = reduction == "MEAN";
  spec.sparse = given.GetOr("sparse", false);
  return std::make_shared<Accumulator>(name, spec);
}
const RegisterSharedObject kAccumulator("accumulator", MakeAccumulator);

const RegisterSharedOp kApply("AccumulatorApplyGradient", InferDone);
const RegisterSharedOp kTake("AccumulatorTakeGradient", InferElements);
const RegisterSharedOp kCount("AccumulatorNumAccumulated", InferCount);
const RegisterSharedOp kSetStep("AccumulatorSetGlobalStep", InferDone);

}  // namespace

Accumulator::Accumulator(std::string name, const Spec& spec)
    : name_(std::move(name)), spec_(spec) {}

Status Accumulator::CheckSparse(const Tensor& indices, const Tensor& values,
                                const Tensor& shape) const {
  if (indices.shape().rank() != 1 || values.shape().rank() < 1 ||
      indices.shape()[0] != values.shape()[0]) {
    return Status(Code::kInvalidArgument,
                  "[accumulator] a sparse gradient has an index for each row; got " +
                      indices.shape().ToString() + " and " + values.shape().ToString() + " for '" +
                      name_ + "'");
  }
  const Shape expected = spec_.has_shape ? spec_.shape : Shape();
  const int64_t rows = expected.rank() > 0 && expected[0] >= 0 ? expected[0]
                       : shape.num_elements() > 0              ? shape.data<int64_t>()[0]
                                                               : -1;
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t index = indices.data<int64_t>()[i];
    if (index >= 0 && (rows < 0 || index < rows)) continue;
    return Status(Code::kInvalidArgument,
                  "[accumulator] indices of a sparse gradient are rows; got " +
                      std::to_string(index) + " where there are " + std::to_string(rows) +
                      " for '" + name_ + "'");
  }
  for (int i = 1; i < expected.rank() && expected.rank() == values.shape().rank(); ++i) {
    if (expected[i] < 0 || expected[i] == values.shape()[i]) continue;
    return Status(Code::kInvalidArgument, "Shape mismatch: expected values shape at dimension " +
                                              std::to_string(i) + " to be " +
                                              std::to_string(expected[i]) + ", got " +
                                              std::to_string(values.shape()[i]));
  }
  return Status::Ok();
}

Status Accumulator::Apply(const std::vector<Tensor>& inputs) {
  const Tensor& values = inputs[spec_.sparse ? 2 : 1];
  if (values.dtype() != spec_.dtype) {
    return Status(Code::kInvalidArgument,
                  "[accumulator] gradients have the accumulator's dtype; got " +
                      std::string(DTypeName(values.dtype())) + " for " +
                      std::string(DTypeName(spec_.dtype)) + " of '" + name_ + "'");
  }
  if (spec_.sparse) {
    LOCKSTEP_RETURN_IF_ERROR(CheckSparse(inputs[1], values, inputs[3]));
  } else {
    const Shape* expected = spec_.has_shape      ? &spec_.shape
                            : gradients_.empty() ? nullptr
                                                 : &gradients_[0].values.shape();
    if (expected != nullptr && !expected->CompatibleWith(values.shape())) {
      return Status(Code::kInvalidArgument, "Shape mismatch: expected " + expected->ToString() +
                                                ", got " + values.shape().ToString());
    }
  }
  if (inputs[0].scalar<int64_t>() < step_) return Status::Ok();  // too late
  gradients_.push_back({spec_.sparse ? inputs[1] : Tensor(), values});
  return Status::Ok();
}

SharedObject::Ticket Accumulator::Start(std::string_view op, const ops::Attributes&,
                                        const std::vector<Tensor>& inputs, Done done) {
  const ops::BuilderScope eager(&EagerBuilder::Instance());
  const ops::RecordingPause pause;
  std::vector<Ended> ended;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++next_;
    const std::vector<Tensor> nothing{Scalar(true)};
    if (op == "AccumulatorTakeGradient") {
      const int64_t needed = inputs[0].scalar<int32_t>();
      if (needed > 0) {
        taking_.push_back({ticket, needed, std::move(done)});
      } else {
        ended.push_back({std::move(done), Status(Code::kInvalidArgument,
                                                 "Argument num_required must be positive, but is " +
                                                     std::to_string(needed))});
      }
    } else if (op == "AccumulatorNumAccumulated") {
      const Tensor count = Scalar<int32_t>(static_cast<int32_t>(gradients_.size()));
      ended.push_back({std::move(done), std::vector<Tensor>{count}});
    } else if (op == "AccumulatorSetGlobalStep") {
      const int64_t step = inputs[0].scalar<int64_t>();
      if (step < step_) {
        base::Log(base::Severity::kWarning, "[accumulator] the step of '" + name_ +
                                                "' goes back from " + std::to_string(step_) +
                                                " to " + std::to_string(step));
      }
      step_ = step;
      ended.push_back({std::move(done), nothing});
    } else {
      const Status status = Apply(inputs);
      ended.push_back({std::move(done), status.ok() ? Result<std::vector<Tensor>>(nothing)
                                                    : Result<std::vector<Tensor>>(status)});
    }
    while (!taking_.empty() && static_cast<int64_t>(gradients_.size()) >= taking_.front().needed) {
      ended.push_back({std::move(taking_.front().done), Take()});
      taking_.pop_front();
    }
  }
  Tell(&ended);
  return ticket;
}

void Accumulator::Cancel(Ticket ticket) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(taking_.begin(), taking_.end(),
                                    [&](const Taking& one) { return one.ticket == ticket; });
    if (place == taking_.end()) return;
    done = std::move(place->done);
    taking_.erase(place);
  }
  done(Status(Code::kCancelled, "TakeGrad operation was cancelled"));
}

std::vector<Tensor> Accumulator::Take() {
  std::sort(gradients_.begin(), gradients_.end(), [](const Gradient& a, const Gradient& b) {
    const int order = BytesOf(a.values).compare(BytesOf(b.values));
    if (order != 0 || !a.indices.defined()) return order < 0;
    return BytesOf(a.indices) < BytesOf(b.indices);
  });
  std::vector<Tensor> taken;
  if (spec_.sparse) {
    taken = TakeSparse();
  } else {
    Tensor sum = gradients_[0].values;
    for (size_t i = 1; i < gradients_.size(); ++i) sum = sum + gradients_[i].values;
    if (spec_.mean) {
      sum =
          Divide(sum, Cast(Scalar<int64_t>(static_cast<int64_t>(gradients_.size())), spec_.dtype));
    }
    taken = {sum};
  }
  gradients_.clear();
  ++step_;
  return taken;
}

std::vector<Tensor> Accumulator::TakeSparse() const {
  std::map<int64_t, int64_t> counts;  // by row: gradients that have it
  std::vector<Tensor> values;
  for (const Gradient& gradient : gradients_) {
    const auto rows = gradient.indices.data<int64_t>();
    for (int64_t row : std::set<int64_t>(rows.begin(), rows.end())) ++counts[row];
    values.push_back(gradient.values);
  }
  std::map<int64_t, int32_t> places;
  std::vector<int64_t> indices, count_of;
  for (const auto& [row, count] : counts) {
    places[row] = static_cast<int32_t>(indices.size());
    indices.push_back(row);
    count_of.push_back(count);
  }
  std::vector<int32_t> segments;
  for (const Gradient& gradient : gradients_) {
    for (int64_t i = 0; i < gradient.indices.num_elements(); ++i) {
      segments.push_back(places[gradient.indices.data<int64_t>()[i]]);
    }
  }
  const auto rows = static_cast<int64_t>(indices.size());
  Tensor sum = UnsortedSegmentSum(Concat(values, 0), Constant<int32_t>(segments), rows);
  std::vector<int64_t> column(sum.shape().rank(), 1);
  column[0] = rows;
  if (spec_.mean) {
    sum = Divide(sum, Reshape(Cast(Constant<int64_t>(count_of), spec_.dtype), column));
  }
  std::vector<int64_t> shape(sum.shape().sizes().begin(), sum.shape().sizes().end());
  shape[0] = spec_.has_shape && spec_.shape.rank() > 0 ? spec_.shape[0] : -1;
  return {Constant<int64_t>(indices), sum, Constant<int64_t>(shape)};
}

}  // namespace lockstep::runtime
