class FakeStore:
    pass
