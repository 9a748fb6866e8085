plumbline ir 1
rank 0 {
  forward s999999 m999999
}
