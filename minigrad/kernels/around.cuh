// What minigrad.jit puts around a kernel that it does not write: HEAD(x, i) reads element
// i of x, TAIL(i, value) makes of the result's element i what is stored. MORE: the
// parameters that these need. As they stand here they do nothing.
#ifndef MORE
#define MORE
#endif
#ifndef HEAD
#define HEAD(x, i) x[i]
#endif
#ifndef TAIL
#define TAIL(i, value) value
#endif
