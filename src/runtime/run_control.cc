#include "runtime/run_control.h"

#include <algorithm>
#include <string>

namespace lockstep::runtime {

namespace {

thread_local RunControl* current = nullptr;

}  // namespace

Status RunControl::Check() const {
  if (closed != nullptr && closed->load(std::memory_order_relaxed)) {
    return Status(Code::kCancelled,
                  "[session] a run ends with its session; got one under way when "
                  "the session was closed");
  }
  if (cancellation != nullptr && cancellation->cancelled()) {
    return Status(Code::kCancelled, "[session] a run ends when it is cancelled; got Cancel");
  }
  if (deadline != Clock::time_point{} && Clock::now() >= deadline) {
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
    return Status(Code::kDeadlineExceeded, "[session] a run must end within its timeout; got " +
                                               std::to_string(limit.count()) +
                                               " ms; give RunOptions::timeout more");
  }
  return Status::Ok();
}

void RunControl::Record(const graph::Node& node, Clock::time_point from,
                        const std::vector<Tensor>& outputs) {
  if (trace == nullptr) return;
  const auto since = [](Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  };
  RunMetadata::Op op{node.name, node.spec->name, node.device, since(from - begin),
                     since(Clock::now() - from)};
  for (const Tensor& output : outputs) {
    if (output.dtype() != DType::kResource) {
      op.output_bytes += static_cast<int64_t>(output.num_bytes());
    }
  }
  bytes += op.output_bytes;
  trace->peak_bytes = std::max(trace->peak_bytes, bytes);
  trace->ops.push_back(std::move(op));
}

void RunControl::Drop(const Tensor& value) {
  if (trace != nullptr && value.defined() && value.dtype() != DType::kResource) {
    bytes -= static_cast<int64_t>(value.num_bytes());
  }
}

RunControl* RunControl::Current() { return current; }

RunControlScope::RunControlScope(RunControl* control) : outer_(current) { current = control; }
RunControlScope::~RunControlScope() { current = outer_; }

Error WithOp(const Error& error, const std::string& name) {
  const std::string& text = error.status().message();
  if (current == nullptr || text.find(" (op '") != std::string::npos) return error;
  return Error(error.code(), text + " (op '" + name + "')", error.place());
}

}  // namespace lockstep::runtime
