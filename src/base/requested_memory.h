#pragma once

#include <cstdint>

namespace lockstep::base {

/// The bytes of the last request to `operator new` that the system refused; 0: none yet, or the
/// program has another `operator new` (under a sanitizer).
uint64_t LastRefusedRequest();

struct AddressSpace {
  uint64_t used = 0;
  uint64_t limit = 0;  // RLIMIT_AS; 2^64 - 1: none
};

/// This process's address space. It allocates no memory.
AddressSpace ReadAddressSpace();

}  // namespace lockstep::base
