/* Creates a POSIX thread and a C11 thread in a region. */
#include "case.h"

#include <pthread.h>
#include <threads.h>

static const char main_region[] = "aa1|user|main|||0|0|0";

static void *posix(void *argument) {
    enter_region("aa1|user|posix|||0|0|0");
    exit_region("aa1|user|posix|||0|0|0");
    return argument;
}

static int c11(void *argument) {
    enter_region("aa1|user|c11|||0|0|0");
    exit_region("aa1|user|c11|||0|0|0");
    return *(int *)argument;
}

int main(void) {
    pthread_t one;
    thrd_t other;
    int wanted = 42, result = 0;
    void *same = NULL;
    open_cases(0);
    enter_region(main_region);
    if (pthread_create(&one, NULL, posix, &wanted) != 0 || pthread_join(one, &same) != 0)
        return 1;
    if (thrd_create(&other, c11, &wanted) != thrd_success || thrd_join(other, &result) != thrd_success)
        return 2;
    exit_region(main_region);
    close_cases();
    return same == &wanted && result == wanted ? 0 : 3;
}
