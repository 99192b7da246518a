#include "cluster/address.h"

#include <gtest/gtest.h>

#include "cluster/names.h"

namespace lockstep::cluster {
namespace {

TEST(Address, ReadsHostsAndPorts) {
  const std::pair<const char*, Address> cases[] = {
      {"a:1", {"a", 1}},
      {"n-1.example_2:65535", {"n-1.example_2", 65535}},
      {"10.0.0.1:2222", {"10.0.0.1", 2222}},
      {"[::1]:80", {"::1", 80}},
      {"[fe80::1%eth0]:80", {"fe80::1%eth0", 80}}};
  for (const auto& [text, expected] : cases) {
    Address address;
    EXPECT_FALSE(ReadAddress(text, address)) << text;
    EXPECT_EQ(address, expected) << text;
    EXPECT_EQ(address.ToString(), text);
  }
}

TEST(Address, SaysWhatIsWrongAndWhatWasMeant) {
  struct Case {
    const char *text, *rule, *meant;
  };
  const Case cases[] = {
      {"", "an address must be host:port", ""},
      {"a", "an address must have a port", "a:0"},
      {"a:", "a port must be a number", "a:0"},
      {":80", "a host must be a name or an address of letters, digits, '-', '.' and '_'", ""},
      {"a:65536", "a port must be from 1 to 65535", "a:0"},
      {"a:-1", "a port must be a number", "a:0"},
      {"https://a:1/x", "an address must be host:port alone", "a:1"},
      {"a:1/", "an address must be host:port alone", "a:1"},
      {"a :1", "an address must not contain spaces", ""},
      {"::1", "an IPv6 address must stand in brackets", "[::1]:0"},
      {"fe80::1:2222", "an IPv6 address must stand in brackets", "[fe80::1]:2222"},
      {"::1:5", "an IPv6 address must stand in brackets", "[::1]:5"},
      {"2001:db8::5", "an IPv6 address must stand in brackets", "[2001:db8::5]:0"},
      {"1:2:3:4:5:6:7:8", "an IPv6 address must stand in brackets", "[1:2:3:4:5:6:7:8]:0"},
      {"[::1]", "an address must have a port", "[::1]:0"},
      {"[a]:1", "brackets must hold an IPv6 address", ""},
      {"[", "brackets must hold an IPv6 address", ""},
      {"${HOST}:1", "an address must be host:port, with variables filled in", ""},
  };
  for (const Case& wrong : cases) {
    Address address;
    const auto fault = ReadAddress(wrong.text, address);
    ASSERT_TRUE(fault) << wrong.text;
    EXPECT_EQ(fault->rule, wrong.rule) << wrong.text;
    EXPECT_EQ(fault->meant ? fault->meant->ToString() : "", wrong.meant) << wrong.text;
    EXPECT_EQ(address, Address{});
  }
}

TEST(Address, ReadsNumbersInARange) {
  EXPECT_EQ(ReadNumber("0", 0, 3), 0);
  EXPECT_EQ(ReadNumber("007", 0, 9), 7);
  for (const char* text : {"", "4", "-1", "+1", "1.0", "1 ", "0x1", "99999999999"}) {
    EXPECT_FALSE(ReadNumber(text, 0, 3)) << text;
  }
}

TEST(Names, FindsWhatWasMeant) {
  const std::pair<const char*, const char*> cases[] = {{"workers", "worker"},
                                                       {"Worker", "worker"},
                                                       {"wroker", "worker"},
                                                       {"worke", "worker"},
                                                       {"worker_hosts", "worker"},
                                                       {"master", "chief"},
                                                       {"PS", "ps"},
                                                       {"ps_hosts", "ps"},
                                                       {"evaluators", "evaluator"},
                                                       {"gpu", ""},
                                                       {"p", ""},
                                                       {"", ""}};
  for (const auto& [typed, meant] : cases) {
    EXPECT_EQ(MeantName(typed, JobNames(), JobSynonyms()), meant) << typed;
  }
  EXPECT_EQ(TrailingNumber("worker-12", 99), 12);
  EXPECT_EQ(TrailingNumber("7", 99), 7);
  EXPECT_FALSE(TrailingNumber("worker-100", 99));
  EXPECT_FALSE(TrailingNumber("worker", 99));
}

}  // namespace
}  // namespace lockstep::cluster
