import asyncio
import threading


def recursive(n):
    return n and recursive(n - 1)


def generator(n):
    for i in range(n):
        yield i


def delegating(n):
    yield from generator(n)


async def inner():
    await asyncio.sleep(0)


async def coroutine():
    await inner()
    await inner()


def raising(depth):
    if depth == 0:
        raise ValueError
    raising_below(depth - 1)


def raising_below(depth):
    raising(depth)


def caught():
    try:
        raising(2)
    except ValueError:
        pass


def closed_early():
    for i in generator(5):
        break


def thrown():
    g = generator(5)
    next(g)
    try:
        g.throw(KeyError)
    except KeyError:
        pass
    h = generator(5)
    try:
        h.throw(KeyError)
    except KeyError:
        pass


class Grid:
    def step(self):
        return sorted([3, 1, 2], key=lambda x: -x)

    @property
    def size(self):
        return [y for y in (leaf() for _ in range(2))]


class Worker(threading.Thread):
    def run(self):
        leaf()


def leaf():
    return 1


def main():
    recursive(5)
    list(generator(3))
    list(delegating(3))
    asyncio.run(coroutine())
    caught()
    closed_early()
    thrown()
    grid = Grid()
    for _ in range(4):
        grid.step()
        grid.size
    workers = [Worker() for _ in range(3)] + [threading.Thread(target=leaf) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    print("done")


if __name__ == "__main__":
    main()
