plumbline ir 1
rank 0 {
  group {
  %a = forward s0 wait %a