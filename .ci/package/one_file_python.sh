#!/bin/sh
# Python with the C library that it was built for, whatever this system has.
here=${0%/bin/*}
exec "$here/lib/ld.so" --library-path "$here/lib" --argv0 "$0" "$here/bin/python.bin" "$@"
