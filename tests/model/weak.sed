# Sources of src/move as Relacy sees them: atomic and plain variables are its own, enums in
# structs move out of them as C++ has it, and processes lose patience at once.
s/_Atomic (int64_t|double|int)\b/rl::atomic<\1>/
s/_Atomic double \*/rl::atomic<double> */
s/^(    enum offer) offer\[2\]/    plain<enum offer> offer[2]/
s/^    bool refused;/    plain<bool> refused;/
s/inline enum offer \*/inline plain<enum offer> */
s/^    (enum \{ SHOWN_NOWHERE.*\}) where;/    plain<int> where;/
s/^struct shown_place \{/enum { SHOWN_NOWHERE, SHOWN_IN_SEGMENT, SHOWN_IN_KIND };\n&/
s/^    enum \{ LISTENING.*\} state;/    int state;/
s/^struct incoming \{/enum { LISTENING, READING, UNPACKING, OVER };\n&/
s/CHANNEL_LINE = 64/CHANNEL_LINE = 16/
s/SPINS = 2000/SPINS = 1/
s/PATIENCE = 2016/PATIENCE = 3/
s/\bPATIENCE = 4000/VAIN = 3/
s/> PATIENCE\) receiving/> VAIN) receiving/
s/SHORT = 4 << 10/SHORT = 2 * GRAIN/
s/STRETCH = LENGTH\(.*\)/STRETCH = GRAIN/
s/__builtin_ia32_pause\(\)/(void)0/
s/\(void\)sched_yield\(\)/rl::yield(1, $)/
/^const struct exchange exchange_shared/,$d
