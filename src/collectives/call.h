#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

#include "lockstep/tensor/dtype.h"

namespace lockstep::collectives {

enum class OpKind : uint8_t {
  kAllReduceSum = 1,
  kAllToAll = 2,
  kReduceScatterSum = 3,
  kAllGather = 4,
  kBroadcast = 5,
  kGather = 6,
  kScatter = 7,
  kBarrier = 8,
  kSparseSum = 9,
};
/// "all_reduce"; "unknown" for other numbers.
const char* OpKindName(OpKind kind);

/// A collective as the program calls it. All ranks must agree on all but the place.
struct Call {
  OpKind kind = OpKind::kAllReduceSum;
  DType dtype = DType::kInvalid;
  uint64_t count = 0;  // elements; not compared without a dtype
  uint32_t plan = 0;   // fingerprint of all else: division, algorithm, root, sizes
  std::string label;   // what it is about: "dense/kernel"; not compared for an all-to-all
  std::string shape;   // "[3,4]"; may be empty
  std::source_location where;
};

/// The texts of a call, as they travel.
struct CallText {
  std::string_view label;
  std::string_view shape;
  std::string_view file;
  uint32_t line = 0;
};
CallText TextOf(const Call& call);
/// "all_reduce of dense/kernel, float32[12] as [3,4], at src/a.cc:17". Bytes that can't be printed
/// become '?'.
std::string Describe(OpKind kind, DType dtype, uint64_t count, const CallText& text);
std::string Describe(const Call& call);
/// The end of a path that says which file it is: "src/room/file.cc".
std::string_view ShortFile(std::string_view path);

/// FNV-1a, to fingerprint what ranks must agree on.
class Fingerprint {
 public:
  Fingerprint& Mix(uint64_t value);
  uint32_t value() const { return hash_; }

 private:
  uint32_t hash_ = 2166136261u;
};

}  // namespace lockstep::collectives
