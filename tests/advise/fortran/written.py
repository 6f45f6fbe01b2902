"""Write the expressions and statements that readers of sources return as text, with each operation in parentheses."""

from autoanalyzer.advise.expression import (
    ArrayRef,
    Binary,
    Call,
    Deref,
    FieldRef,
    Name,
    Number,
    Opaque,
    Section,
    Text,
    Unary,
)
from autoanalyzer.advise.nest import (
    Allocation,
    Assignment,
    Block,
    Branch,
    CallStatement,
    InputOutput,
    Jump,
    Loop,
    OtherStatement,
)


def written(each):  # noqa: PLR0911, PLR0912 - one case per class
    match each:
        case None:
            return ""
        case Name(name=name):
            return name
        case Number(value=value):
            return repr(value)
        case Text(value=value):
            return repr(value)
        case Unary(operator=operator, operand=operand):
            return f"({operator}{written(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({written(left)} {operator} {written(right)})"
        case Call(name=name, arguments=arguments, is_pure=is_pure, on=on):
            return f"{written(on)}{'.' if on else ''}{name}{'' if is_pure else '!'}({listed(arguments)})"
        case Section(first=first, last=last, step=step):
            return ":".join([written(first), written(last), *([written(step)] if step else [])])
        case ArrayRef(array=array, subscripts=subscripts):
            return f"{written(array)}[{listed(subscripts)}]"
        case FieldRef(structure=Deref(pointer=pointer), name=name):
            return f"{written(pointer)}->{name}"
        case FieldRef(structure=structure, name=name):
            return f"{written(structure)}.{name}"
        case Deref(pointer=pointer):
            return f"(*{written(pointer)})"
        case Opaque(parts=parts, changes=changes):
            return f"{'?!' if changes else '?'}({listed(parts)})"
    raise AssertionError(each)


def listed(expressions):
    return ", ".join(map(written, expressions))


def lines(body, depth=0):
    """Return the statements of a body, one per line, each with its line number in front."""
    found = []
    for each in body:
        found.append(f"{each.line}{'  ' * depth} {said(each)}")
        for name, inner in inside(each):
            found += [f"{'  ' * depth}   {name}"] if name else []
            found += lines(inner, depth + 1)
    return found


def inside(each):
    match each:
        case Loop(body=body) | Block(body=body):
            return [("", body)]
        case Branch(arms=arms):
            return [(f"if {written(arm.condition)}" if arm.condition else "else", arm.body) for arm in arms]
    return []


def said(each):  # noqa: PLR0911 - one case per class
    match each:
        case Assignment(target=target, value=value, operator=operator):
            return f"{written(target)} {operator}= {written(value)}"
        case CallStatement(call=call):
            return f"call {written(call)}"
        case Allocation(targets=targets, sizes=sizes, function=function):
            return f"{function} {listed(targets)} of {listed(sizes)}"
        case InputOutput(action=action, unit=unit, items=items, is_formatted=is_formatted):
            return f"{action}{' formatted' if is_formatted else ''} {written(unit)}: {listed(items)}"
        case Jump(kind=kind, label=label):
            return f"{kind} {label}".strip()
        case OtherStatement(expressions=expressions):
            return f"other {listed(expressions)}"
        case Branch(last_line=last_line):
            return f"branch to {last_line}"
        case Block(directive=directive, last_line=last_line):
            return f"block to {last_line} {directive}".strip()
        case Loop():
            return loop_said(each)
    raise AssertionError(each)


def loop_said(loop):
    words = ["concurrent" if loop.is_concurrent else "loop"]
    if loop.variable:
        words.append(f"{written(loop.variable)} = {written(loop.first)}, {written(loop.last)}, {written(loop.step)}")
    if loop.condition:
        words.append(f"while {written(loop.condition)}")
    words.append(f"to {loop.last_line}")
    words += [f"called {loop.label}"] if loop.label else []
    words += [f"by {loop.directive}"] if loop.directive else []
    return " ".join(words)
