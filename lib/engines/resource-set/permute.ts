import { adler32 } from '../../foundations/go/adler32.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import { inputKey } from './input-key.ts'

const MAX_PERMUTATIONS = 10_000

/** The sets that one object contributes to the combinations. */
export interface Factor {
  /** `<kind>/<name>`, for errors. */
  readonly of: string
  readonly name: string
  readonly sets: readonly InputSet[]
}

/**
 * All combinations of one set per factor: each set under its factor's key, and an id made from the positions of the sets, so that it is
 * stable as long as they are (RS-018, RS-030). Factors without sets are skipped unless included, in which case there are no combinations
 * (RS-028). If two factors share a key, the later one's sets replace the earlier one's, including in the number of combinations and in their
 * ids (RS-025). Fails if there are more than 10,000.
 */
export const permute = (factors: readonly Factor[], includeEmpty: boolean): readonly InputSet[] => {
  const keys: string[] = []
  const byKey = new Map<string, readonly InputSet[]>()
  let isEmpty = false
  for (const { of, name, sets } of factors) {
    if (sets.length === 0) {
      isEmpty ||= includeEmpty
      continue
    }
    keys.push(inputKey(name))
    byKey.set(inputKey(name), sets)
    const size = keys.reduce((product, key) => product * byKey.get(key)!.length, 1)
    if (size > MAX_PERMUTATIONS) throw tooMany(of, name, sets.length, size)
  }
  if (isEmpty || keys.length === 0) return []
  return combinations(keys.map(key => [key, byKey.get(key)!])).map(({ parts, places }) => ({
    id: String(adler32(places.join('/'))),
    ...Object.fromEntries(parts),
  }))
}

const tooMany = (of: string, name: string, sets: number, size: number): Error =>
  new Error(
    `failed to get inputs from ${of}: adding provider '${name}' with ${sets} inputs would exceed the maximum allowed permutations. max: ${MAX_PERMUTATIONS}, got: ${size}`,
  )

interface Combination {
  readonly parts: readonly (readonly [key: string, set: InputSet])[]
  /** `<key>=<position>` of each factor. */
  readonly places: readonly string[]
}

/** The last factor varies fastest. */
const combinations = (factors: readonly (readonly [key: string, sets: readonly InputSet[]])[]): Combination[] =>
  factors.reduce<Combination[]>(
    (before, [key, sets]) =>
      before.flatMap(({ parts, places }) =>
        sets.map((set, at) => ({ parts: [...parts, [key, set] as const], places: [...places, `${key}=${at}`] })),
      ),
    [{ parts: [], places: [] }],
  )
