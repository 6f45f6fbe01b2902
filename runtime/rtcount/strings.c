/* Repeated string instructions. SPDX-License-Identifier: GPL-2.0-or-later */
#include "strings.h"

#include "counts.h"

#if defined(VGA_amd64)

static Bool is_prefix(UChar byte) {
    return byte == 0x66 || byte == 0x67 || byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

/*
 * Returns whether an opcode belongs to movs, cmps, stos, lods or scas; the opcodes of test are between
 * them.
 */
static Bool is_string(UChar opcode) {
    return opcode >= 0xa4 && opcode <= 0xaf && opcode != 0xa8 && opcode != 0xa9;
}

Bool rc_is_repeated(Addr address, UInt length) {
    const UChar *bytes = (const UChar *)address;
    Bool repeats = False;
    for (UInt i = 0; i + 1 < length; i++) {
        Bool is_repeat = bytes[i] == 0xf2 || bytes[i] == 0xf3;
        if (!is_repeat && !is_prefix(bytes[i]))
            return False;
        repeats |= is_repeat;
    }
    return repeats && is_string(bytes[length - 1]);
}

#else

Bool rc_is_repeated(Addr address, UInt length) {
    return False;
}

#endif

static void access_line(Addr address, UWord size) {
    rc_counts.accesses++;
    rc_access(address, size);
}

VG_REGPARM(2) void rc_access_element(Addr address, UWord numbered_size) {
    Addr *line = &rc_strings.lines[numbered_size >> SIZE_BITS], before = *line,
         mask = -1UL << rc_l1.line_bits;
    Addr first = address & mask, last = (address + (numbered_size & ((1 << SIZE_BITS) - 1)) - 1) & mask;
    if (first != before)
        access_line(address, 1);
    if (last != before && last != first)
        access_line(last, 1);
    *line = last == before ? first : last;
}

void rc_end_string(void) {
    rc_counts.instructions++;
    rc_strings = (Strings){{0, 0}};
}
