import type { Value } from '../values.ts'

/**
 * What `name(...)` or `receiver.name(...)` does; the receiver is the first argument. Going over the arguments once is paid for: what does
 * more gets `spend` as its last argument. Fails with a CelError.
 */
export type CelFunction = (...args: never[]) => Value

/**
 * Functions by their signatures, such as `string.charAt(int): string`; `a.b.name(...)` with a namespace in front are told
 * from methods by `::`, as in `base64::decode(string): bytes`.
 */
export type Functions = Readonly<Record<string, CelFunction>>
