/* Two processes send a line to and fro over pipes: what any match runner pays at the least.
   ping_pong TRIPS prints nanoseconds of one round trip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void exchange(int in, int out, char *buffer, const char *line) {
    if (write(out, line, strlen(line)) < 0) _exit(1);
    if (read(in, buffer, 4096) <= 0) _exit(1);
}

int main(int argc, char **argv) {
    long trips = argc > 1 ? atol(argv[1]) : 10000;
    int there[2], back[2];
    char buffer[4096];
    if (pipe(there) || pipe(back)) return 1;
    pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        close(back[0]);
        while (read(there[0], buffer, sizeof buffer) > 0)
            if (write(back[1], "bestmove b1b3\n", 14) < 0) _exit(1);
        _exit(0);
    }
    close(there[0]);
    close(back[1]);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long trip = 0; trip < trips; trip++)
        exchange(back[0], there[1], buffer, "go p1time 600000 p2time 600000\n");
    clock_gettime(CLOCK_MONOTONIC, &end);
    close(there[1]);
    waitpid(child, NULL, 0);
    printf("%.1f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / trips);
    return 0;
}
