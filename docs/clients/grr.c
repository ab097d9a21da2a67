/* A client of GRR: ./client EPSILON ITEMS reads an item a line and writes a report a line. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t word(void) { /* 64 random bits of the operating system */
    static FILE *source;
    uint64_t bits;
    if (!source) source = fopen("/dev/urandom", "rb");
    if (!source || fread(&bits, sizeof bits, 1, source) != 1) abort();
    return bits;
}

static uint64_t below(uint64_t bound) { /* each number below the bound with equal chances */
    uint64_t bits, most = UINT64_MAX - UINT64_MAX % bound;
    do bits = word(); while (bits >= most);
    return bits % bound;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    unsigned long item, d = strtoul(words[2], NULL, 10);
    double odds = exp(strtod(words[1], NULL)), p = odds / (odds + d - 1);
    while (scanf("%lu", &item) == 1) {
        unsigned long other = below(d - 1);
        other += other >= item;
        printf("%lu\n", (word() >> 11) * 0x1p-53 < p ? item : other);
    }
}
