plumbline ir 1 ; every part of the grammar
name "a \"b\" \x01"
mode fragment
execution blocking
waits_for_groups
replicas 2
stages 2
microbatches 4
groups 3
file 0 "a.csv"
communicator pipeline
communicator "pair 0-1" members 0 1 room 2
communicator "pair 0-1"
stage 0 on rank 0
stage 1 on no rank
pool inputs on rank 0 declared 2 declaration 0

rank 0 {
  pool inputs declared 3
  %load = load_microbatch s0 m0 write inputs#0[0]:input, inputs#1[2]:labels(s1,-) at 0:1:1
  forward s0 m0 read inputs#0[0]:input write inputs#1[0]:output wait %load
  group {
    send_message s0 m0 to 1 via "pair 0-1"#1 label "ids" bytes 18446744073709551615 type bf16 read inputs#0[0]:other(-,m3)
  }
  group 2 {
    receive_gradient from 1
  }
}
rank 1 {
  broadcast root 0
  optimizer_step peer 0
}
