/* An instant bot for UGI: shuffles one piece to and fro, so that a game lasts to its ply limit. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 16];
static const char *const moves[4] = {"b1b3", "h4f2", "b3b1", "f2h4"};

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) _exit(1);
}

static int handle(const char *line, int played) {
    if (!strcmp(line, "ugi")) say("id name instant\nugiok\n");
    else if (!strcmp(line, "isready")) say("readyok\n");
    else if (!strncmp(line, "position", 8)) {
        const char *list = strstr(line, "moves ");
        return list ? (int)((strlen(list) - 6 + 1) / 5) : 0;
    } else if (!strncmp(line, "go", 2)) {
        char answer[32];
        snprintf(answer, sizeof answer, "bestmove %s\n", moves[played % 4]);
        say(answer);
    } else if (!strcmp(line, "quit")) _exit(0);
    return played;
}

int main(void) {
    size_t used = 0;
    int played = 0;
    ssize_t count;
    while ((count = read(0, buffer + used, sizeof buffer - used - 1)) > 0) {
        used += (size_t)count;
        buffer[used] = 0;
        char *line = buffer, *end;
        while ((end = strchr(line, '\n'))) {
            *end = 0;
            played = handle(line, played);
            line = end + 1;
        }
        used = strlen(line);
        memmove(buffer, line, used + 1);
    }
    return 0;
}
