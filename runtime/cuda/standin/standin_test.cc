// The rules of CUDA and NCCL that the stand-in keeps, and on which the other tests rely.
#include "runtime/cuda/standin/standin.h"

#include "gtest/gtest.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <thread>
#include <vector>

namespace plumbline::standin {
namespace {

using std::chrono::milliseconds;

cudaStream_t newStream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  return stream;
}

cudaEvent_t newEvent(unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, flags), cudaSuccess);
  return event;
}

// Copies one number after the other on the stream, each over the one before.
void copies(cudaStream_t stream, const std::vector<int> &numbers, int *to) {
  for (const int &number : numbers)
    EXPECT_EQ(cudaMemcpyAsync(to, &number, sizeof number, cudaMemcpyHostToDevice, stream), cudaSuccess);
}

TEST(Streams, RunLaterAndInOrder) {
  configure({.mostDelay = milliseconds(2), .seed = 1});
  cudaStream_t stream = newStream();
  std::vector<int> numbers(200);
  for (int i = 0; i < 200; ++i)
    numbers[static_cast<std::size_t>(i)] = i;
  int last = -1;
  copies(stream, numbers, &last);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(last, 199);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(left(), Left());
}

TEST(Events, AreWaitedForAsRecordedLastBeforeTheCall) {
  configure({.mostDelay = milliseconds(5), .seed = 2});
  cudaStream_t first = newStream(), second = newStream();
  cudaEvent_t event = newEvent();
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess); // never recorded
  EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  const std::vector<int> zeros(20, 0);
  for (int round = 1; round < 20; ++round) {
    int made = 0, seen = 0;
    copies(first, zeros, &made);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(&made, &round, sizeof round, cudaMemcpyHostToDevice, first), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(&seen, &made, sizeof made, cudaMemcpyDeviceToDevice, second), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    EXPECT_EQ(seen, round);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST(Events, MeasureTime) {
  configure({});
  cudaStream_t stream = newStream();
  cudaEvent_t start = newEvent(cudaEventDefault), end = newEvent(cudaEventDefault), untimed = newEvent();
  float elapsed = -1;
  EXPECT_EQ(cudaEventElapsedTime(&elapsed, start, end), cudaErrorInvalidResourceHandle); // not recorded
  for (cudaEvent_t event : {start, untimed, end})
    EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed, start, end), cudaSuccess);
  EXPECT_GE(elapsed, 0);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed, start, untimed), cudaErrorInvalidResourceHandle);
  for (cudaEvent_t event : {start, end, untimed})
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Memory, IsPoisonedAndCounted) {
  configure({});
  void *memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(*static_cast<unsigned *>(memory), 0xffffffffU);
  EXPECT_EQ(left().allocations, 1);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(left(), Left());
}

// Two or more ranks of one communicator, each with a device, a stream and a thread of the test's.
class Ranks : public ::testing::Test {
protected:
  struct Rank {
    ncclComm_t communicator = nullptr;
    cudaStream_t stream = nullptr;
    int value = 0, received = -1;
  };

  void open(int count) {
    configure({.devices = count, .mostDelay = milliseconds(1), .seed = 3});
    ranks.resize(static_cast<std::size_t>(count));
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    for (int rank = 0; rank < count; ++rank) {
      Rank &own = ranks[static_cast<std::size_t>(rank)];
      own.value = 100 + rank;
      ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
      own.stream = newStream();
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ASSERT_EQ(ncclCommInitRankConfig(&own.communicator, count, id, rank, &config), ncclInProgress);
      EXPECT_EQ(stateOf(own), rank + 1 < count ? ncclInProgress : ncclSuccess);
    }
  }

  void TearDown() override {
    for (Rank &rank : ranks)
      EXPECT_EQ(ncclCommAbort(rank.communicator), ncclSuccess);
    for (Rank &rank : ranks)
      EXPECT_EQ(cudaStreamDestroy(rank.stream), cudaSuccess);
    EXPECT_EQ(left(), Left());
  }

