/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softgen-harness: an I/O port between a fuzzer and its agent in the guest (docs/fuzzing.md). The agent includes this, too. */
#ifndef HW_QEMU_HARNESS_H
#define HW_QEMU_HARNESS_H

/* Where the ports are, unless the property `iobase` says otherwise. */
#define HARNESS_BASE 0x5e0

/* Offsets of ports, 4 bytes each. */
enum {
  HARNESS_DATA = 0,    /* read: 4 bytes of the input, then the next ones; write, 1 byte: output text */
  HARNESS_LENGTH = 4,  /* read: bytes of the input, 0 while there is none */
  HARNESS_COMMAND = 8, /* write: a command below, which stops the machine */
  HARNESS_STATUS = 12, /* write: the status that HARNESS_DONE reports */
  HARNESS_SIZE = 16
};
enum { HARNESS_READY = 1, HARNESS_DONE = 2 };

/* Bytes of an input, and of the output text, at most. */
#define HARNESS_MAX_BYTES (64 * 1024)

/* Registers the device. */
void softgen_harness_register_types(void);

#endif
