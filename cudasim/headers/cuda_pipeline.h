// The functions of a thread: copies are made at once.
#include <cuda_pipeline_primitives.h>
