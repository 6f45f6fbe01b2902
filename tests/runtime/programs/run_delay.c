/* Prints what the kernel's text says of waiting for a processor. */
#include "delay.c"
#include "memory.c"
#include "system.c"

#include <stdio.h>

int main(int count, char **texts) {
    for (int i = 1; i < count; i++)
        printf("%lld\n", (long long)delay_in(texts[i]));
    aa_delay_start();
    return 0;
}
