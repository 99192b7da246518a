// Overflows a signed integer when called with "fault"; ends well otherwise.
#include <cstdio>
#include <cstring>
#include <limits>

int main(int count, char** arguments) {
  const bool fault = count > 1 && std::strcmp(arguments[1], "fault") == 0;
  volatile int value = fault ? std::numeric_limits<int>::max() : 1;
  const int sum = value + 1;
  std::printf("sum %d\n", sum);
  return 0;
}
