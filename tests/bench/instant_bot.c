/* A bot that answers at once: Lines of Action when it is greeted with "ugi", chess with "uci".

   Lines of Action: each side shuffles one piece to and fro, so that a game lasts to its ply limit.
   Chess: a fixed game of a hundred plies. Knights move, nothing is taken, nobody is in check and
   no position comes twice, so that the fifty-move rule ends it and nothing else does.

   The environment says what more is wanted of it:
     BOT_TALLY     a file of three 64-bit numbers that all bots of a run count in (tally.py)
     BOT_PLIES     when the game is over, for runners that ask ("query gameover"); 100
     BOT_SLEEP_US  sleep so long before an answer, and say in an info line how long it really took
     BOT_WORK      compute so many rounds before an answer
     BOT_STUBBORN  ignore "quit", the end of input and SIGTERM */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CHESS_PLIES 100
#define STUBBORN_FOR_SECONDS 120 /* whatever else fails, it does not stay for ever */

struct tally {
    uint64_t answers, first_request_ns, last_answer_ns;
};

static const char *const shuffle[4] = {"b1b3", "h4f2", "b3b1", "f2h4"};
static const char chess_game[CHESS_PLIES * 5 + 1] =
    "b1a3 b8a6 a3b5 a6b8 b5c3 b8c6 c3b5 g8f6 b5c3 c6e5 g1h3 e5c4 h3f4 c4e3 c3a4 f6h5 f4h3 h5f6 "
    "a4c3 f6h5 c3b5 e3c4 b5a3 h5g3 a3b5 c4a3 b5d4 g3h5 d4b3 a3c4 h3f4 c4a5 b3c5 h5f6 f4h5 a5b3 "
    "c5a4 b3c5 a4b6 c5b3 b6c4 f6g8 c4a5 g8f6 h5g3 f6g4 a5c6 b3c5 c6a5 g4e3 g3h5 c5a4 a5c6 a4c3 "
    "h5f4 c3e4 c6e5 e3f5 f4e6 e4d6 e6g5 f5h6 g5h3 h6f5 h3f4 f5h6 e5g4 d6c4 f4e6 h6g8 g4e3 c4d6 "
    "e6g5 d6c4 e3f5 g8h6 g5e6 h6g4 e6d4 c4a5 d4c6 a5b3 f5d4 g4e5 c6b4 b3c5 d4b5 c5e4 b4d5 e4d6 "
    "d5b4 e5g6 b4c6 g6e5 b5c3 d6f5 c6a5 f5h6 c3b1 h6g8 ";

static char buffer[1 << 16];
static struct tally unshared, *tally = &unshared;
static long game_plies = CHESS_PLIES, sleep_us, work_rounds;
static int is_chess, is_stubborn;
static volatile uint64_t computed; /* keeps the compiler from leaving the work out */

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) _exit(1);
}

static void compute(long rounds) {
    uint64_t state = 88172645463325252u;
    for (long round = 0; round < rounds; round++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    computed = state;
}

static void answer(int played, uint64_t read_ns) {
    static const char word[] = "bestmove ";
    char text[80];
    size_t length = 0;
    uint64_t none = 0;
    if (!tally->first_request_ns)
        __atomic_compare_exchange_n(&tally->first_request_ns, &none, read_ns, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    if (work_rounds) compute(work_rounds);
    if (sleep_us) {
        struct timespec pause = {sleep_us / 1000000, sleep_us % 1000000 * 1000};
        nanosleep(&pause, NULL);
        length = (size_t)sprintf(text, "info string own-ns %llu\n",
                                 (unsigned long long)(now_ns() - read_ns));
    }
    const char *move = is_chess ? chess_game + played % CHESS_PLIES * 5 : shuffle[played % 4];
    memcpy(text + length, word, sizeof word - 1);
    length += sizeof word - 1;
    memcpy(text + length, move, 4);
    text[length + 4] = '\n';
    __atomic_fetch_add(&tally->answers, 1, __ATOMIC_RELAXED);
    tally->last_answer_ns = now_ns();
    if (write(1, text, length + 5) < 0) _exit(1);
}

static int handle(const char *line, int played, uint64_t read_ns) {
    if (!strncmp(line, "position", 8)) {
        const char *moves = strstr(line, " moves ");
        return moves ? (int)((strlen(moves) - 7 + 1) / 5) : 0;
    }
    if (!strncmp(line, "go", 2)) answer(played, read_ns);
    else if (!strcmp(line, "isready")) say("readyok\n");
    else if (!strcmp(line, "ugi")) say("id name instant\nugiok\n");
    else if (!strcmp(line, "uci")) {
        is_chess = 1;
        say("id name instant\nid author none\nuciok\n");
    } else if (!strcmp(line, "query p1turn"))
        say(played % 2 ? "response false\n" : "response true\n");
    else if (!strcmp(line, "query gameover"))
        say(played < game_plies ? "response false\n" : "response true\n");
    else if (!strcmp(line, "query result"))
        say(played < game_plies ? "response none\n" : "response draw\n");
    else if (!strcmp(line, "quit") && !is_stubborn) exit(0);
    return played;
}

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static void read_environment(void) {
    const char *file = getenv("BOT_TALLY");
    game_plies = number("BOT_PLIES", game_plies);
    sleep_us = number("BOT_SLEEP_US", 0);
    work_rounds = number("BOT_WORK", 0);
    is_stubborn = number("BOT_STUBBORN", 0) != 0;
    if (file) {
        int descriptor = open(file, O_RDWR);
        void *shared = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (descriptor < 0 || shared == MAP_FAILED) {
            perror(file);
            exit(1);
        }
        close(descriptor);
        tally = shared;
    }
    if (is_stubborn) {
        signal(SIGTERM, SIG_IGN);
        alarm(STUBBORN_FOR_SECONDS);
    }
}

int main(void) {
    size_t used = 0;
    int played = 0;
    ssize_t count;
    read_environment();
    while ((count = read(0, buffer + used, sizeof buffer - used - 1)) > 0) {
        /* What it takes itself is no runner's: the time is asked for where it is wanted. */
        uint64_t read_ns = sleep_us || !tally->first_request_ns ? now_ns() : 0;
        used += (size_t)count;
        buffer[used] = 0;
        char *line = buffer, *end;
        while ((end = strchr(line, '\n'))) {
            *end = 0;
            played = handle(line, played, read_ns);
            line = end + 1;
        }
        used = strlen(line);
        memmove(buffer, line, used + 1);
    }
    while (is_stubborn) pause();
    return 0;
}
