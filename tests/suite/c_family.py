"""Write abstract programs (``program.py``) as sources in C and, with a class for each phase, in C++."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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

_INNER = {
    Work.SMOOTH: "{a}[j + 1] = 0.25 * {a}[j] + 0.5 * {a}[j + 1] + 0.25 * {a}[j + 2];",
    Work.POLYNOMIAL: "{sum} += ((0.3 * {a}[j] + 0.5) * {a}[j] + 0.7) * {a}[j] + 0.01;",
    Work.QUOTIENT: "{sum} += 1.0 / ({a}[j] + r);",
    Work.GRID: "{sum} += {a}[start + j * along];",
    Work.CHASE: "at = {a}[at];",
}


class _Printer:
    suffix, header_suffix, cxx = "c", "h", False

    def __init__(self, program: Program) -> None:
        self.program = program
        self.main = Text(f"main.{self.suffix}")
        self.module = Text(f"module.{self.suffix}")
        self.library = Text(f"lib/library.{self.suffix}")
        self.header = Text(f"inline.{self.header_suffix}")
        self.declared = Text(f"phases.{self.header_suffix}")
        self.positions: dict[tuple[str, int | None], tuple[Position, ...]] = {}

    def print(self) -> Printed:
        """Return the sources of the program."""
        self._begin()
        for phase in self.program.phases:
            self._phase(phase, self._home(phase.place))
        steps = self._main()
        for each in (self.header, self.declared):
            each.add("#endif")
        texts = (self.main, self.module, self.library, self.header, self.declared)
        return Printed({each.file: str(each) for each in texts}, self.positions, steps)

    def _home(self, place: Place) -> Text:
        return {Place.LIBRARY: self.library, Place.HEADER: self.header, Place.MODULE: self.module}.get(place, self.main)

    def _begin(self) -> None:
        for each, guard in ((self.header, "INLINE_H"), (self.declared, "PHASES_H")):
            each.add(f"#ifndef {guard}", f"#define {guard}")
        self.declared.add("#include <mpi.h>", "#include <stdio.h>", *(["#include <vector>"] if self.cxx else []))
        self.declared.add("#include <stdlib.h>", f"enum {{ RANKS = {self.program.ranks} }};")
        self.header.add(f'#include "phases.{self.header_suffix}"')
        for each in (self.main, self.module, self.library):
            each.add(f'#include "phases.{self.header_suffix}"')
        self.main.add(f'#include "inline.{self.header_suffix}"')

    # ---- one phase

    def _phase(self, phase: Phase, text: Text) -> None:
        members = [line for number, loop in enumerate(phase.loops) for line in self._data(phase.name, number, loop)]
        storage = "static inline " if phase.place is Place.HEADER else ""
        signatures = f"void prepare_{phase.name}(int rank)", f"double {phase.name}(int step, int rank)"
        text.add("", *(f"static {each}" for each in members))
        if not storage:
            self.declared.add(*(f"{each};" for each in signatures))
        text.add(f"{storage}{signatures[0]}", "{")
        self._prepare(phase, text)
        text.add("}", "")
        self.positions[phase.name, None] = (text.add(f"{storage}{signatures[1]}", "{"),)
        self._body(phase, text)
        text.add("}")

    def _data(self, phase: str, number: int, loop: Loop) -> list[str]:
        name = f"{phase}_{number}"
        match loop.work:
            case Work.CHASE:
                return [f"int {name}[{loop.size}];", f"int at_{name};"]
            case Work.GRID:
                return [f"double {name}[{GRID * GRID}];"]
            case Work.FILE:
                return [f"double {name}[{RECORD}];", f"FILE *file_{name};"]
            case Work.EXCHANGE:
                return [f"double {name}[{2 * loop.field}];"]
            case Work.PIECES:
                return [f"double {name}[{2 * max(loop.turns)}];"]
            case _:
                return [f"double {name}[{loop.length + 2}];"]

    def _prepare(self, phase: Phase, text: Text) -> None:
        for number, loop in enumerate(phase.loops):
            a = f"{phase.name}_{number}"
            if loop.work is Work.CHASE:
                table = ", ".join(str(int(each)) for each in loop.scattered)
                text.add(f"    static const int scattered_{number}[RANKS] = {{{table}}};")
                text.add(f"    long long factor_{number} = scattered_{number}[rank] ? {SCATTERED[0]} : 1;")
                text.add(f"    long long shift_{number} = scattered_{number}[rank] ? {SCATTERED[1]} : 1;")
                text.add(f"    for (int i = 0; i < {loop.size}; i++) {{")
                text.add(f"        {a}[i] = (int)((i * factor_{number} + shift_{number}) & {loop.size - 1});", "    }")
                continue
            sizes = {Work.GRID: GRID * GRID, Work.FILE: RECORD, Work.EXCHANGE: 2 * loop.field}
            size = sizes.get(loop.work, loop.length + 2)
            size = 2 * max(loop.turns) if loop.work is Work.PIECES else size
            text.add(f"    for (int i = 0; i < {size}; i++) {{")
            text.add(f"        {a}[i] = 0.5 + 1.0 / (2 + i % 1000 + rank);", "    }")
            if loop.work is Work.FILE:
                text.add(f"    file_{a} = tmpfile();", f"    if (file_{a} == NULL) {{", "        abort();", "    }")
        if not any(loop.work is not Work.CHASE for loop in phase.loops):
            text.add("    (void)rank;")

    def _body(self, phase: Phase, text: Text) -> None:
        scales = self.program.scales
        text.add(*(["    int ranks;", "    MPI_Comm_size(MPI_COMM_WORLD, &ranks);"] if scales else []))
        for number, loop in enumerate(() if scales else phase.loops):
            rounds = loop.rounds or (loop.turns,)
            text.add(_table(f"turns_{number}", [turns for each in rounds for turns in each], len(rounds)))
            text.add(*([_table(f"more_{number}", loop.more)] if loop.more else []))
        ranks = "ranks" if scales else "RANKS"
        text.add(
            "    double sum = 0;", f"    int before = (rank + {ranks} - 1) % {ranks}, after = (rank + 1) % {ranks};"
        )
        for number, loop in enumerate(phase.loops):
            of = f"step % {len(loop.rounds)} * RANKS + rank" if loop.rounds else "rank"
            more = f" + step * more_{number}[rank]" if loop.more else ""
            text.add(f"    int last_{number} = {loop.formula or f'turns_{number}[{of}]{more}'};")
            self._passes(phase, number, loop, text)
        self._tail(phase.tail, text)
        text.add("    (void)before;", "    (void)after;", "    (void)step;", "    return sum * 1e-6;")

    def _passes(self, phase: Phase, number: int, loop: Loop, text: Text) -> None:
        """Write a loop. If ranks execute it one after another, write its passes and the messages around it, too."""
        if number != phase.in_turn:
            self._loop(phase, number, loop, text)
            return
        before, after = messages(phase.tail, self.program.ranks, scales=self.program.scales)
        text.add(*(_table(each.name, each.peers, 2) for each in (*before, *after) if each.peers))
        passes = text.add(f"    for (int pass = 0; pass < {phase.passes}; pass++) {{") if phase.passes > 1 else None
        of = "rank" if passes is None else "pass % 2 * RANKS + rank"
        self._messages(before, of, text)
        self._loop(phase, number, loop, text)
        self._messages(after, of, text)
        if passes:
            text.indent(passes.line)
            text.add("    }")
            self.positions[phase.name, number] += (passes,)

    def _messages(self, some: list[Message], of: str, text: Text) -> None:
        for each in some:
            peer = each.formula or f"{each.name}[{of}]"
            first, last = ("Send", "") if each.sends else ("Recv", ", MPI_STATUS_IGNORE")
            text.add(f"    if ({peer} >= 0) {{")
            text.add(f"        MPI_{first}(&sum, 1, MPI_DOUBLE, {peer}, 3, MPI_COMM_WORLD{last});", "    }")

    def _loop(self, phase: Phase, number: int, loop: Loop, text: Text) -> None:
        a, last = f"{phase.name}_{number}", f"last_{number}"
        second: tuple[Position, ...] = ()
        match loop.work:
            case Work.FILE:
                position = text.add(f"    for (int r = 0; r < {last}; r++) {{")
                for call, mode in (("fwrite", "write"), ("fread", "read")):
                    text.add(f"        fseek(file_{a}, (long)sizeof(double) * {RECORD} * (r % 4), SEEK_SET);")
                    text.add(f"        if ({call}(&{a}[0], sizeof(double), {RECORD}, file_{a}) != {RECORD}) {{")
                    text.add(f"            abort(); /* cannot {mode} */", "        }")
                text.add(f"        sum += {a}[r];", "    }")
            case Work.EXCHANGE:
                many, half = f"{loop.length}, MPI_DOUBLE", loop.field
                position = text.add(f"    for (int r = 0; r < {last}; r++) {{")
                text.add(f"        MPI_Sendrecv(&{a}[0], {many}, after, 1, &{a}[{half}], {loop.length},")
                text.add("                     MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
                text.add(f"        sum += {a}[{half} + r];", "    }")
            case Work.PIECES:
                many, whole = f"{loop.length}, MPI_DOUBLE", loop.length == max(loop.turns)
                turn = f"    for (int r = 0; r < {last}; r += {loop.length}) {{"
                position = text.add(turn)
                if whole:  # so long a message is not buffered, so the same call must receive the other rank's
                    text.add(f"        MPI_Sendrecv(&{a}[r], {many}, after, 2, &{a}[{last} + r], {many}, before, 2,")
                    text.add("                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);", "    }")
                    second = (text.add(turn),)
                else:
                    text.add(f"        MPI_Send(&{a}[r], {many}, after, 2, MPI_COMM_WORLD);", "    }")
                    second = (text.add(turn),)
                    text.add(f"        MPI_Recv(&{a}[{last} + r], {many}, before, 2, MPI_COMM_WORLD,")
                    text.add("                 MPI_STATUS_IGNORE);")
                text.add(f"        sum += {a}[{last} + r];", "    }")
            case Work.THREADS:
                position = text.add("    #pragma omp parallel for schedule(static) reduction(+ : sum)")
                second = (text.add(f"    for (int i = 0; i < {ROWS}; i++) {{"),)
                text.add(f"        for (int r = 0; r < {last} + i * {loop.slope}; r++) {{")
                text.add(f"            for (int j = 0; j < {loop.length}; j++) {{")
                text.add(
                    f"                {_INNER[Work.POLYNOMIAL].format(a=a, sum='sum')}",
                    "            }",
                    "        }",
                    "    }",
                )
            case _:
                position = self._computing(a, last, loop, text)
        self.positions[phase.name, number] = (position, *second)

    def _computing(self, a: str, last: str, loop: Loop, text: Text) -> Position:
        if loop.work is Work.CHASE:
            text.add("    {", f"        int at = at_{a};")
        position = text.add(f"    for (int r = 0; r < {last}; r++) {{")
        if loop.work is Work.GRID:
            across, along = (1, GRID) if any(loop.scattered) else (GRID, 1)
            text.add(f"        int start = r % {GRID} * {across}, along = {along};")
        # The loop has its own sum: one that is used after calls may stay in memory, and each iteration takes longer.
        adds = "{sum}" in _INNER[loop.work]
        text.add(*(["        double part = 0;"] if adds else []), f"        for (int j = 0; j < {loop.length}; j++) {{")
        text.add(f"            {_INNER[loop.work].format(a=a, sum='part')}", "        }")
        text.add(*(["        sum += part;"] if adds else []))
        text.add(*([f"        sum += {a}[r % {loop.length}];"] if loop.work is Work.SMOOTH else []), "    }")
        if loop.work is Work.CHASE:
            text.add(f"        at_{a} = at;", "        sum += at;", "    }")
        return position

    def _tail(self, tail: Tail, text: Text) -> None:
        match tail:
            case Tail.BROADCAST:
                text.add("    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);")
            case Tail.RING:
                text.add(
                    "    double other = 0;",
                    "    MPI_Sendrecv(&sum, 1, MPI_DOUBLE, after, 4, &other, 1, MPI_DOUBLE, before, 4, MPI_COMM_WORLD,",
                )
                text.add("                 MPI_STATUS_IGNORE);", "    sum += other;")
            case Tail.REDUCTION:
                text.add("    double of_all = 0;")
                text.add(
                    "    MPI_Allreduce(&sum, &of_all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);", "    sum = of_all;"
                )

    # ---- the main program

    def _prepared(self, phase: Phase) -> str:
        return f"prepare_{phase.name}(rank);"

    def _called(self, phase: Phase) -> str:
        return f"total += {phase.name}(step, rank);"

    def _main(self) -> Position:
        text, program = self.main, self.program
        calls = [self._called(phase) for phase in program.phases]
        reduce = "MPI_Allreduce(&total, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"
        body = [*calls, reduce, "total = all / RANKS;"]
        if program.layout == "advance":
            text.add("", "static double advance(int step, int rank, double total)", "{", "    double all = 0;")
            text.add(*(f"    {each}" for each in body), "    return total;", "}")
            body = ["total = advance(step, rank, total);"]

        def loop(indent: str) -> Position:
            text.add(f"{indent}double total = 0{', all = 0' if program.layout != 'advance' else ''};")
            position = text.add(f"{indent}for (int step = 0; step < {program.steps}; step++) {{")
            text.add(*(f"{indent}    {each}" for each in body), f"{indent}}}")
            return position

        steps = None
        if program.layout == "solve":
            text.add("", "static double solve(int rank)", "{")
            steps = loop("    ")
            text.add("    return total;", "}")
        text.add("", "int main(int argc, char **argv)", "{", "    int rank, size;", "    MPI_Init(&argc, &argv);")
        text.add("    MPI_Comm_rank(MPI_COMM_WORLD, &rank);", "    MPI_Comm_size(MPI_COMM_WORLD, &size);")
        text.add(
            f"    if (size {'>' if program.scales else '!='} RANKS) {{",
            "        MPI_Abort(MPI_COMM_WORLD, 1);",
            "    }",
        )
        text.add(*(f"    {self._prepared(phase)}" for phase in program.phases))
        if steps is None:
            steps = loop("    ")
        else:
            text.add("    double total = solve(rank);")
        text.add("    if (rank == 0) {", '        printf("total %.9g\\n", total);', "    }", "    MPI_Finalize();")
        text.add("    return 0;", "}")
        return steps


class _CxxPrinter(_Printer):
    suffix, header_suffix, cxx = "cpp", "hpp", True

    def _phase(self, phase: Phase, text: Text) -> None:
        name = phase.name.capitalize()
        members = [line for number, loop in enumerate(phase.loops) for line in self._members(phase.name, number, loop)]
        inside = phase.place is Place.HEADER
        home = text if inside else self.declared
        home.add("", f"class {name} {{", "public:")
        sized = ", ".join(self._sized(phase.name, number, loop) for number, loop in enumerate(phase.loops))
        home.add(f"    {name}() : {sized} {{}}")
        signatures = "void prepare(int rank)", "double advance(int step, int rank)"
        if not inside:
            home.add(*(f"    {each};" for each in signatures), "private:", *(f"    {each}" for each in members), "};")
        for signature, write in zip(signatures, (self._prepare, self._body), strict=True):
            result, _, rest = signature.partition(" ")
            position = text.add(f"    {signature}" if inside else f"{result} {name}::{rest}", "{")
            write(phase, text)
            text.add("}", "")
        self.positions[phase.name, None] = (position,)
        if inside:
            home.add("private:", *(f"    {each}" for each in members), "};")

    def _members(self, phase: str, number: int, loop: Loop) -> list[str]:
        kind = "int" if loop.work is Work.CHASE else "double"
        name = f"{phase}_{number}"
        other = {Work.CHASE: [f"int at_{name} = 0;"], Work.FILE: [f"FILE *file_{name} = nullptr;"]}
        return [f"std::vector<{kind}> {name};", *other.get(loop.work, [])]

    def _sized(self, phase: str, number: int, loop: Loop) -> str:
        size = self._data(phase, number, loop)[0].partition("[")[2].partition("]")[0]
        return f"{phase}_{number}({size})"

    def _prepared(self, phase: Phase) -> str:
        return f"the_{phase.name}.prepare(rank);"

    def _called(self, phase: Phase) -> str:
        return f"total += the_{phase.name}.advance(step, rank);"

    def _main(self) -> Position:
        self.main.add("", *(f"static {phase.name.capitalize()} the_{phase.name};" for phase in self.program.phases))
        return super()._main()


def _table(name: str, values: Sequence[int], rounds: int = 1) -> str:
    size = "RANKS" if rounds == 1 else f"{rounds} * RANKS"
    return f"    static const int {name}[{size}] = {{{', '.join(map(str, values))}}};"


def _printed(printer: type[_Printer]) -> Callable[[Program], Printed]:
    return lambda program: printer(program).print()


print_c, print_cxx = _printed(_Printer), _printed(_CxxPrinter)
