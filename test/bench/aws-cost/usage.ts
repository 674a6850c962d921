/** What a function of the hub is billed by. */
export interface Usage {
  invocations: number
  gbSeconds: number
  /** DynamoDB request units. */
  readUnits: number
  writeUnits: number
  /** PUT and COPY. */
  s3Puts: number
  s3Lists: number
  s3Gets: number
  sqsRequests: number
  kmsRequests: number
  logBytes: number
}

export const nothing: Usage = {
  invocations: 0,
  gbSeconds: 0,
  readUnits: 0,
  writeUnits: 0,
  s3Puts: 0,
  s3Lists: 0,
  s3Gets: 0,
  sqsRequests: 0,
  kmsRequests: 0,
  logBytes: 0,
}

const fields = Object.keys(nothing) as (keyof Usage)[]

const combined = (of: (field: keyof Usage) => number): Usage =>
  Object.fromEntries(fields.map(field => [field, of(field)])) as unknown as Usage

export const sum = (...usages: readonly Usage[]): Usage =>
  combined(field => usages.reduce((total, usage) => total + usage[field], 0))

export const times = (factor: number, usage: Usage): Usage => combined(field => factor * usage[field])

/** By function. */
export type UsageByFunction = Readonly<Record<string, Usage>>

export const timesByFunction = (factor: number, usages: UsageByFunction): UsageByFunction =>
  Object.fromEntries(Object.entries(usages).map(([name, usage]) => [name, times(factor, usage)]))

/** By function, what of one is beyond another. */
export const less = (usage: UsageByFunction, other: UsageByFunction): UsageByFunction =>
  Object.fromEntries(Object.entries(usage).map(([name, used]) => [name, sum(used, times(-1, other[name] ?? nothing))]))
