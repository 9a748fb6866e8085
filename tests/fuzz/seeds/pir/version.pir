plumbline ir 2
