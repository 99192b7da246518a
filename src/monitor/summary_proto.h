#pragma once

#include <string>
#include <string_view>

#include "lockstep/tensor/tensor.h"

/// The messages that hold a summary. Source: summary.proto.

namespace lockstep::monitor {

struct Plugin {
  std::string_view name, content;
};

/// Summary {value = 1: {tag = 1, tensor = 8, metadata = 9 {plugin_data = 1, description = 3}}}.
std::string SummaryProto(const std::string& tag, const Tensor& tensor, const Plugin& plugin,
                         const std::string& description = "");

/// "[summary.scalar] rule; got VALUE; cure"
[[noreturn]] void Refuse(const char* kind, const std::string& tag, const std::string& rule,
                         const Tensor& got, const std::string& cure);

/// The elements of a tensor of numbers or bools as float64; throws as `Refuse`.
std::vector<double> AsDoubles(const char* kind, const std::string& tag, const Tensor& tensor);

}  // namespace lockstep::monitor
