// Traps at the entries of functions: whoever calls one throws, and it is noted which.
//
// While `learning`, what is called is let through from then on instead.

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

#if defined(__x86_64__)
using Code = uint8_t;
constexpr Code TRAP = 0xCC;  // int3; the counter is behind it
constexpr int BEHIND = 1;
#define COUNTER(context) (context)->uc_mcontext.gregs[REG_RIP]
#elif defined(__aarch64__)
using Code = uint32_t;
constexpr Code TRAP = 0xD4200000;  // brk #0
constexpr int BEHIND = 0;
#define COUNTER(context) (context)->uc_mcontext.pc
#endif
constexpr int ALL = PROT_READ | PROT_WRITE | PROT_EXEC;

std::vector<uintptr_t> places;
std::vector<Code> codes;
std::vector<bool> open;
bool learning = false;
volatile long first = -1;

void write_code(size_t n, Code code) {
    memcpy(reinterpret_cast<void*>(places[n]), &code, sizeof code);
    auto* begin = reinterpret_cast<char*>(places[n]);
    __builtin___clear_cache(begin, begin + sizeof code);
}

bool all_pages(int protection) {
    const uintptr_t page = sysconf(_SC_PAGESIZE);
    uintptr_t begin = 0, end = 0;
    auto protect = [&] {
        return begin == end || !mprotect(reinterpret_cast<void*>(begin), end - begin,
                                         protection);
    };
    for (uintptr_t place : places) {
        const uintptr_t at = place & -page, last = place + sizeof(Code) - 1;
        const uintptr_t behind = (last & -page) + page;
        if (at > end) {
            if (!protect()) return false;
            begin = at;
        }
        end = behind;
    }
    return protect();
}

[[noreturn]] void refuse() { throw std::runtime_error("ATen is called"); }

void on_trap(int, siginfo_t*, void* given) {
    auto* context = static_cast<ucontext_t*>(given);
    const uintptr_t place = COUNTER(context) - BEHIND;
    const auto found = std::lower_bound(places.begin(), places.end(), place);
    if (found == places.end() || *found != place) _exit(1);
    const size_t n = found - places.begin();
    if (learning) {
        open[n] = true;
        write_code(n, codes[n]);
        COUNTER(context) = place;
        return;
    }
    if (first < 0) first = n;
    COUNTER(context) = reinterpret_cast<uintptr_t>(&refuse);
}

}  // namespace

extern "C" {

// Where the traps are, in ascending order. 0: all is well.
int traps_place(const uintptr_t* given, size_t count) {
    places.assign(given, given + count);
    open.assign(count, false);
    codes.resize(count);
    for (size_t n = 0; n < count; n++)
        memcpy(&codes[n], reinterpret_cast<void*>(places[n]), sizeof(Code));
    struct sigaction action = {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGTRAP, &action, nullptr) || !all_pages(ALL);
}

void traps_set(bool learn) {
    learning = learn;
    for (size_t n = 0; n < places.size(); n++)
        if (!open[n]) write_code(n, TRAP);
    if (!learn) all_pages(PROT_READ | PROT_EXEC);
}

// Take the traps away: the first place that was called; -1: none; -2: one is missing.
long traps_end() {
    struct sigaction action = {};
    sigaction(SIGTRAP, nullptr, &action);
    if (first < 0 && action.sa_sigaction != on_trap) first = -2;
    all_pages(ALL);
    for (size_t n = 0; n < places.size(); n++) {
        Code code;
        memcpy(&code, reinterpret_cast<void*>(places[n]), sizeof code);
        if (first == -1 && !open[n] && code != TRAP) first = -2;
        write_code(n, codes[n]);
    }
    return first;
}
}
