import {
  CelType,
  Duration,
  isList,
  isMap,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../../../../lib/engines/cel/values.ts'

/** A value as text, so that values of different types never look alike: as `test/bed/cel-oracle/describe.go` writes them. */
export const valueText = (value: Value): string => {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `int ${value}`
  if (typeof value === 'number') return `double ${Object.is(value, -0) ? '-0' : value}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Uint) return `uint ${value.value}`
  if (value instanceof Timestamp) return timestampText(value.ns)
  if (value instanceof Duration) return `duration ${value.ns}`
  if (value instanceof CelType) return `type ${value.name}`
  if (value instanceof Optional) return `optional(${value.value === undefined ? '' : valueText(value.value)})`
  if (isList(value)) return `[${value.map(valueText).join(', ')}]`
  if (!isMap(value)) return `bytes ${Buffer.from(value).toString('hex')}`
  const entries = [...value].map(([key, field]) => `${valueText(key)}: ${valueText(field)}`)
  return `{${entries.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(', ')}}`
}

const timestampText = (ns: bigint): string => {
  const fraction = ((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return `timestamp ${(ns - fraction) / 1_000_000_000n} ${fraction}`
}
