#include "kernels/isa.h"

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace lockstep::kernels {

std::string_view IsaName() { return (hwy::SupportedTargets() & HWY_AVX3) != 0 ? "avx512" : "avx2"; }

Status SelectIsa(const std::string& name) {
  if (name == "avx2") {
    hwy::SetSupportedTargetsForTest(HWY_AVX2);
    hwy::GetChosenTarget().Update(HWY_AVX2);
    return Status::Ok();
  }
  if (name != "avx512") {
    return Status(Code::kInvalidArgument, "[isa] allowed are avx2 and avx512; got " + name);
  }
  if ((hwy::SupportedTargets() & HWY_AVX3) == 0) {
    return Status(Code::kUnavailable,
                  "[isa] the processor must have AVX-512; got one without; use --isa avx2, "
                  "which gives the same bits");
  }
  return Status::Ok();
}

}  // namespace lockstep::kernels
