# Every x86-64 processor with AVX2 can run what is built here; AVX-512 is chosen at run time by
# Highway (-maes: without it Highway takes SSSE3 for the baseline and builds four targets, two of
# them without a fused multiply-add). -ffp-contract=off: a fused multiply-add happens only where the source says so.
# -fno-semantic-interposition: what the library calls of itself is its own, and may be inlined.
add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE
  -march=haswell -maes -mtune=generic -ffp-contract=off -fno-math-errno -fvisibility=default
  -fno-semantic-interposition
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
target_compile_definitions(lockstep_flags INTERFACE
  # Two targets are enough: AVX2 and AVX-512 (HWY_AVX3); the newer ones, lower bits, change
  # nothing that is used.
  "HWY_DISABLED_TARGETS=(HWY_AVX3-1)")

set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

# Linked by GNU ld. lld keeps one of two unwind entries that begin at the same address, and GCC gives an
# empty cold part of a function such an entry: an exception that then passes the function whose entry is
# gone ends the process.
