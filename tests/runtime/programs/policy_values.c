/* Print the values that make up each metric which the arguments name; policy.c is part of the program. */
#include "policy.c"

double aa_clock_rate(void) {
    return 1;
}

void aa_warn(const char *format, ...) {
    (void)format;
}

int main(int count, char **names) {
    for (int i = 1; i < count; i++)
        printf("%llu\n", (unsigned long long)aa_policy_values(names[i], strlen(names[i])));
    return 0;
}
