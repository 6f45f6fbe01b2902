#include "path_turn.h"

#include <pthread.h>

#include "clock.h"

#define INTERRUPTED 16u /* if steps take this many times as long as usual, the thread was off the core */
#define SHORTEST 2e4    /* nanoseconds that never count as an interruption, even if no usual time is known */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local volatile bool is_held AA_INITIAL_EXEC; /* whether this thread holds the lock */
static _Thread_local uint64_t waited
    AA_INITIAL_EXEC; /* ticks for which this thread has waited for the lock */

struct aa_section aa_path_turn_begin(void) {
    struct aa_section section = aa_section_begin();
    if (pthread_mutex_trylock(&mutex) != 0) {
        uint64_t since = aa_clock_ticks();
        pthread_mutex_lock(&mutex);
        waited += aa_clock_ticks() - since;
    }
    is_held = true;
    return section;
}

void aa_path_turn_end(struct aa_section section) {
    is_held = false;
    pthread_mutex_unlock(&mutex);
    aa_section_end(section);
}

void aa_path_turn_forget(void) {
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    is_held = false;
}

bool aa_path_turn_give_up(void) {
    bool was_held = is_held;
    is_held = false;
    if (was_held)
        pthread_mutex_unlock(&mutex);
    return was_held;
}

uint64_t aa_path_turn_ticks(void) {
    return aa_clock_ticks() - waited;
}

void aa_effort_add(struct aa_effort *effort, uint64_t since, uint32_t steps) {
    uint64_t took = aa_path_turn_ticks() - since, shortest = (uint64_t)(SHORTEST * aa_clock_rate());
    uint64_t usual = effort->steps ? effort->ticks / effort->steps * steps : 0;
    if (took > INTERRUPTED * usual + shortest)
        took = effort->steps ? usual : shortest;
    atomic_store_explicit(&effort->ticks, effort->ticks + took, memory_order_relaxed);
    effort->steps += steps;
}
