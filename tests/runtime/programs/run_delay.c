/* Prints the time spent waiting for a core, as read from the kernel's text. */
#include "delay.c"
#include "memory.c"
#include "rare.c"
#include "system.c"

#include <stdio.h>

int main(int count, char **texts) {
    for (int i = 1; i < count; i++)
        printf("%lld\n", (long long)delay_in(texts[i]));
    aa_delay_start();
    return 0;
}
