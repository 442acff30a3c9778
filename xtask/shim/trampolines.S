// A libcuda of trampolines: each function of the driver jumps through its slot of a
// table, with every argument where the caller put it. All slots hold `first_call` at
// first, which lets resolve.c fill the table and then jumps again.
//
// functions.inc, which `cargo xtask shim` writes, has a line
// `FUNCTION number, name` for each function, numbered from 0.

#if defined(__x86_64__)

// r11 is free between a caller and what it calls: it carries the number.
.macro FUNCTION number, name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    movl $\number, %r11d
    jmp *(starpath_cuda_table + 8 * \number)(%rip)
    .cfi_endproc
    .size \name, . - \name
.endm

    .text
    .type first_call, @function
first_call:
    .cfi_startproc
    endbr64
    // What may carry arguments, and r11. The stack is 8 off a multiple of 16 here,
    // and 200 more put it right for the call.
    subq $200, %rsp
    .cfi_adjust_cfa_offset 200
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movq %r11, 56(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    call starpath_cuda_resolve
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movq 56(%rsp), %r11
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    addq $200, %rsp
    .cfi_adjust_cfa_offset -200
    leaq starpath_cuda_table(%rip), %r10
    jmp *(%r10, %r11, 8)
    .cfi_endproc
    .size first_call, . - first_call

#elif defined(__aarch64__)

// x16 and x17 are free between a caller and what it calls: x16 carries the number.
.macro FUNCTION number, name
    .globl \name
    .type \name, %function
\name:
    .cfi_startproc
    hint #34 // bti c
    mov x16, #\number
    adrp x17, starpath_cuda_table
    add x17, x17, :lo12:starpath_cuda_table
    ldr x17, [x17, x16, lsl #3]
    br x17
    .cfi_endproc
    .size \name, . - \name
.endm

    .text
    .type first_call, %function
first_call:
    .cfi_startproc
    hint #34 // bti c
    // What may carry arguments, x16 and the return address.
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x16, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    bl starpath_cuda_resolve
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x8, x16, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    adrp x17, starpath_cuda_table
    add x17, x17, :lo12:starpath_cuda_table
    ldr x17, [x17, x16, lsl #3]
    br x17
    .cfi_endproc
    .size first_call, . - first_call

#else
#error "the shim knows x86-64 and aarch64 only: link with the libcuda of a CUDA toolkit"
#endif

#include "functions.inc"

.purgem FUNCTION
.macro FUNCTION number, name
    .quad first_call
.endm

    .section .data.rel.local, "aw"
    .balign 8
    .globl starpath_cuda_table
    .hidden starpath_cuda_table
starpath_cuda_table:
#include "functions.inc"

.purgem FUNCTION
.macro FUNCTION number, name
    .asciz "\name"
.endm

// The names one after the other, in the order of the table; an empty one ends them.
    .section .rodata
    .globl starpath_cuda_names
    .hidden starpath_cuda_names
starpath_cuda_names:
#include "functions.inc"
    .byte 0

    .section .note.GNU-stack, "", %progbits
