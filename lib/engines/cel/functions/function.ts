import type { Value } from '../values.ts'

/**
 * Implements `name(...)` or `receiver.name(...)`; the receiver is the first argument. The caller has paid for one traversal of the
 * arguments; a function that does more gets `spend` as its last argument. Fails with a CelError.
 */
export type CelFunction = (...args: never[]) => Value

/**
 * Functions by signature, such as `string.charAt(int): string`. `::` separates a namespace, which distinguishes it from a receiver:
 * `base64::decode(string): bytes`.
 */
export type Functions = Readonly<Record<string, CelFunction>>
