/* Reads and writes known numbers of bytes by all functions; pipes, sockets, /proc, memory and errors must not count. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* If optimised, these two functions are inlined into the program, where no wrapper can count them. */
#ifdef __OPTIMIZE__
#undef fputc_unlocked
#undef fgetc_unlocked
#define fputc_unlocked fputc
#define fgetc_unlocked fgetc
#endif

static char data[100000], text[1000];

static void descriptors(void) {
    struct iovec parts[2] = {{data, 30}, {data, 40}};
    int fd = open("posix", O_RDWR | O_CREAT | O_TRUNC, 0666);
    CASE("write", 2, 0, 1000, write(fd, data, 600) + write(fd, data, 400));
    CASE("pwrite", 1, 0, 50, pwrite(fd, data, 50, 10));
    CASE("writev", 1, 0, 70, writev(fd, parts, 2));
    CASE("pwritev", 1, 0, 70, pwritev(fd, parts, 2, 0));
    CASE("pwritev2", 1, 0, 70, pwritev2(fd, parts, 2, 0, 0));
    CASE("dprintf", 1, 0, 12, dprintf(fd, "%s %d\n", "number", 1234));
    CASE("fsync moves nothing", 0, 0, 0, fsync(fd); fdatasync(fd));
    lseek(fd, 0, SEEK_SET);
    CASE("read", 1, 100, 0, read(fd, data, 100));
    CASE("pread", 1, 100, 0, pread(fd, data, 100, 0));
    CASE("readv", 1, 70, 0, readv(fd, parts, 2));
    CASE("preadv", 1, 70, 0, preadv(fd, parts, 2, 0));
    CASE("preadv2", 1, 70, 0, preadv2(fd, parts, 2, 0, 0));
    CASE("read less than asked for", 1, 1082 - 170, 0, read(fd, data, sizeof data));
    CASE("read at the end", 1, 0, 0, read(fd, data, 100));
    int copy = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0666);
    off_t from = 0;
    CASE("sendfile", 1, 500, 500, sendfile(copy, fd, &from, 500));
    loff_t start = 0;
    CASE("copy_file_range", 1, 300, 300, copy_file_range(fd, &start, copy, NULL, 300, 0));
    close(copy);
    CASE("close", 0, 0, 0, close(fd));
    errno = 0;
    CASE("closed", 0, 0, 0, write(fd, data, 10));
    if (errno != EBADF)
        abort();
}

static void not_files(void) {
    int pipes[2], sockets[2];
    pipe(pipes);
    CASE("pipe", 0, 0, 0, write(pipes[1], data, 10); read(pipes[0], data, 10));
    close(pipes[0]);
    close(pipes[1]);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    CASE("socket", 0, 0, 0, write(sockets[1], data, 10); read(sockets[0], data, 10));
    int null = open("/dev/null", O_WRONLY);
    CASE("device", 0, 0, 0, write(null, data, 10));
    close(null);
    int status = open("/proc/self/status", O_RDONLY);
    CASE("/proc", 0, 0, 0, read(status, data, 10));
    close(status);
    FILE *memory = fmemopen(text, sizeof text, "w+");
    errno = 0;
    CASE("memory stream", 0, 0, 0, fprintf(memory, "text"); fflush(memory));
    if (errno != 0)
        abort();
    fclose(memory);
    char name[64];
    snprintf(name, sizeof name, "/dev/shm/aa-test-%d", (int)getpid());
    int shared = open(name, O_RDWR | O_CREAT, 0600);
    CASE("/dev/shm", 0, 0, 0, write(shared, data, 10));
    close(shared);
    unlink(name);
    /* The same descriptor is now a file, then a pipe again. */
    close(sockets[0]);
    int fd = open("reused", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CASE("file after socket", 1, 0, 10, write(sockets[0], data, 10));
    if (fd != sockets[0])
        abort();
    pipe(pipes);
    dup2(pipes[1], fd);
    CASE("pipe after file", 0, 0, 0, write(fd, data, 10));
    close(fd);
    FILE *stream = fopen("reused", "w");
    if (fileno(stream) != fd)
        abort();
    CASE("stream after pipe", 1, 0, 1, fputc('a', stream));
    fclose(stream);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || sockets[0] != fd)
        abort();
    CASE("socket after stream", 0, 0, 0, write(fd, data, 10));
    close(fd);
    FILE *command = popen("echo x", "r");
    CASE("command", 0, 0, 0, fgets(text, sizeof text, command));
    fd = fileno(command);
    pclose(command);
    stream = fopen("reused", "w");
    if (fileno(stream) != fd)
        abort();
    CASE("stream after command", 1, 0, 1, fputs("x", stream));
    fclose(stream);
    CASE("invalid", 0, 0, 0, write(-1, data, 10));
}

