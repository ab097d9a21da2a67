/* A client of local hashing: cc hashing.c -o client; ./client d g p < items > reports.csv */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t word(void) { /* 64 random bits of the operating system */
    static FILE *source;
    uint64_t bits;
    if (!source) source = fopen("/dev/urandom", "rb");
    if (!source || fread(&bits, sizeof bits, 1, source) != 1) abort();
    return bits;
}

static uint32_t below(uint32_t bound) { /* a whole number below the bound, all alike */
    uint32_t bits, most = UINT32_MAX - UINT32_MAX % bound;
    do bits = (uint32_t)word(); while (bits >= most);
    return bits % bound;
}

static uint32_t bucket(uint32_t item, uint32_t seed, uint32_t g) {
    uint32_t h = seed + 374761397u + 3266489917u * item;
    h = 668265263u * (h << 17 | h >> 15);
    h = 2246822519u * (h ^ h >> 15);
    h = 3266489917u * (h ^ h >> 13);
    return (uint32_t)((uint64_t)(h ^ h >> 16) * g >> 32);
}

int main(int count, char **words) {
    if (count != 4) return 2;
    uint32_t item, g = (uint32_t)strtoul(words[2], NULL, 10);
    double p = strtod(words[3], NULL);
    puts("seed,value");
    while (scanf("%" SCNu32, &item) == 1) {
        uint32_t seed = (uint32_t)word(), value = bucket(item, seed, g);
        if ((double)(word() >> 11) * 0x1p-53 >= p) {
            uint32_t other = below(g - 1);
            value = other + (other >= value);
        }
        printf("%" PRIu32 ",%" PRIu32 "\n", seed, value);
    }
    return 0;
}
