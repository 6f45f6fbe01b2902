// Streams of C++, whose buffers the library moves by read, write and writev.
extern "C" {
typedef void probe(const char *);
}
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

static probe *enter_region, *exit_region;
static std::string expected;

static void expect(const char *name, long long read, long long written) {
    expected += std::string(name) + "\t0\t" + std::to_string(read) + "\t" + std::to_string(written) + "\n";
}

#define CASE(name, read, written, ...)                                                                       \
    enter_region("aa1|user|" name "|||0|0|0");                                                               \
    { __VA_ARGS__; }                                                                                         \
    exit_region("aa1|user|" name "|||0|0|0");                                                                \
    expect(name, read, written)

int main() {
    enter_region = reinterpret_cast<probe *>(dlsym(RTLD_DEFAULT, "aa_probe_enter"));
    exit_region = reinterpret_cast<probe *>(dlsym(RTLD_DEFAULT, "aa_probe_exit"));
    std::vector<char> block(1 << 20, 'x');
    std::string word, text;
    double number;
    CASE("formatted", 0, 3000 * 12, std::ofstream out("numbers");
         for (int i = 0; i < 3000; i++) out << std::setw(11) << i * 0.5 << '\n');
    CASE("block", 0, 1 << 20, std::ofstream out("block", std::ios::binary); out.write(block.data(), 1 << 20));
    CASE("unbuffered", 0, 10, std::ofstream out; out.rdbuf()->pubsetbuf(nullptr, 0); out.open("small");
         for (int i = 0; i < 10; i++) out.put('x'));
    CASE("flushed", 0, 20, std::ofstream out("lines"); for (int i = 0; i < 10; i++) out << i << std::endl);
    CASE("numbers read", 3000 * 12, 0, std::ifstream in("numbers"); while (in >> number) {});
    CASE("lines read", 20, 0, std::ifstream in("lines"); while (std::getline(in, text)) {});
    CASE("block read", 1 << 20, 0, std::ifstream in("block", std::ios::binary);
         in.read(block.data(), 1 << 20));
    CASE("both ways", 5, 10, std::fstream both("both", std::ios::in | std::ios::out | std::ios::trunc);
         both << "0123456789"; both.seekg(5); both >> word);
    CASE("in memory", 0, 0, std::ostringstream out; out << "nothing");
    std::FILE *file = std::fopen("expected.0", "w");
    std::fputs(expected.c_str(), file);
    std::fclose(file);
    return word == "56789" ? 0 : 1;
}
