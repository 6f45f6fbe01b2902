"""Write abstract programs (``program.py``) in Fortran 90, with modules, and in Fortran 77, with COMMON and labels."""

from __future__ import annotations

from .program import (
    GRID,
    RECORD,
    ROWS,
    SCATTERED,
    Loop,
    Message,
    Phase,
    Place,
    Position,
    Printed,
    Program,
    Tail,
    Text,
    Work,
    messages,
)

_WIDTH, _WIDE = 72, 100  # maximum width of a line in fixed form, and in free form
_INNER = {
    Work.SMOOTH: "{a}(j) = 0.25d0 * {a}(j - 1) + 0.5d0 * {a}(j) + 0.25d0 * {a}(j + 1)",
    Work.POLYNOMIAL: "total = total + (((0.3d0 * {a}(j) + 0.5d0) * {a}(j) + 0.7d0) * {a}(j) + 0.01d0)",
    Work.QUOTIENT: "total = total + 1d0 / ({a}(j) + r)",
    Work.GRID: "total = total + {a}(start + j * along)",
    Work.CHASE: "at = {a}(at)",
}


def _size(loop: Loop) -> int:
    """Return the highest index of a loop's array, whose lowest index is 0."""
    sizes = {Work.GRID: GRID * GRID, Work.FILE: RECORD, Work.EXCHANGE: 2 * loop.field, Work.CHASE: loop.size}
    sizes[Work.PIECES] = 2 * max(loop.turns, default=0)
    return sizes.get(loop.work, loop.length + 2) - 1


