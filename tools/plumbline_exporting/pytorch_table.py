"""From a PyTorch schedule's table to the rows of a CSV file."""

from collections.abc import Mapping

from .messages import Mistake, blaming
from .pytorch_actions import COMPUTE, LETTERS, OF_A_STAGE, OVERLAP, WAITS, parts, type_name
from .values import listed, shown, whole


def table_of(schedule, name, compute_only):
    """The dict from rank to actions, with messages if there are any."""
    if isinstance(schedule, Mapping):
        return schedule
    names = ["pipeline_order"] if compute_only else ["pipeline_order_with_comms", "pipeline_order"]
    for attribute in names:
        table = getattr(schedule, attribute, None)
        if isinstance(table, Mapping) and table:
            return table
    raise Mistake(f"{name} gave a {type(schedule).__name__}, which has no table; expected a dict from rank to actions, "
                  f"or an object with one in {' or '.join(names)}")


MOST_ACTIONS = 20_000_000  # of a rank; Plumbline's own bound on those of all


class Table:
    """A table of one size, to be printed. `tell` takes a sentence about what was left out."""

    def __init__(self, table, name, size, skip_unknown, tell):
        self.name = name
        self.size = size
        self.skip_unknown = skip_unknown
        self.tell = tell
        if sorted(table, key=str) != sorted(range(size.ranks), key=str):
            raise Mistake(f"{name} gave a table of the ranks {', '.join(repr(rank) for rank in table)}, and "
                          f"{size.ranks} ranks were asked for (they count from 0)")
        self.table = []
        for rank in range(size.ranks):
            with blaming(f"{name}, rank {rank}: its actions"):
                self.table.append(listed(table[rank], MOST_ACTIONS, f"{name}, rank {rank}"))
        self.halved = {self.key(part) for row in self.table for action in row for part in parts(action)
                       if type_name(part) in ("WEIGHT", "BACKWARD_WEIGHT")}
        self.left_out = {}

    def rows(self):
        """A list of cells for each rank."""
        rows = [self.row(rank, actions) for rank, actions in enumerate(self.table)]
        self.check_size()
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.left_out.items()))
        if counts:
            self.tell(f"{self.size}: left out {counts}")
        return rows

    def check_size(self):
        """Refuses a table of another size than was asked for: its file would pass for that of the size in its name."""
        computed = [part for row in self.table for action in row if action is not None for part in parts(action)
                    if type_name(part) in COMPUTE]
        for field, asked, what in (("stage_index", self.size.stages, "stages"),
                                   ("microbatch_index", self.size.microbatches, "microbatches")):
            found = 1 + max((whole(getattr(part, field, None)) for part in computed), default=-1)
            if found != asked:
                raise Mistake(f"{self.name} gave a table of {found} {what}, and {asked} were asked for")

    def row(self, rank, actions):
        cells = []
        returned = set()  # (stage, microbatch) whose backward pass came
        end = 1 + max((position for position, action in enumerate(actions)
                       if action is not None and type_name(action) not in WAITS), default=-1)
        for position, action in enumerate(actions):
            place = f"{self.name}, rank {rank}, action {position}"
            if action is None:
                cells.append("")
                continue
            if type_name(action) in WAITS:
                is_answered = type_name(action) == "WAIT_SEND_F" and self.key(action) in returned
                self.leave_out_wait(action, place, position >= end or is_answered)
                continue
            cell = self.cell(action, place)
            if cell is not None:
                cells.append(cell)
            returned.update(self.key(part) for part in parts(action)
                            if type_name(part) in ("FULL_BACKWARD", "BACKWARD", "BACKWARD_INPUT"))
        return cells

    def leave_out_wait(self, action, place, is_over):
        """`is_over`: a send's wait that can hold nothing up, since it ends the row, where sends are waited for anyhow,
        or comes after the backward pass for what was sent. Waits for gradients do not concern the pipeline's ranks."""
        name = type_name(action)
        if name != "WAIT_REDUCE_GRAD" and not is_over and not self.skip_unknown:
            raise Mistake(f"{place}: {name} of stage {action.stage_index}, microbatch {action.microbatch_index} may "
                          "hold up what follows it, which the CSV files that Plumbline reads cannot express "
                          "(--skip-unknown leaves it out)")
        self.count(name)

    def cell(self, action, place):
        """The action in today's notation; None to leave it out."""
        name = type_name(action)
        if name is None:
            raise Mistake(f"{place}: a {type(action).__name__} is no action; expected the fields stage_index, "
                          "computation_type (a member of PyTorch's enum) and microbatch_index")
        if name == OVERLAP:
            return self.overlap(action, place)
        letters = self.half_or_whole(action) if name == "BACKWARD" else LETTERS.get(name)
        if letters is None:
            if not self.skip_unknown:
                raise Mistake(f"{place}: unknown action {name}; Plumbline knows {', '.join(LETTERS)} and {OVERLAP} "
                              "(--skip-unknown leaves others out)")
            self.count(name)
            return None
        stage = self.checked(action, "stage_index", place)
        return f"{stage}{letters}" + ("" if name in OF_A_STAGE else self.checked(action, "microbatch_index", place))

    def overlap(self, action, place):
        inner = list(parts(action))
        if not inner or any(type_name(part) not in COMPUTE for part in inner):
            raise Mistake(f"{place}: expected {OVERLAP} to have forward and backward passes as sub_actions")
        return f"({';'.join(self.cell(part, place) for part in inner)}){OVERLAP}"

    def half_or_whole(self, action):
        """PyTorch up to 2.5 has one member for the whole backward pass and for its input half. It is the half where the
        other half is there too, or where the enum has another member for the whole."""
        has_other = hasattr(type(action.computation_type), "FULL_BACKWARD")
        return "I" if has_other or self.key(action) in self.halved else "B"

    def checked(self, action, field, place):
        value = getattr(action, field, None)
        if whole(value) is None:
            raise Mistake(f"{place}: {type_name(action)} has the {field} {shown(value)}; expected a number from 0")
        return str(whole(value))

    @staticmethod
    def key(action):
        return getattr(action, "stage_index", None), getattr(action, "microbatch_index", None)

    def count(self, what):
        self.left_out[what] = self.left_out.get(what, 0) + 1
