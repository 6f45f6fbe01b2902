/* A thread without call paths sets a nested lock, and does not release it completely; another thread sets it, too. */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>

typedef void probe(const char *descriptor);

static const char region[] = "aa1|user|in_main|||0|0|0";
static omp_lock_t plain;
static omp_nest_lock_t nested;

static void *hold(void *unused) {
    omp_set_nest_lock(&nested);
    return unused;
}

int main(void) {
    pthread_t thread;
    ((probe *)dlsym(RTLD_DEFAULT, "aa_probe_enter"))(region);
    omp_init_lock(&plain);
    omp_set_lock(&plain); /* the first place at which a thread waits */
    omp_unset_lock(&plain);
    omp_init_nest_lock(&nested);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_join(thread, NULL);
    omp_init_nest_lock(&nested); /* otherwise no thread could set it any more */
    omp_set_nest_lock(&nested);
    omp_set_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
    ((probe *)dlsym(RTLD_DEFAULT, "aa_probe_exit"))(region);
    return 0;
}
