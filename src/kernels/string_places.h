#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// A kernel for strings made of `factory`'s kernel for int64, for ops that only move elements or
/// compare them for equality: each string gets a number (where they are compared, equal ones the
/// same), the kernel works on the numbers, and what it writes for a string becomes that string;
/// strings of one shape are compared directly. nullptr for other ops, where no operand is
/// a string, and where the factory has no such kernel. A run numbers all strings of all inputs.
std::unique_ptr<Kernel> MakeOnStrings(const KernelSpec& spec, KernelFactory factory);

}  // namespace lockstep::kernels
