/* A signal handler that interrupts the library is the first to use a file: later uses still get a number for it. */
#define _GNU_SOURCE
#include "io_files.h"
#include "probe.h"
#include "thread.h"

#include <fcntl.h>

int main(void) {
    aa_probe_enter("aa1|user|main|||0|0|0");
    int file = open("file", O_RDWR | O_CREAT, 0644);
    aa_thread_closed = true; /* as it is where the library is interrupted */
    bool is_file = aa_io_is_file(file);
    aa_thread_closed = false;
    is_file = is_file && aa_io_is_file(file);
    aa_probe_exit("aa1|user|main|||0|0|0");
    return !is_file || aa_io_file(file) == 0;
}
