/** What passes use, in sums. */
export interface Usage {
  /** Passes, and checks of units at rest. */
  readonly passes: number
  /** Their durations in milliseconds. */
  readonly ms: number
  /** HTTP requests to clusters other than the hub. */
  readonly requests: number
  /** Bytes of the bodies of those requests and responses. */
  readonly bytes: number
  /** Units of the table on AWS. */
  readonly readUnits: number
  readonly writeUnits: number
  /** GB-milliseconds of functions on AWS, with those that run at the same time sharing a function's time. */
  readonly gbMs: number
}

export const usageFields = ['passes', 'ms', 'requests', 'bytes', 'readUnits', 'writeUnits', 'gbMs'] as const

const combined = (of: (field: keyof Usage) => number): Usage =>
  Object.fromEntries(usageFields.map(field => [field, of(field)])) as unknown as Usage

export const noUsage: Usage = combined(() => 0)

/** The sum of each field; zeros for no usage at all. */
const sumOfUsage = (...all: readonly Usage[]): Usage =>
  combined(field => all.reduce((sum, usage) => sum + usage[field], 0))

/** Each field times a factor: a share of what several checks used together, or the sum of many like it. */
export const timesUsage = (factor: number, usage: Usage): Usage => combined(field => factor * usage[field])

/** What was used for a namespace and a cluster. */
export interface UsageOf extends Usage {
  readonly namespace: string
  /** `Secret/apps/prod`, as the unit names its access; `hub` for the hub itself, and for sources. */
  readonly cluster: string
}

/** Sums of what has the same key, the largest number of passes first. */
export const usageBy = (
  entries: readonly UsageOf[],
  keyOf: (entry: UsageOf) => string,
): readonly (Usage & { readonly key: string })[] =>
  [...Map.groupBy(entries, keyOf)]
    .map(([key, group]) => ({ key, ...sumOfUsage(...group) }))
    .sort((a, b) => b.passes - a.passes || (a.key < b.key ? -1 : 1))
