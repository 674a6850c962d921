/**
 * How deep walks along a schema go: more is no manifest but an attack on the stack. Validation refuses what is nested
 * deeper, so the other walks may leave it as it is.
 */
export const deepest = 128