static void streams_out(void) {
    FILE *stream = fopen("stream", "w+");
    CASE("fwrite", 2, 0, 50007, fwrite(data, 1, 7, stream); fwrite(data, 10, 5000, stream));
    CASE(
        "fputc", 3000, 0, 3000, for (int i = 0; i < 1000; i++) {
            fputc('a', stream);
            putc('b', stream);
            fputc_unlocked('c', stream);
        });
    CASE("fputs", 2, 0, 10, fputs("12345", stream); fputs_unlocked("12345", stream));
    CASE("fprintf", 2, 0, 16, fprintf(stream, "%5d|%s\n", 42, "x"); fprintf(stream, "%08x", 1));
    CASE("fwrite_unlocked", 1, 0, 64, fwrite_unlocked(data, 8, 8, stream));
    CASE("putw", 1, 0, 4, putw(-1, stream));
    CASE("fflush", 0, 0, 0, fflush(stream); fflush(NULL));
    CASE("fseek", 0, 0, 0, fseek(stream, 0, SEEK_SET));
    CASE("fclose", 1, 0, 1, fputc('x', stream); fclose(stream); memset(text, 0, 1));
    FILE *unbuffered = fopen("unbuffered", "w");
    setvbuf(unbuffered, NULL, _IONBF, 0);
    CASE("unbuffered", 2, 0, 11, fputs("1234567890", unbuffered); fputc('1', unbuffered));
    /* Both layers of I/O on one file: each byte counts once, in the function to which the program passed it. */
    CASE("stream and descriptor", 2, 0, 15, fputs("1234567890", unbuffered);
         write(fileno(unbuffered), "12345", 5));
    fclose(unbuffered);
    FILE *read_only = fopen("unbuffered", "r");
    CASE("failed", 0, 0, 0, fputc('a', read_only); fputs("b", read_only); fprintf(read_only, "c"));
    fclose(read_only);
}

static void streams_in(void) {
    FILE *stream = fopen("lines", "w");
    for (int i = 0; i < 2000; i++)
        fprintf(stream, "%04d %04d\n", i, 2 * i);
    fclose(stream);
    stream = fopen("lines", "r");
    int a, b;
    char *line = NULL;
    size_t room = 0;
    CASE("fgets", 2, 20, 0, fgets(text, sizeof text, stream); fgets_unlocked(text, sizeof text, stream));
    CASE("fscanf", 1, 9, 0, fscanf(stream, "%d %d", &a, &b));
    CASE("fgetc", 3, 3, 0, fgetc(stream); getc(stream); fgetc_unlocked(stream));
    fgets(text, sizeof text, stream);
    CASE("getline", 1, 10, 0, getline(&line, &room, stream));
    CASE("getdelim", 1, 5, 0, getdelim(&line, &room, ' ', stream); line[0] = 0);
    CASE("fread", 1, 1000, 0, fread(data, 10, 100, stream));
    CASE("fread_unlocked", 1, 100, 0, fread_unlocked(data, 10, 10, stream));
    CASE("fscanf, many", 1000, 9999, 0, for (int i = 0; i < 1000; i++) fscanf(stream, "%d %d", &a, &b));
    CASE("fread, less than asked for", 1, 20000 - 55 - 1100 - 9999, 0, fread(data, 1, sizeof data, stream));
    CASE("getw", 1, 4, 0, rewind(stream); getw(stream));
    CASE("freopen", 1, 0, 2, stream = freopen("again", "w", stream); fputs("ab", stream));
    fclose(stream);
    free(line);
}

static void standard_output(void) {
    fflush(stdout);
    if (freopen("output", "w", stdout) == NULL)
        abort();
    CASE("printf", 1, 0, 6, printf("%d\n", 12345));
    CASE("puts", 1, 0, 4, puts("abc"));
    CASE("putchar", 2, 0, 2, putchar('a'); putchar(98));
    if (freopen("output", "r", stdin) == NULL)
        abort();
    int number;
    fflush(stdout);
    CASE("scanf", 1, 5, 0, scanf("%d", &number));
    CASE("getchar", 2, 2, 0, getchar(); getchar());
}

/* The I/O of a thread that enters no region is not counted. */
static void *unrecorded(void *argument) {
    (void)argument;
    FILE *stream = fopen("unrecorded", "w");
    fprintf(stream, "not counted");
    fclose(stream);
    return NULL;
}

static void *recorded(void *argument) {
    FILE *stream = fopen(argument, "w");
    enter_region("aa1|user|thread|||0|0|0");
    for (int i = 0; i < 1000; i++)
        fprintf(stream, "%09d\n", i);
    exit_region("aa1|user|thread|||0|0|0");
    fclose(stream);
    return NULL;
}

static void threads(void) {
    static char names[3][16] = {"thread0", "thread1", "thread2"};
    pthread_t several[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&several[i], NULL, recorded, names[i]);
    pthread_create(&several[3], NULL, unrecorded, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(several[i], NULL);
    fprintf(expectations, "thread\t3000\t0\t30000\n");
}

int main(void) {
    open_cases(0);
    descriptors();
    not_files();
    streams_out();
    streams_in();
    standard_output();
    threads();
    close_cases();
    return 0;
}