  static ncclResult_t stateOf(Rank &rank) {
    ncclResult_t state = ncclSuccess;
    EXPECT_EQ(ncclCommGetAsyncError(rank.communicator, &state), ncclSuccess);
    return state;
  }
  // All in turn: what one asks for may wait until another has been asked.
  void pollUntilReady() {
    for (bool ready = false; !ready;) {
      ready = true;
      for (Rank &rank : ranks)
        ready &= stateOf(rank) != ncclInProgress;
    }
  }
  static bool doneWithin(Rank &rank, milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (cudaStreamQuery(rank.stream) != cudaSuccess && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return cudaStreamQuery(rank.stream) == cudaSuccess;
  }
  ncclResult_t send(int from, int to) {
    Rank &own = ranks[static_cast<std::size_t>(from)];
    return ncclSend(&own.value, sizeof own.value, ncclUint8, to, own.communicator, own.stream);
  }
  ncclResult_t receive(int to, int from, std::size_t bytes = sizeof(int)) {
    Rank &own = ranks[static_cast<std::size_t>(to)];
    return ncclRecv(&own.received, bytes, ncclUint8, from, own.communicator, own.stream);
  }

  std::vector<Rank> ranks;
};

TEST_F(Ranks, ASendBlocksUntilItsReceiveIsThere) {
  open(2);
  EXPECT_EQ(send(0, 1), ncclInProgress);
  EXPECT_EQ(stateOf(ranks[0]), ncclInProgress); // they are not connected yet
  EXPECT_EQ(send(0, 1), ncclInvalidUsage);      // and nothing else may be asked for before
  EXPECT_EQ(receive(1, 0), ncclInProgress);
  EXPECT_EQ(stateOf(ranks[1]), ncclSuccess);
  EXPECT_FALSE(doneWithin(ranks[1], milliseconds(20))); // the send is not on its stream
  EXPECT_EQ(stateOf(ranks[0]), ncclSuccess);
  EXPECT_TRUE(doneWithin(ranks[0], milliseconds(5000)));
  EXPECT_TRUE(doneWithin(ranks[1], milliseconds(5000)));
  EXPECT_EQ(ranks[1].received, 100);

  EXPECT_EQ(send(0, 1), ncclInProgress); // connected by now
  EXPECT_EQ(stateOf(ranks[0]), ncclSuccess);
  EXPECT_FALSE(doneWithin(ranks[0], milliseconds(20)));
}

TEST_F(Ranks, BothSendFirstAndHang) {
  open(2);
  EXPECT_EQ(send(0, 1), ncclInProgress);
  EXPECT_EQ(send(1, 0), ncclInProgress);
  pollUntilReady();
  EXPECT_EQ(receive(0, 1), ncclInProgress);
  EXPECT_EQ(receive(1, 0), ncclInProgress);
  pollUntilReady();
  EXPECT_FALSE(doneWithin(ranks[0], milliseconds(50)));
}

TEST_F(Ranks, InGroupsTheyDoNot) {
  open(2);
  for (const int rank : {0, 1}) {
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(send(rank, 1 - rank), ncclSuccess);
    EXPECT_EQ(receive(rank, 1 - rank), ncclSuccess);
    EXPECT_EQ(ncclGroupEnd(), ncclInProgress);
  }
  pollUntilReady();
  for (Rank &rank : ranks)
    EXPECT_TRUE(doneWithin(rank, milliseconds(5000)));
  EXPECT_EQ(ranks[0].received, 101);
  EXPECT_EQ(ranks[1].received, 100);
}

TEST_F(Ranks, SizesThatDifferAreAnError) {
  open(2);
  EXPECT_EQ(send(0, 1), ncclInProgress);
  EXPECT_EQ(receive(1, 0, 2), ncclInProgress);
  pollUntilReady();
  const auto end = std::chrono::steady_clock::now() + milliseconds(5000);
  while (stateOf(ranks[0]) == ncclSuccess && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(stateOf(ranks[0]), ncclInvalidArgument);
  EXPECT_EQ(stateOf(ranks[1]), ncclInvalidArgument);
}

TEST_F(Ranks, CollectivesWaitForAll) {
  open(3);
  std::vector<std::vector<float>> numbers(3, std::vector<float>(6));
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::size_t i = 0; i < 6; ++i)
      numbers[rank][i] = static_cast<float>(10 * rank + i);
  const auto reduce = [&](std::size_t rank) {
    float *own = numbers[rank].data();
    EXPECT_EQ(
        ncclReduceScatter(own, own + 2 * rank, 2, ncclFloat32, ncclSum, ranks[rank].communicator, ranks[rank].stream),
        ncclInProgress);
  };
  reduce(0);
  reduce(1);
  EXPECT_EQ(stateOf(ranks[0]), ncclInProgress);
  reduce(2);
  pollUntilReady();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(doneWithin(ranks[rank], milliseconds(5000)));
    for (std::size_t i = 2 * rank; i < 2 * rank + 2; ++i)
      EXPECT_EQ(numbers[rank][i], static_cast<float>(30 + 3 * i));
  }
}

TEST_F(Ranks, AbortFreesAStream) {
  open(2);
  EXPECT_EQ(send(0, 1), ncclInProgress);
  EXPECT_EQ(receive(1, 0), ncclInProgress);
  pollUntilReady();
  EXPECT_TRUE(doneWithin(ranks[1], milliseconds(5000)));
  EXPECT_EQ(receive(1, 0), ncclInProgress); // of what is never sent
  EXPECT_EQ(stateOf(ranks[1]), ncclSuccess);
  EXPECT_FALSE(doneWithin(ranks[1], milliseconds(20)));
  EXPECT_EQ(ncclCommAbort(ranks[1].communicator), ncclSuccess);
  EXPECT_TRUE(doneWithin(ranks[1], milliseconds(5000)));
  EXPECT_EQ(ncclCommAbort(ranks[0].communicator), ncclSuccess);
  for (Rank &rank : ranks)
    EXPECT_EQ(cudaStreamDestroy(rank.stream), cudaSuccess);
  ranks.clear();
}

} // namespace
} // namespace plumbline::standin
