"""Procedures with random constructs and jumps print the same as without probes, and their regions nest."""

import random
from dataclasses import dataclass, field

import pytest

pytestmark = pytest.mark.long

PROCEDURES = 30
FEW = [1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (0, 2))]
JUMPS = [
    "if (more()) go to @",
    "if (more()) go to (@, @, @), pick(4)",
    "if (more()) call hop(pick(3), *@, *@)",
    "if (more()) read (word, *, err=@, end=@) i9",
    "if (.not. more()) return; if (pick(3) - 2) @, @, @",
    "if (more()) then; go to @; end if",
]
SHOWN = [
    "print *, #",
    "do i9 = 1, 2; print *, #; end do",
    "if (toss()) then; print *, #; return; end if",
    "print *, #; if (toss()) return",
    "print *, #; do while (more()); if (toss()) exit; end do; i9 = 1",
]
HELPERS = """
      module chance
      implicit none
      integer :: seed = 1, fuel = 0
      character(len=1) :: word = 'x'
      contains
      logical function toss()
      seed = mod(seed * 1103 + 12345, 65536)
      toss = mod(seed / 16, 3) == 0
      end function
      logical function more()
      fuel = fuel - 1
      more = toss() .and. fuel > 0
      end function
      integer function pick(n)
      integer, intent(in) :: n
      if (toss()) continue
      pick = 1 + mod(seed / 16, n)
      end function
      subroutine hop(n, *, *)
      integer, intent(in) :: n
      print *, 'hop', n
      if (fuel > 0) return n
      end subroutine
      end module
      program main
      use chance
      integer round
      do round = 1, 5
"""


@dataclass
class Block:
    """Statements with their labels; ``names`` are the enclosing constructs, each with whether it is a loop."""

    around: list["Block"] = field(default_factory=list)
    names: list[tuple[str, bool]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # where a jump from inside may go
    loops: int = 0


class Grower:
    """Writes one procedure."""

    def __init__(self, chance, name):
        self.chance = chance
        self.lines = []
        self.pending = []  # jumps whose targets are chosen when all labels are known
        self.label = 0
        self.name = 0
        self.emit("", f"subroutine {name}(*)")
        self.emit("", "use chance")
        self.emit("", "integer i1, i2, i3, i4, i5, i6, i7, i8, i9")
        self.block(Block(), 0)
        self.emit(self.new_label() if chance.random() < 0.3 else "", "end subroutine")
        for place, block, texts in self.pending:
            labels = [label for each in [*block.around, block] for label in each.labels]
            text = chance.choice(texts) if labels else "print *, 'stays'"
            while "@" in text:
                text = text.replace("@", chance.choice(labels), 1)
            self.lines[place] = self.lines[place].replace("JUMP", text)

    def emit(self, label, text):
        self.lines.append(f"{label:>5} {text}")

    def new_label(self):
        self.label += 10
        return str(self.label)

    def maybe_label(self, block):
        if self.chance.random() > 0.35:
            return ""
        block.labels.append(self.new_label())
        return block.labels[-1]

    def block(self, block, depth):
        for _ in range(self.chance.randrange(1, 5)):
            self.statement(block, depth)

    def statement(self, block, depth):
        deep = depth < 5 and len(self.lines) < 150
        kinds = [self.jump, self.leave, self.show, *([self.loop, self.loop, self.construct] if deep else [])]
        self.chance.choice(kinds)(block, depth)

    def show(self, block, _):
        text = self.chance.choice(SHOWN).replace("#", str(len(self.lines)))
        self.emit(self.maybe_label(block), text)

    def jump(self, block, _):
        self.pending.append((len(self.lines), block, JUMPS))
        self.emit(self.maybe_label(block), "JUMP")

    def leave(self, block, _):
        ways = ["return", "return 1", "return pick(2) - 1"]
        ways += [f"exit {name}" for name, _ in block.names if name]
        ways += [f"cycle {name}" for name, is_loop in block.names if name and is_loop]
        ways += ["exit", "cycle"] if block.loops else []
        self.emit(self.maybe_label(block), f"if (toss()) {self.chance.choice(ways)}")

    def inside(self, block, name, *, loop):
        return Block([*block.around, block], [*block.names, (name, loop)], [], block.loops + loop)

    def new_name(self):
        if self.chance.random() < 0.5:
            return "", ""
        self.name += 1
        return f"n{self.name}", f"n{self.name}: "

    def loop(self, block, depth):
        name, prefix = self.new_name()
        inner = self.inside(block, name, loop=True)
        header = self.chance.choice([f"do i{depth + 1} = 1, 2", "do while (more())", "do"])
        label = self.maybe_label(block)
        style = self.chance.randrange(4)
        if style == 3 and header != "do":
            end = self.new_label()
            inner.labels.append(end)
            self.emit(label, header.replace("do", f"do {end}", 1))
            inner.names[-1] = ("", True)
            terminals = ["continue", "print *, 'last'", "if (toss()) return", "i9 = pick(2)"]
            if self.chance.random() < 0.4 and depth < 5:
                self.emit("", f"do {end} i{depth + 2} = 1, 2")
                depth += 1
            else:
                terminals.append("end do")
            self.block(inner, depth + 1)
            self.emit(end, self.chance.choice(terminals))
            return
        self.emit(label, prefix + header)
        if header == "do":
            self.emit("", "if (.not. more()) exit")
        self.block(inner, depth + 1)
        self.emit(self.maybe_label(inner), f"end do {name}")

    def construct(self, block, depth):
        name, prefix = self.new_name()
        inner = self.inside(block, name, loop=False)
        header, middle, end = self.chance.choice(
            [
                ("if (toss()) then", "else", "end if"),
                ("block", "", "end block"),
                ("select case (pick(3))", "case default", "end select"),
                ("associate (n => fuel)", "", "end associate"),
            ]
        )
        self.emit(self.maybe_label(block), prefix + header)
        if header.startswith("select"):
            self.emit("", "case (1)")
        self.block(inner, depth + 1)
        if middle:
            self.emit("", middle)
            other = self.inside(block, name, loop=False)
            self.block(other, depth + 1)
        self.emit(self.maybe_label(inner), f"{end} {name}")


def grown(seed):
    chance = random.Random(seed)
    names = [f"p{number}" for number in range(PROCEDURES)]
    calls = "".join(f"      fuel = 30\n      call {each}(*{at})\n{at:5} continue\n" for at, each in enumerate(names, 1))
    bodies = ["\n".join(Grower(chance, name).lines) for name in names]
    return f"{HELPERS}{calls}      end do\n      end program\n" + "\n".join(bodies) + "\n"


@pytest.mark.by_day(name=["fixed"])
@pytest.mark.parametrize("fortran", ["GNU"], indirect=True)  # LLVM's compiler takes minutes for so many jumps
@pytest.mark.parametrize("seed", FEW)
def test_random_procedures_do_what_they_did(fortran, name, seed):
    assert len(fortran.run(grown(seed), "-std=legacy", name=name).visits) > PROCEDURES