class _Printer:
    """Writes a program in free form, with the statements of Fortran 90; a subclass writes fixed form."""

    suffix, use_mpi, long = "f90", "use mpi", "integer(kind=8)"

    def __init__(self, program: Program) -> None:
        self.program = program
        self.main = Text(f"main.{self.suffix}")
        self.module = Text(f"module.{self.suffix}")
        self.library = Text(f"lib/library.{self.suffix}")
        self.header = Text("inline.inc")
        self.positions: dict[tuple[str, int | None], tuple[Position, ...]] = {}
        self.unit = 20

    def print(self) -> Printed:
        """Return the sources of the program."""
        self._phases()
        steps = self._main()
        texts = (self.main, self.module, self.library, self.header)
        return Printed({each.file: str(each) for each in texts}, self.positions, steps)

    # ---- parts that the two forms write differently

    def _phases(self) -> None:
        homes = {Place.LIBRARY: self.library, Place.MODULE: self.module}
        for text, name in ((self.library, "deep"), (self.module, "far"), (self.main, "near")):
            here = [each for each in self.program.phases if homes.get(each.place, self.main) is text]
            text.add(f"module {name}", "  implicit none")
            for phase in here:
                text.add(*self._data(phase))
            text.add("contains")
            for phase in here:
                if phase.place is not Place.HEADER:
                    self._phase(phase, text)
            if text is self.main:
                text.add("include 'inline.inc'")
            text.add("end module", "")
        self.header.add("! Procedures of more than one program.")
        for phase in self.program.phases:
            if phase.place is Place.HEADER:
                self._phase(phase, self.header)

    def _line(self, text: Text, *lines: str) -> Position:
        """Add statements, with continuation lines if necessary; return the position of the first one."""
        first = None
        for line in lines:
            rest = line
            while len(rest) > _WIDE:
                at = rest.rindex(" ", 0, _WIDE)
                position = text.add(rest[:at] + " &")
                rest = "        " + rest[at:].strip()
                first = first or position
            position = text.add(rest)
            first = first or position
        assert first is not None
        return first

    def _data(self, phase: Phase) -> list[str]:
        lines = []
        for number, loop in enumerate(phase.loops):
            kind = "integer" if loop.work is Work.CHASE else "double precision"
            lines.append(f"  {kind} :: {phase.name}_{number}(0:{_size(loop)})")
            lines += [f"  integer :: at_{phase.name}_{number} = 0"] if loop.work is Work.CHASE else []
        return lines

    def _table(self, text: Text, name: str, values: tuple[int, ...]) -> None:
        """Write a constant array, unless it is empty: programs for any number of ranks have expressions instead."""
        if values:
            listed = ", ".join(map(str, values))
            self._line(text, f"    integer, parameter :: {name}(0:{len(values) - 1}) = (/ {listed} /)")

    def _head(self, text: Text, phase: Phase, head: str) -> Position:
        return text.add(f"  {head}")

    def _common(self, text: Text, phase: Phase) -> None:
        """Declare a phase's variables; in free form, the module declares them."""

    def _do(self, text: Text, variable: str, first: str, last: str, step: str = "") -> Position:
        return self._line(text, f"    do {variable} = {first}, {last}{', ' if step else ''}{step}")

    def _end_do(self, text: Text, count: int = 1) -> None:
        self._line(text, *["    end do"] * count)

    def _end(self, text: Text, what: str) -> None:
        text.add(f"  end {what}")

    # ---- one phase

    def _phase(self, phase: Phase, text: Text) -> None:
        integer, double = "    integer :: ", "    double precision :: "
        self._head(text, phase, f"subroutine prepare_{phase.name}(rank)")
        self._line(text, f"{integer}rank, i", f"    {self.long} :: factor, shift, long")
        self._common(text, phase)
        for number, loop in enumerate(phase.loops):
            if loop.scattered:
                self._table(text, f"scattered_{number}", tuple(map(int, loop.scattered)))
        for number, loop in enumerate(phase.loops):
            self._prepare(f"{phase.name}_{number}", number, loop, text)
        self._end(text, "subroutine")
        head = f"double precision function {phase.name}(step, rank)"
        self.positions[phase.name, None] = (self._head(text, phase, head),)
        if self.use_mpi.startswith("use"):
            text.add(f"    {self.use_mpi}")
        self._line(text, f"{integer}step, rank, ranks, before, after, pass, i, r, j, last, start, along, at, error")
        self._line(text, f"{double}total, other")
        if not self.use_mpi.startswith("use"):
            self._line(text, f"    {self.use_mpi}")
        self._common(text, phase)
        for number, loop in enumerate(phase.loops):
            self._table(
                text, f"turns_{number}", tuple(turns for each in loop.rounds or (loop.turns,) for turns in each)
            )
            if loop.more:
                self._table(text, f"more_{number}", loop.more)
        ranks, scales = self.program.ranks, self.program.scales
        before, after = messages(phase.tail, ranks, scales=scales)
        for each in (*before, *after):
            self._table(text, each.name, each.peers)
        if scales:
            self._call(text, "Comm_size(MPI_COMM_WORLD, ranks")
        else:
            self._line(text, f"    ranks = {ranks}")
        self._line(text, "    total = 0", "    before = mod(rank + ranks - 1, ranks)")
        self._line(text, "    after = mod(rank + 1, ranks)")
        for number, loop in enumerate(phase.loops):
            more = f" + step * more_{number}(rank)" if loop.more else ""
            of = f"mod(step, {len(loop.rounds)}) * {ranks} + rank" if loop.rounds else "rank"
            self._line(text, f"    last = {loop.formula or f'turns_{number}({of}){more}'}")
            self.positions[phase.name, number] = self._passes(phase, number, loop, text)
        self._tail(phase.tail, text)
        self._line(text, f"    {phase.name} = total * 1d-6")
        self._end(text, "function")

    def _passes(self, phase: Phase, number: int, loop: Loop, text: Text) -> tuple[Position, ...]:
        """Write a loop. If ranks execute it one after another, write its passes and the messages around it, too."""
        a = f"{phase.name}_{number}"
        if number != phase.in_turn:
            return self._loop(a, loop, text)
        before, after = messages(phase.tail, self.program.ranks, scales=self.program.scales)
        passes = self._do(text, "pass", "0", str(phase.passes - 1)) if phase.passes > 1 else None
        of = "rank" if passes is None else f"mod(pass, 2) * {self.program.ranks} + rank"
        self._messages(before, of, text)
        positions = self._loop(a, loop, text)
        self._messages(after, of, text)
        if passes:
            self._end_do(text)
            positions += (passes,)
        return positions

    def _messages(self, some: list[Message], of: str, text: Text) -> None:
        for each in some:
            peer = each.formula or f"{each.name}({of})"
            name, last = ("Send", "") if each.sends else ("Recv", ", MPI_STATUS_IGNORE")
            self._line(text, f"    if ({peer} >= 0) then")
            self._call(text, f"{name}(total, 1, MPI_DOUBLE_PRECISION, {peer}, 3, MPI_COMM_WORLD{last}")
            self._line(text, "    end if")

    def _call(self, text: Text, call: str) -> None:
        self._line(text, f"    call MPI_{call}, error)")

    def _prepare(self, a: str, number: int, loop: Loop, text: Text) -> None:
        if loop.work is Work.CHASE:
            factor, shift = SCATTERED
            self._line(text, "    factor = 1", "    shift = 1", f"    if (scattered_{number}(rank) == 1) then")
            self._line(text, f"      factor = {factor}", f"      shift = {shift}", "    end if")
        self._do(text, "i", "0", str(_size(loop)))
        if loop.work is Work.CHASE:
            self._line(text, "      long = i", f"      {a}(i) = int(mod(long * factor + shift, {loop.size}_8))")
        else:
            self._line(text, f"      {a}(i) = 0.5d0 + 1d0 / (2 + mod(i, 1000) + rank)")
        self._end_do(text)
        if loop.work is Work.FILE:
            self.unit += 1
            self._line(
                text,
                f"    open (unit={self.unit}, status='scratch', access='direct', form='unformatted', "
                f"recl={8 * RECORD})",
            )

    def _loop(self, a: str, loop: Loop, text: Text) -> tuple[Position, ...]:
        second: tuple[Position, ...] = ()
        match loop.work:
            case Work.FILE:
                position = self._do(text, "r", "0", "last - 1")
                self._line(text, f"      write (unit={self.unit}, rec=1 + mod(r, 4)) {a}")
                self._line(
                    text, f"      read (unit={self.unit}, rec=1 + mod(r, 4)) {a}", f"      total = total + {a}(r)"
                )
                self._end_do(text)
            case Work.EXCHANGE:
                position = self._do(text, "r", "0", "last - 1")
                kind = "MPI_DOUBLE_PRECISION"
                self._call(
                    text,
                    f"Sendrecv({a}(0), {loop.length}, {kind}, after, 1, {a}({loop.field}), {loop.length}, {kind}, "
                    "before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE",
                )
                self._line(text, f"      total = total + {a}({loop.field} + r)")
                self._end_do(text)
            case Work.PIECES:
                many, whole = f"{loop.length}, MPI_DOUBLE_PRECISION", loop.length == max(loop.turns)
                position = self._do(text, "r", "0", "last - 1", str(loop.length))
                if whole:  # so long a message is not buffered, so the same call must receive the other rank's
                    received = f"{a}(last + r), {many}, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE"
                    self._call(text, f"Sendrecv({a}(r), {many}, after, 2, {received}")
                else:
                    self._call(text, f"Send({a}(r), {many}, after, 2, MPI_COMM_WORLD")
                self._end_do(text)
                second = (self._do(text, "r", "0", "last - 1", str(loop.length)),)
                if not whole:
                    self._call(text, f"Recv({a}(last + r), {many}, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE")
                self._line(text, f"      total = total + {a}(last + r)")
                self._end_do(text)
            case Work.THREADS:
                position = text.add("!$omp parallel do schedule(static) reduction(+:total) private(r,j)")
                second = (self._do(text, "i", "0", str(ROWS - 1)),)
                self._do(text, "r", "0", f"last - 1 + i * {loop.slope}")
                self._do(text, "j", "0", str(loop.length - 1))
                self._line(text, f"      {_INNER[Work.POLYNOMIAL].format(a=a)}")
                self._end_do(text, 3)
            case _:
                position = self._computing(a, loop, text)
        return position, *second

    def _computing(self, a: str, loop: Loop, text: Text) -> Position:
        if loop.work is Work.CHASE:
            self._line(text, f"    at = at_{a}")
        position = self._do(text, "r", "0", "last - 1")
        if loop.work is Work.GRID:
            across, along = (1, GRID) if any(loop.scattered) else (GRID, 1)
            self._line(text, f"      start = mod(r, {GRID}) * {across}", f"      along = {along}")
        first = 1 if loop.work is Work.SMOOTH else 0
        self._do(text, "j", str(first), str(loop.length - 1 + first))
        self._line(text, f"      {_INNER[loop.work].format(a=a)}")
        self._end_do(text)
        if loop.work is Work.SMOOTH:
            self._line(text, f"      total = total + {a}(mod(r, {loop.length}))")
        self._end_do(text)
        if loop.work is Work.CHASE:
            self._line(text, f"    at_{a} = at", "    total = total + at")
        return position

    def _tail(self, tail: Tail, text: Text) -> None:
        kind = "MPI_DOUBLE_PRECISION"
        match tail:
            case Tail.BROADCAST:
                self._call(text, f"Bcast(total, 1, {kind}, 0, MPI_COMM_WORLD")
            case Tail.RING:
                sent = f"Sendrecv(total, 1, {kind}, after, 4, other, 1, {kind}, before, 4"
                self._call(text, f"{sent}, MPI_COMM_WORLD, MPI_STATUS_IGNORE")
                self._line(text, "    total = total + other")
            case Tail.REDUCTION:
                self._call(text, f"Allreduce(total, other, 1, {kind}, MPI_SUM, MPI_COMM_WORLD")
                self._line(text, "    total = other")

    # ---- the main program

    def _procedure(self, text: Text, head: str, declarations: tuple[str, ...]) -> None:
        """Write the beginning of a procedure that calls all phases."""
        text.add(head, *(f"  {each}" for each in ("use mpi", "use deep", "use far", "use near", "implicit none")))
        text.add(*(f"  {each}" for each in declarations))

    def _main(self) -> Position:
        text, program = self.main, self.program
        body = [f"total = total + {phase.name}(step, rank)" for phase in program.phases]
        body.append("call MPI_Allreduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)")
        body.append(f"total = all / {program.ranks}")
        numbers = ("integer :: step, rank, error", "double precision :: total, all")
        if program.layout == "advance":
            self._procedure(text, "subroutine advance(step, rank, total)", numbers)
            self._line(text, *(f"    {each}" for each in body))
            self._end(text, "subroutine")
            body = ["call advance(step, rank, total)"]

        def loop() -> Position:
            self._line(text, "    total = 0")
            position = self._do(text, "step", "0", str(program.steps - 1))
            self._line(text, *(f"      {each}" for each in body))
            self._end_do(text)
            return position

        steps = None
        if program.layout == "solve":
            self._procedure(text, "subroutine solve(rank, total)", numbers)
            steps = loop()
            self._end(text, "subroutine")
        numbers = ("integer :: step, rank, ranks, error", "double precision :: total, all")
        self._procedure(text, "program phases", numbers)
        self._line(text, "    call MPI_Init(error)", "    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)")
        self._line(text, "    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)")
        wrong = ">" if program.scales else "/="
        self._line(text, f"    if (ranks {wrong} {program.ranks}) call MPI_Abort(MPI_COMM_WORLD, 1, error)")
        self._line(text, *(f"    call prepare_{phase.name}(rank)" for phase in program.phases))
        if steps is None:
            steps = loop()
        else:
            self._line(text, "    call solve(rank, total)")
        self._line(text, "    if (rank == 0) print '(a, es16.8)', 'total', total", "    call MPI_Finalize(error)")
        self._end(text, "program")
        return steps


