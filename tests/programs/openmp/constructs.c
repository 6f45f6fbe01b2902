/* Each OpenMP construct in turn, with three threads; then two threads that OpenMP knows nothing of. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define TASKS 20

static volatile double sink;

static void spin(int times) {
    for (int i = 0; i < 20000 * times; i++)
        sink = i;
}

static void in_loop(void) { spin(1); }
static void in_single(void) { spin(1); }
static void in_section(void) { spin(1); }
static void in_task(void) { spin(1); }
static void in_task_loop(void) { spin(1); }
static void in_inner(void) { spin(1); }

static void *own_thread(void *unused) {
    spin(1);
    return unused;
}

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 9; i++)
            in_loop();
#pragma omp single
        in_single();
#pragma omp sections
        {
#pragma omp section
            in_section();
#pragma omp section
            in_section();
        }
#pragma omp barrier
#pragma omp critical
        sum++;
    }
#pragma omp parallel num_threads(THREADS)
#pragma omp single nowait
    {
        for (int i = 0; i < TASKS; i++)
#pragma omp task
            in_task();
#pragma omp taskwait
#pragma omp taskloop
        for (int i = 0; i < TASKS; i++)
            in_task_loop();
    }
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    in_inner();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, own_thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
