/* A token goes round; before a rank passes it on, it works in a dozen functions, which is more than fits in a chain. */
#include <mpi.h>

#define UNIT 2000

static void work(int units) {
    volatile double x = 1;
    for (long i = 0; i < (long)units * UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}

#define FUNCTION(number)                                                                                     \
    static void function_##number(void) {                                                                    \
        work(number);                                                                                        \
    }
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)
FUNCTION(10)
FUNCTION(11)
FUNCTION(12)

int main(int argc, char **argv) {
    static void (*const functions[])(void) = {
        function_1, function_2, function_3, function_4,  function_5,  function_6,
        function_7, function_8, function_9, function_10, function_11, function_12,
    };
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 4; round++) {
        if (rank > 0 || round > 0)
            MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 12; i++)
            functions[(i + 5 * rank) % 12]();
        if (rank < size - 1 || round < 3)
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
