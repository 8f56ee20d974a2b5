// What minigrad.jit puts around a kernel that it does not write: PROLOGUE(x, i) reads element
// i of x, EPILOGUE(i, value) makes of the result's element i what is stored. MORE: the
// parameters that these need. As they stand here they do nothing.
#ifndef MORE
#define MORE
#endif
#ifndef PROLOGUE
#define PROLOGUE(x, i) x[i]
#endif
#ifndef EPILOGUE
#define EPILOGUE(i, value) value
#endif
