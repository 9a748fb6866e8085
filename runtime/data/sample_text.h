// A text to train on where the user brings none.
#pragma once

namespace plumbline::runtime {

inline constexpr const char *sampleText =
    "A pipeline is a promise between people who never meet. Each of them takes what the one before has left, does one "
    "thing to it, and leaves it for the one behind. Nobody sees the whole. What holds it together is the order in "
    "which "
    "things are taken and left, and the places where they lie in between.\n"
    "The first one says: here is a piece, and here is another. The second one says: I am still busy with the first. "
    "The "
    "last one says: it was wrong by so much, tell the others. And so word goes back, hand to hand, and each one learns "
    "a "
    "little, and hopes that the place where the word was left has not been filled with something else meanwhile.\n"
    "If two of them wait for each other, nothing moves, and nobody is to blame, for each did what was written. If one "
    "place serves two things at once, everything moves, and the work is spoiled, and nobody knows. The first is found "
    "in an hour, by silence. The second is found in a month, or never.\n"
    "So read the order before you follow it. Ask of every place: who leaves something here, who takes it, and can the "
    "next one come too early? Ask of every wait: who ends it, and whom does that one wait for? The questions are dull, "
    "and there are very many. That is why they are asked by a machine.\n";

} // namespace plumbline::runtime
