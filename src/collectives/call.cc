#include "collectives/call.h"

namespace lockstep::collectives {
namespace {

std::string Printable(std::string_view text) {
  std::string printable(text);
  for (char& letter : printable)
    if (letter < ' ' || letter > '~') letter = '?';
  return printable;
}

}  // namespace

const char* OpKindName(OpKind kind) {
  switch (kind) {
    case OpKind::kAllReduceSum:
      return "all_reduce";
    case OpKind::kAllToAll:
      return "all_to_all";
    case OpKind::kReduceScatterSum:
      return "reduce_scatter";
    case OpKind::kAllGather:
      return "all_gather";
    case OpKind::kBroadcast:
      return "broadcast";
    case OpKind::kGather:
      return "gather";
    case OpKind::kScatter:
      return "scatter";
    case OpKind::kBarrier:
      return "barrier";
    case OpKind::kSparseSum:
      return "sparse_all_reduce";
  }
  return "unknown";
}

std::string_view ShortFile(std::string_view path) {
  constexpr int kParts = 3;
  size_t begin = path.size();
  for (int part = 0; part < kParts && begin > 0; ++part) {
    const size_t slash = path.rfind('/', begin - 1);
    if (slash == std::string_view::npos) return path;
    begin = slash;
  }
  return begin < path.size() ? path.substr(begin + 1) : path;
}

CallText TextOf(const Call& call) {
  // Every message carries it; calls of one place follow each other.
  thread_local const char* last = nullptr;
  thread_local std::string_view last_file;
  if (const char* file = call.where.file_name(); file != last) {
    last = file;
    last_file = ShortFile(file);
  }
  return {call.label, call.shape, last_file, call.where.line()};
}

std::string Describe(OpKind kind, DType dtype, uint64_t count, const CallText& text) {
  std::string described = OpKindName(kind);
  if (!text.label.empty()) described += " of " + Printable(text.label);
  if (dtype != DType::kInvalid)
    described += ", " + std::string(DTypeName(dtype)) + "[" + std::to_string(count) + "]";
  if (!text.shape.empty()) described += " as " + Printable(text.shape);
  if (!text.file.empty())
    described += ", at " + Printable(text.file) + ":" + std::to_string(text.line);
  return described;
}

std::string Describe(const Call& call) {
  return Describe(call.kind, call.dtype, call.count, TextOf(call));
}

Fingerprint& Fingerprint::Mix(uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    hash_ = (hash_ ^ ((value >> shift) & 255)) * 16777619u;
  return *this;
}

}  // namespace lockstep::collectives
