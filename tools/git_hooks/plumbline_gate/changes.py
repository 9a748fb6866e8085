"""Which schedules differ between two trees. A schedule is a file together with its fused launches, X.batches.csv."""

import collections

BATCHES = b".batches.csv"

# A schedule that is to be judged: its path before (None: it is new) and after (None: it is gone).
Change = collections.namedtuple("Change", "before after")


class Tree:
    """What one tree holds: all its entries, and which of the selected paths are schedules in it."""

    def __init__(self, entries, selected):
        self.entries = entries
        self.schedules = {self.schedule_of(path) for path in selected} & set(entries)

    def schedule_of(self, path):
        """The schedule that a path is part of: itself, but for fused launches."""
        owner = path[:-len(BATCHES)] + b".csv" if path.endswith(BATCHES) else path
        return owner if owner in self.entries else path

    def parts(self, path):
        """The paths of a schedule and of its fused launches, as far as they exist."""
        return [part for part in (path, batches_of(path)) if part in self.entries]

    def content(self, path):
        """Equal for two schedules exactly if they are the same; executable or not is no difference."""
        return [(kind(self.entries[part]), self.entries[part][1]) for part in self.parts(path)]


def batches_of(path):
    return path[:-len(b".csv")] + BATCHES if path.endswith(b".csv") else None


def kind(entry):
    return {"120000": "a symbolic link", "160000": "a submodule"}.get(entry[0], "a file")


def between(base, new, renamed):
    """The changes from one Tree to another, by path; `renamed` leads from new to old paths.

    Schedules are compared under the new path. Where fused launches cannot stand beside that, the old schedule would be
    judged without them, and look worse than it was: then the new one has to stand for itself.
    """
    renamed = {after: before for after, before in renamed.items()
               if before in base.schedules and after in new.schedules and
               (batches_of(after) or len(base.parts(before)) == 1)}
    changes = []
    for after in new.schedules:
        before = renamed.get(after, after)
        if before not in base.schedules:
            changes.append(Change(None, after))
        elif base.content(before) != new.content(after):
            changes.append(Change(before, after))
    gone = base.schedules - new.schedules - set(renamed.values())
    # Fused launches that have found their schedule are still there.
    gone = {before for before in gone if new.schedule_of(before) not in new.schedules}
    changes += [Change(before, None) for before in gone]
    return sorted(changes, key=lambda change: change.after or change.before)
