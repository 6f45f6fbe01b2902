/* Hooks that do nothing, in a separate file so that they cannot be inlined. */
#define PLAIN __attribute__((no_instrument_function))

PLAIN void __cyg_profile_func_enter(void *function, void *caller);
PLAIN void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function, (void)caller;
}
void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
}
