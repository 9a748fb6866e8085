world = []


def is_initialized():
    return bool(world)


def init_process_group(backend, rank, world_size, store):
    assert backend == "fake" and rank == 0 and store is not None and not world
    world.append(world_size)


def destroy_process_group():
    world.clear()


def get_world_size():
    return world[0]
