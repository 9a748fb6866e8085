// The families of the library. A new one is a file that defines a Family, and a line here and in library.cc.
#pragma once

#include "schedules/family/family.h"

namespace plumbline::schedules {

extern const Family chimera;
extern const Family deepspeedInference;
extern const Family deepspeedTrain;
extern const Family dualpipe;
extern const Family dualpipeV;
extern const Family forwardOnly;
extern const Family gpipe;
extern const Family groupInterleavedZeroBubble;
extern const Family hanayo;
extern const Family interleavedOneForwardOneBackward;
extern const Family interleavedZeroBubble;
extern const Family loopedBreadthFirst;
extern const Family oneForwardOneBackward;
extern const Family oneForwardOneBackwardV;
extern const Family pipedream;
extern const Family pipedream2bw;
extern const Family sequenceOneForwardOneBackward;
extern const Family vHalf;
extern const Family vMin;
extern const Family zeroBubbleH1;
extern const Family zeroBubbleH2;
extern const Family zeroBubbleV;

} // namespace plumbline::schedules
