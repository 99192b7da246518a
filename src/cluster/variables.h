#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "cluster/resolver.h"

namespace lockstep::cluster {

/// No launcher starts more tasks; a greater number is a mistake.
inline constexpr int kMostTasks = 100'000;

/// Reads a launcher's variables into a resolution: what is wrong becomes mistakes, what counts
/// becomes facts, and the corrected form is made of what was meant.
class Variables {
 public:
  Variables(const Environment& environment, Resolution& resolution)
      : environment_(environment), resolution_(resolution) {}

  /// The text; nothing if the variable is absent or empty.
  std::optional<std::string> Text(const std::string& name) const {
    return Lookup(environment_, name);
  }
  bool Has(const std::string& name) const { return Text(name).has_value(); }
  /// The number that was probably meant, also where it stands among other signs ("4 ", "4.0",
  /// "tcp://10.0.0.1:29500"); nothing if the variable is absent or none can be told.
  std::optional<int> Meant(const std::string& name, int low, int high) const;
  /// A whole number in [low, high]; what was meant or `otherwise`, and a mistake if it is not one,
  /// or is absent.
  int Number(const std::string& name, const std::string& what, int low, int high, int otherwise);
  /// The same, but `otherwise` without a mistake if it is absent.
  int NumberOr(const std::string& name, const std::string& what, int low, int high, int otherwise);

  /// The number of tasks; where it is wrong at least that, and one that `rank_name` is below.
  int Size(const std::string& name, const std::string& what, const std::string& rank_name,
           int at_least = 1);

  void Wrong(const std::string& variable, std::string expected, std::string got, std::string cure);
  void Doubt(const std::string& variable, std::string expected, std::string got, std::string cure);
  /// Remembers for the report who said what.
  void Note(const std::string& what, const std::string& value, const std::string& variable);
  /// One more line of the corrected form.
  void Correct(const std::string& name, const std::string& value);
  /// Gives the resolution its description, or its corrected form if there were mistakes.
  void Finish(Description description);

 private:
  const Environment& environment_;
  Resolution& resolution_;
  std::vector<Fact> facts_;
  std::string corrected_;
};

}  // namespace lockstep::cluster