class _FixedPrinter(_Printer):
    """Writes a program in fixed form: capital letters, labels, and COMMON blocks instead of modules."""

    suffix, use_mpi, long = "f", "include 'mpif.h'", "integer*8"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.label = 100
        self.open: list[int] = []

    def _phases(self) -> None:
        for phase in self.program.phases:
            homes = {Place.LIBRARY: self.library, Place.MODULE: self.module, Place.HEADER: self.header}
            self._phase(phase, homes.get(phase.place, self.main))

    def _line(self, text: Text, *lines: str) -> Position:
        first = None
        for line in lines:
            statement = "      " + line.strip().replace(" :: ", " ").replace("_8))", "))")
            while len(statement) > _WIDTH:
                at = statement.rindex(" ", 0, _WIDTH)
                position = text.add(_capital(statement[:at]))
                statement = "     & " + statement[at:].strip()
                first = first or position
            position = text.add(_capital(statement))
            first = first or position
        assert first is not None
        return first

    def _head(self, text: Text, phase: Phase, head: str) -> Position:
        position = self._line(text, head)
        self._line(text, "implicit none")
        return position

    def _common(self, text: Text, phase: Phase) -> None:
        for number, loop in enumerate(phase.loops):
            a = f"{phase.name}_{number}"
            kind = "integer" if loop.work is Work.CHASE else "double precision"
            self._line(text, f"{kind} {a}(0:{_size(loop)})")
            if loop.work is Work.CHASE:
                self._line(text, f"integer at_{a}")
            self._line(text, f"common /c_{a}/ {f'at_{a}, ' if loop.work is Work.CHASE else ''}{a}")

    def _table(self, text: Text, name: str, values: tuple[int, ...]) -> None:
        if values:
            self._line(text, f"integer {name}(0:{len(values) - 1})", f"data {name} /{', '.join(map(str, values))}/")

    def _do(self, text: Text, variable: str, first: str, last: str, step: str = "") -> Position:
        self.label += 10
        self.open.append(self.label)
        return self._line(text, f"do {self.label} {variable} = {first}, {last}{', ' if step else ''}{step}")

    def _end_do(self, text: Text, count: int = 1) -> None:
        for _ in range(count):
            text.add(f"{self.open.pop():5d} CONTINUE")

    def _end(self, text: Text, what: str) -> None:
        text.add("      END", "")

    def _procedure(self, text: Text, head: str, declarations: tuple[str, ...]) -> None:
        self._line(text, head, "implicit none", "include 'mpif.h'", *declarations)
        if not head.startswith("program") or self.program.layout == "main":
            for phase in self.program.phases:
                self._line(text, f"double precision {phase.name}")
        self._line(text, "external " + ", ".join(f"prepare_{phase.name}" for phase in self.program.phases))

    def _main(self) -> Position:
        position = super()._main()
        self.main.add("      INCLUDE 'inline.inc'")
        self.header.add("C     Procedures of more than one program.")
        return position


def _capital(statement: str) -> str:
    """Return a statement in capital letters, except for text in quotes."""
    parts = statement.split("'")
    return "'".join(part if number % 2 else part.upper() for number, part in enumerate(parts))


def print_f77(program: Program) -> Printed:
    """Return the sources of the program in Fortran 77."""
    return _FixedPrinter(program).print()


def print_f90(program: Program) -> Printed:
    """Return the sources of the program in Fortran 90."""
    return _Printer(program).print()
