#include "verifier/model/event_graph.h"

#include "verifier/ir/pir_parse.h"
#include "verifier/model/cycle.h"
#include "verifier/model/order.h"
#include "verifier/model/reach.h"

#include "gtest/gtest.h"

namespace plumbline::model {
namespace {

Program parse(const std::string &text) {
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\nmode fragment\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().line << ": " << program.error().message;
  return *program;
}

// rank 0 computes and sends twice, rank 1 receives twice and computes.
const char *const twoMessages = "rank 0 {\n %a = compute\n send_message to 1 label \"x\" bytes 8 wait %a\n"
                                " send_message to 1 label \"y\" bytes 8\n}\n"
                                "rank 1 {\n receive_message from 0 label \"x\" bytes 8\n"
                                " %y = receive_message from 0 label \"y\" bytes 8\n compute wait %y\n}\n";

std::size_t count(const EventGraph &graph, Reason reason) {
  std::size_t n = 0;
  for (const Edge &edge : graph.edges)
    n += edge.reason == reason ? 1 : 0;
  return n;
}

TEST(EventGraph, NcclLanes) {
  const EventGraph graph = buildEventGraph(parse(twoMessages), Options());
  EXPECT_EQ(graph.eventCount(), 12U);
  EXPECT_EQ(graph.units.laneCount(), 4U);
  EXPECT_EQ(count(graph, Reason::duration), 6U);
  EXPECT_EQ(count(graph, Reason::lane), 2U);
  EXPECT_EQ(count(graph, Reason::wait), 2U);
  EXPECT_EQ(count(graph, Reason::rendezvous), 4U);
}

TEST(EventGraph, BlockingHasOneLaneARank) {
  Options options;
  options.kind = Kind::blocking;
  const EventGraph graph = buildEventGraph(parse(twoMessages), options);
  EXPECT_EQ(graph.units.laneCount(), 2U);
  EXPECT_EQ(count(graph, Reason::lane), 4U);
  EXPECT_EQ(count(graph, Reason::wait), 0U); // lane order has it already
}

TEST(EventGraph, RoomInMessagesAndBytes) {
  Options options;
  options.room = 1;
  EventGraph graph = buildEventGraph(parse(twoMessages), options);
  EXPECT_EQ(count(graph, Reason::rendezvous), 0U);
  EXPECT_EQ(count(graph, Reason::arrival), 2U);
  EXPECT_EQ(count(graph, Reason::room), 1U); // the second send waits for the first receive
  options.roomBytes = 16;                    // both fit
  EXPECT_EQ(count(buildEventGraph(parse(twoMessages), options), Reason::room), 0U);
  options.roomBytes = 15;
  EXPECT_EQ(count(buildEventGraph(parse(twoMessages), options), Reason::room), 1U);
  options.roomBytes = 7; // neither fits
  EXPECT_EQ(count(buildEventGraph(parse(twoMessages), options), Reason::rendezvous), 2U);
  options.kind = Kind::mpi;
  options.roomBytes = 8; // both are eager
  graph = buildEventGraph(parse(twoMessages), options);
  EXPECT_EQ(count(graph, Reason::rendezvous) + count(graph, Reason::room), 0U);
}

TEST(EventGraph, GatesAndConnections) {
  Options options;
  options.wait = Wait::group;
  EXPECT_EQ(count(buildEventGraph(parse(twoMessages), options), Reason::gate), 1U); // before rank 1's computation
  options.wait = Wait::use;
  options.connect = Connect::firstUse;
  const EventGraph graph = buildEventGraph(parse(twoMessages), options);
  EXPECT_EQ(count(graph, Reason::connectPartner), 2U);
  EXPECT_EQ(count(graph, Reason::connect), 5U); // all but what rank 0 issues first
}

TEST(EventGraph, MissingPartnersAreImpossible) {
  const Program lonely = parse("rank 0 {\n send_message to 1 label \"x\"\n}\nrank 1 {\n compute\n}\n");
  EXPECT_EQ(buildEventGraph(lonely, Options()).impossible.size(), 1U);
  Options options;
  options.room = 1;
  EXPECT_TRUE(buildEventGraph(lonely, options).impossible.empty());
  const EventGraph graph = buildEventGraph(lonely, Options());
  const Order order = orderEvents(graph);
  EXPECT_FALSE(order.complete(graph));
  EXPECT_EQ(order.sequence.size(), 3U); // the send begins, the computation begins and ends
  EXPECT_TRUE(findKnots(graph, order).empty());
}

TEST(Order, EveryEdgeLeadsToAHigherPosition) {
  const EventGraph graph = buildEventGraph(parse(twoMessages), Options());
  const Order order = orderEvents(graph);
  ASSERT_TRUE(order.complete(graph));
  for (const Edge &edge : graph.edges)
    EXPECT_LT(order.position[edge.from], order.position[edge.to]);
  EXPECT_EQ(order.levelStarts.back(), graph.eventCount());
}

TEST(Order, ExtraEdgesCanCloseACycle) {
  const EventGraph graph = buildEventGraph(parse(twoMessages), Options());
  const ExtraEdge back{graph.end(InstructionId(5)), graph.begin(InstructionId(0)), false};
  EXPECT_FALSE(orderEvents(graph, back).complete(graph));
}

TEST(Reach, AgreesWithPaths) {
  const EventGraph graph = buildEventGraph(parse(twoMessages), Options());
  const Order order = orderEvents(graph);
  const LaneReach compute(graph, order, graph.units.units[0].lane);
  const Event last = graph.begin(InstructionId(5)); // rank 1's computation
  EXPECT_EQ(compute.endedBefore(last), 1U);
  EXPECT_EQ(compute.path(last).back().to, last);
  EXPECT_TRUE(pathExists(graph, order, graph.end(InstructionId(0)), last));
  EXPECT_FALSE(pathExists(graph, order, graph.end(InstructionId(2)), last)); // a send's end tells nobody
}

TEST(Cycle, HasTheFewestWaits) {
  // Ranks 0 and 1 wait for each other; rank 2 makes a longer way round.
  const EventGraph graph =
      buildEventGraph(parse("rank 0 {\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n"
                            " receive_message from 2 label \"c\"\n}\n"
                            "rank 1 {\n send_message to 0 label \"b\"\n send_message to 2 label \"d\"\n"
                            " receive_message from 0 label \"a\"\n}\n"
                            "rank 2 {\n receive_message from 1 label \"d\"\n send_message to 0 label \"c\"\n}\n"),
                      Options());
  const Order order = orderEvents(graph);
  const auto knots = findKnots(graph, order);
  ASSERT_EQ(knots.size(), 1U);
  bool exact = false;
  const std::vector<Edge> cycle = shortestCycle(graph, knots[0], 1'000'000, &exact);
  EXPECT_TRUE(exact);
  std::size_t waits = 0;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    EXPECT_EQ(cycle[k].to, cycle[(k + 1) % cycle.size()].from);
    waits += isWaitStep(cycle[k].reason) ? 1 : 0;
  }
  EXPECT_EQ(waits, 2U);
}

} // namespace
} // namespace plumbline::model
