/* Tasks with each flag that compilers give them, one kind a run: the argument names it. */
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>

#define COUNT 300
#define MANY 100000

typedef void probe(const char *descriptor);

/* Nothing where nothing is recorded. */
static void at(const char *probe_name, const char *descriptor) {
    if (probe *found = reinterpret_cast<probe *>(dlsym(RTLD_DEFAULT, probe_name)))
        found(descriptor);
}

#define ENTER(name) at("aa_probe_enter", "aa1|user|" name "|||0|0|0")
#define EXIT(name) at("aa_probe_exit", "aa1|user|" name "|||0|0|0")

struct copied {
    long value;
    copied(long of) : value(of) {}
    copied(const copied &other) : value(other.value) {}
    ~copied() { value = -1; }
};

struct alignas(64) wide {
    long values[200];
};

static long done, sum, total, in_order;

static void in_task(long i) {
    ENTER("in_task");
#pragma omp atomic
    sum += i;
#pragma omp atomic
    done++;
    EXIT("in_task");
}

#define EACH for (long i = 0; i < COUNT; i++)

static void none() {
    EACH {
#pragma omp task
        in_task(i);
    }
}

static void is_untied() {
    EACH {
#pragma omp task untied
        in_task(i);
    }
}

static void is_final() {
    EACH {
#pragma omp task final(i % 2)
        in_task(i);
    }
}

static void is_mergeable() {
    EACH {
#pragma omp task mergeable
        in_task(i);
    }
}

static void has_priority() {
    EACH {
#pragma omp task priority(i)
        in_task(i);
    }
}

static void depends() {
    long next = 0;
#pragma omp taskgroup
    EACH {
#pragma omp task depend(inout : next) shared(next)
        {
            in_task(i);
            in_order += next++ == i;
        }
    }
}

static void may_be_undeferred() {
    EACH {
#pragma omp task if (i % 2)
        in_task(i);
    }
}

static void is_detached() {
    EACH {
        omp_event_handle_t event;
#pragma omp task detach(event)
        {
            in_task(i);
            omp_fulfill_event(event);
        }
    }
#pragma omp taskwait
}

static void is_detached_and_copied() {
    copied three(3);
    EACH {
        omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(three)
        {
            in_task(i + three.value);
            omp_fulfill_event(event);
        }
    }
#pragma omp taskwait
}

static void is_detached_and_undeferred() {
    EACH {
        omp_event_handle_t event;
#pragma omp task detach(event) if (0)
        {
            in_task(i);
            omp_fulfill_event(event);
        }
    }
}

static void is_copied() {
    copied three(3);
    wide lines = {{7}};
    EACH {
#pragma omp task firstprivate(three, lines)
        in_task(i + three.value + lines.values[0]);
    }
}

static void is_reduced() {
#pragma omp taskgroup task_reduction(+ : total)
    EACH {
#pragma omp task in_reduction(+ : total)
        {
            in_task(i);
            total += i;
        }
    }
}

static void loop() {
#pragma omp taskloop
    EACH in_task(i);
}

static void loop_downwards() {
#pragma omp taskloop
    for (int i = COUNT; i > 0; i--)
        in_task(i);
}

static void loop_of_unsigned() {
#pragma omp taskloop
    for (unsigned long long i = 0; i < COUNT; i++)
        in_task((long)i);
}

static void loop_grainsize() {
#pragma omp taskloop grainsize(1)
    EACH in_task(i);
}

static void loop_strict() {
#pragma omp taskloop grainsize(strict : 7)
    EACH in_task(i);
}

static void loop_num_tasks() {
#pragma omp taskloop num_tasks(9)
    EACH in_task(i);
}

static void loop_without_group() {
#pragma omp taskloop nogroup
    EACH in_task(i);
}

static void loop_undeferred() {
#pragma omp taskloop if (0)
    EACH in_task(i);
}

static void loop_in_final() {
#pragma omp task final(1)
#pragma omp taskloop
    EACH in_task(i);
}

static void loop_of_all_kinds() {
#pragma omp taskloop priority(3) untied mergeable
    EACH in_task(i);
}

static void loop_collapsed() {
#pragma omp taskloop collapse(2)
    for (long i = 0; i < COUNT; i += 100)
        for (long j = 0; j < 100; j++)
            in_task(i + j);
}

static void loop_lastprivate() {
#pragma omp taskloop lastprivate(total)
    EACH {
        in_task(i);
        total = i;
    }
}

static void loop_copied() {
    copied three(3);
    wide lines = {{7}};
#pragma omp taskloop firstprivate(three, lines)
    EACH in_task(i + three.value + lines.values[0]);
}

static void loop_reduced() {
#pragma omp taskloop reduction(+ : total)
    EACH {
        in_task(i);
        total += i;
    }
}

static void loop_reduced_and_copied() {
    copied three(3);
#pragma omp taskloop reduction(+ : total) firstprivate(three) num_tasks(9)
    EACH {
        in_task(i);
        total += three.value;
    }
}

static void loop_reduced_empty() {
#pragma omp taskloop reduction(+ : total)
    for (long i = COUNT; i < COUNT + done; i++)
        total++;
    loop();
}

static void loop_in_reduction() {
#pragma omp taskgroup task_reduction(+ : total)
    {
#pragma omp taskloop in_reduction(+ : total)
        EACH {
            in_task(i);
            total += i;
        }
    }
}

/* More than libgomp puts aside: the thread that meets the loop executes them one after the other. */
static void loop_of_many() {
    static bool met[MANY];
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < MANY; i++)
        met[i] = true;
    for (long i = 0; i < MANY; i++)
        total += met[i];
    loop();
}

static void loop_of_many_in_final() {
#pragma omp task final(1)
    loop_of_many();
}

static const struct {
    const char *name;
    void (*make)();
} kinds[] = {
#define KIND(name) {#name, name}
    KIND(none),
    KIND(is_untied),
    KIND(is_final),
    KIND(is_mergeable),
    KIND(has_priority),
    KIND(depends),
    KIND(may_be_undeferred),
    KIND(is_detached),
    KIND(is_detached_and_copied),
    KIND(is_detached_and_undeferred),
    KIND(is_copied),
    KIND(is_reduced),
    KIND(loop),
    KIND(loop_downwards),
    KIND(loop_of_unsigned),
    KIND(loop_grainsize),
    KIND(loop_strict),
    KIND(loop_num_tasks),
    KIND(loop_without_group),
    KIND(loop_undeferred),
    KIND(loop_in_final),
    KIND(loop_of_all_kinds),
    KIND(loop_collapsed),
    KIND(loop_lastprivate),
    KIND(loop_copied),
    KIND(loop_reduced),
    KIND(loop_reduced_and_copied),
    KIND(loop_reduced_empty),
    KIND(loop_in_reduction),
    KIND(loop_of_many),
    KIND(loop_of_many_in_final),
};

/* In a team, unless a second argument says that there is none. */
int main(int count, char **words) {
    ENTER("main");
    for (const auto &kind : kinds) {
        if (std::strcmp(kind.name, words[1]) != 0)
            continue;
        if (count > 2)
            kind.make();
        else {
#pragma omp parallel num_threads(3)
#pragma omp single
            kind.make();
        }
        std::printf("%ld %ld %ld %ld\n", done, sum, total, in_order);
    }
    EXIT("main");
}
