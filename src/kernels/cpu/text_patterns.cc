// RegexReplace, RegexFullMatch: by RE2, whose patterns TensorFlow's are.

#include <re2/re2.h>

#include <memory>
#include <string>

#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

// A compiled pattern; a thread keeps its last one.
const RE2& PatternOf(const char* op, const std::string& pattern) {
  thread_local std::unique_ptr<RE2> last;
  if (last == nullptr || last->pattern() != pattern)
    last = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (last->ok()) return *last;
  throw Error(Code::kInvalidArgument, std::string("[") + op + "] Invalid pattern: " + pattern +
                                          ", error: " + last->error());
}

std::vector<Tensor> ReplaceMatches(const ops::Attributes& attributes,
                                   std::span<const Tensor> inputs) {
  (void)InferOf("RegexReplace", attributes, inputs);
  const RE2& pattern = PatternOf("RegexReplace", attributes.Get<std::string>("pattern"));
  const auto& rewrite = attributes.Get<std::string>("rewrite");
  const bool all = attributes.Get<bool>("replace_global");
  std::string wrong;
  if (!pattern.CheckRewriteString(rewrite, &wrong)) {
    throw Error(Code::kInvalidArgument, "[RegexReplace] the rewrite must fit the pattern; got " +
                                            rewrite + " for " + pattern.pattern() + ": " + wrong);
  }
  return {EachText<std::string>(DType::kString, inputs[0], [&](const std::string& text) {
    std::string made = text;
    all ? RE2::GlobalReplace(&made, pattern, rewrite) > 0 : RE2::Replace(&made, pattern, rewrite);
    return made;
  })};
}
const RegisterValueFunction kReplace("RegexReplace", ReplaceMatches);

std::vector<Tensor> FullMatch(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("RegexFullMatch", attributes, inputs);
  const RE2& pattern = PatternOf("RegexFullMatch", attributes.Get<std::string>("pattern"));
  return {EachText<uint8_t>(DType::kBool, inputs[0], [&](const std::string& text) {
    return static_cast<uint8_t>(RE2::FullMatch(text, pattern));
  })};
}
const RegisterValueFunction kFullMatch("RegexFullMatch", FullMatch);

}  // namespace
}  // namespace lockstep::kernels
