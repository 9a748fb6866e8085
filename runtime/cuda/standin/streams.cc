#include "runtime/cuda/standin/streams.h"

#include "runtime/cuda/standin/state.h"
#include "runtime/operations/random.h"

#include <map>
#include <set>
#include <vector>

namespace plumbline::standin {
namespace {

struct Queues {
  std::mutex mutex;
  std::set<Queue *> all;
};
Queues &queues() {
  static auto *const all = new Queues(); // default streams are static too
  return *all;
}

} // namespace

Queue::Queue(int device) : device_(device), number_(state().queues++), thread_([this] { live(); }) {
  const std::scoped_lock lock(queues().mutex);
  queues().all.insert(this);
}

Queue::~Queue() {
  {
    const std::scoped_lock lock(queues().mutex);
    queues().all.erase(this);
  }
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Queue::put(Item item) {
  {
    const std::scoped_lock lock(mutex_);
    items_.push_back(std::move(item));
  }
  changed_.notify_all();
}

void Queue::enqueue(std::function<void()> work) { put({std::move(work), nullptr}); }

void Queue::enqueueKernel(std::function<void()> work) {
  if (const std::size_t most = settings().mostPending; most > 0) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < most; });
  }
  enqueue(std::move(work));
}

std::shared_ptr<Signal> Queue::mark() {
  auto signal = std::make_shared<Signal>();
  put({nullptr, signal});
  return signal;
}

bool Queue::idle() {
  const std::scoped_lock lock(mutex_);
  return items_.empty() && !busy_;
}

void Queue::live() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return leaving_ || !items_.empty(); });
    if (items_.empty())
      return;
    const Item item = std::move(items_.front());
    items_.pop_front();
    busy_ = true;
    lock.unlock();
    changed_.notify_all(); // there is room
    putOff();
    if (item.work)
      item.work();
    lock.lock();
    busy_ = false;
    if (item.signal)
      item.signal->set(); // whoever waited for it then finds the queue idle
  }
}

void Queue::putOff() {
  const Settings now = settings();
  const auto most = static_cast<std::uint64_t>(now.mostDelay.count());
  if (most > 0) // some for long, most hardly
    if (const std::uint64_t random = operations::mix(operations::mix(now.seed, number_), done_++); random % 4 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds((random >> 8) % most));
}

void waitForAll(int device) {
  std::vector<std::shared_ptr<Signal>> marks;
  {
    const std::scoped_lock lock(queues().mutex);
    for (Queue *queue : queues().all)
      if (queue->device() == device)
        marks.push_back(queue->mark());
  }
  for (const auto &mark : marks)
    mark->wait();
}

Queue &queueOf(void *stream) {
  if (stream)
    return *static_cast<CUstream_st *>(stream);
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<Queue>> defaults;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<Queue> &queue = defaults[currentDevice()];
  if (!queue)
    queue = std::make_unique<Queue>(currentDevice());
  return *queue;
}

} // namespace plumbline::standin
