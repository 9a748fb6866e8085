// Several processes, as threads, over the loopback device.
#include "runtime/cuda/process_group.h"

#include "runtime/cuda/free_port.h"

#include "gtest/gtest.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace plumbline::runtime::cuda {
namespace {

using std::chrono::milliseconds;

const std::vector<char> payload(300000, 'x');

struct Process {
  Launch launch;
  std::uint64_t greeting = 7;
  milliseconds startsAfter{0};
};

std::vector<Process> processes(std::int32_t size) {
  std::vector<Process> all;
  all.reserve(static_cast<std::size_t>(size));
  const std::uint16_t port = freePort();
  for (std::int32_t rank = 0; rank < size; ++rank)
    all.push_back({{rank, size, rank, "localhost", port, nullptr}});
  return all;
}

std::vector<Result<std::vector<char>>> run(const std::vector<Process> &all, milliseconds patience) {
  std::vector<Result<std::vector<char>>> results(all.size(), std::vector<char>());
  std::vector<std::thread> threads;
  threads.reserve(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    threads.emplace_back([&, k] {
      std::this_thread::sleep_for(all[k].startsAfter);
      const Result<std::unique_ptr<ProcessGroup>> group = ProcessGroup::form(all[k].launch, patience);
      if (group)
        results[k] = shareFromFirst(**group, all[k].greeting, all[k].launch.rank == 0 ? payload : std::vector<char>());
      else
        results[k] = group.error();
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

void expectError(const Result<std::vector<char>> &result, const std::string &text) {
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
}

TEST(ProcessGroup, EveryProcessGetsThePayload) {
  std::vector<Process> all = processes(8);
  all[0].startsAfter = milliseconds(200); // others try until it is there
  all[5].startsAfter = milliseconds(300);
  for (const auto &result : run(all, milliseconds(20000))) {
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(*result, payload);
  }
}

TEST(ProcessGroup, OneProcessNeedsNobody) {
  const auto group = ProcessGroup::form({}, milliseconds(0));
  ASSERT_TRUE(group.ok());
  EXPECT_EQ(*shareFromFirst(**group, 7, payload), payload);
  EXPECT_EQ((*group)->lost(), "");
}

TEST(ProcessGroup, TellsWhoIsMissing) {
  std::vector<Process> all = processes(4);
  all.resize(3);
  all[1].startsAfter = all[2].startsAfter = milliseconds(200); // so that they still wait when rank 0 gives up
  const auto results = run(all, milliseconds(500));
  expectError(results[0], "of 4 processes these have not come: rank 3");
  expectError(results[1], "process 0 has ended before its time");
}

TEST(ProcessGroup, TellsThatTheFirstIsMissing) {
  std::vector<Process> all = processes(2);
  all.erase(all.begin());
  expectError(run(all, milliseconds(300))[0], "rank 0 cannot be reached at localhost, port ");
}

TEST(ProcessGroup, RefusesAnotherProgram) {
  std::vector<Process> all = processes(2);
  all[1].greeting = 8;
  const auto results = run(all, milliseconds(5000));
  for (const auto &result : results)
    expectError(result, "process 1 runs another Program than process 0");
}

TEST(ProcessGroup, RefusesARankTwice) {
  std::vector<Process> all = processes(3);
  all[2].launch.rank = 1;
  const auto results = run(all, milliseconds(5000));
  expectError(results[0], "two processes have the same one");
  EXPECT_FALSE(results[1].ok() || results[2].ok());
}

TEST(ProcessGroup, RefusesAnotherNumberOfProcesses) {
  std::vector<Process> all = processes(2);
  all[1].launch.size = 3;
  expectError(run(all, milliseconds(5000))[1], "another number of processes");
}

// Forms a group of so many, and gives each to a thread of its own.
void inGroup(std::int32_t size, milliseconds patience, const std::function<void(std::unique_ptr<ProcessGroup>)> &f) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(size));
  for (const Process &process : processes(size))
    threads.emplace_back([&f, patience, launch = process.launch] {
      Result<std::unique_ptr<ProcessGroup>> group = ProcessGroup::form(launch, patience);
      ASSERT_TRUE(group.ok()) << group.error().message;
      f(std::move(*group));
    });
  for (std::thread &thread : threads)
    thread.join();
}

std::vector<char> bytesOf(std::int32_t rank, std::int32_t round) {
  return std::vector<char>(static_cast<std::size_t>(rank * round), static_cast<char>('a' + rank));
}

TEST(ProcessGroup, ExchangesBytesOfAnySize) {
  inGroup(5, milliseconds(20000), [](std::unique_ptr<ProcessGroup> group) {
    for (const std::int32_t round : {0, 1, 100, 200000, 3}) {
      const auto all = group->exchange(bytesOf(group->rank(), round));
      ASSERT_TRUE(all.ok()) << all.error().message;
      ASSERT_EQ(all->size(), 5U);
      for (std::int32_t rank = 0; rank < 5; ++rank)
        EXPECT_EQ((*all)[static_cast<std::size_t>(rank)], bytesOf(rank, round));
    }
    EXPECT_EQ(group->lost(), "");
    (void)group->exchange({}); // nobody leaves before all have looked
  });
}

TEST(ProcessGroup, NoticesThatOneHasEnded) {
  inGroup(3, milliseconds(20000), [](std::unique_ptr<ProcessGroup> group) {
    if (group->rank() == 2)
      return; // which ends the connection, as the end of a process does
    std::string lost;
    while (lost.empty()) { // rank 1 hears of it when rank 0 ends
      std::this_thread::sleep_for(milliseconds(1));
      lost = group->lost();
    }
    EXPECT_EQ(lost, (group->rank() == 0 ? "process 2" : "process 0") +
                        std::string(" has ended before its time; what it printed says why"));
    EXPECT_FALSE(group->exchange({}).ok());
  });
}

TEST(ProcessGroup, DoesNotWaitForEver) {
  inGroup(2, milliseconds(300), [](std::unique_ptr<ProcessGroup> group) {
    if (group->rank() == 0) {
      const auto all = group->exchange({});
      ASSERT_FALSE(all.ok());
      EXPECT_EQ(all.error().message, "process 1 has not answered for 300 ms");
      return;
    }
    while (group->lost().empty())
      std::this_thread::sleep_for(milliseconds(1));
  });
}

// A guest that says nothing, or nonsense, is passed over.
TEST(ProcessGroup, PassesOverStrangers) {
  std::vector<Process> all = processes(2);
  all[1].startsAfter = milliseconds(300);
  std::thread stranger([&] {
    std::this_thread::sleep_for(milliseconds(100));
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(all[0].launch.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
      const std::vector<char> nonsense(64, 'z');
      EXPECT_EQ(send(socket, nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 64);
    }
    close(socket);
  });
  for (const auto &result : run(all, milliseconds(20000)))
    EXPECT_TRUE(result.ok()) << result.error().message;
  stranger.join();
}

TEST(ProcessGroup, TellsThatThePortIsTaken) {
  std::vector<Process> all = processes(2);
  all.resize(1);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(all[0].launch.port);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  ASSERT_EQ(listen(socket, 1), 0);
  expectError(run(all, milliseconds(2000))[0], "Address already in use; PLUMBLINE_PORT chooses another one");
  close(socket);
}

} // namespace
} // namespace plumbline::runtime::cuda
