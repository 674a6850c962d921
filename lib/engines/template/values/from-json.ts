import type { Value, ValueMap } from './value.ts'

/**
 * Data of JSON or YAML as a template's values, copied, so that `set` in a template can't change what the caller holds.
 * Integers become int64, as where Flux decodes inputs; with `integers: 'float64'` they become what encoding/json makes of them.
 */
export const fromJson = (json: unknown, { integers }: { readonly integers?: 'float64' } = {}): Value => {
  const convert = (node: unknown): Value => {
    switch (typeof node) {
      case 'number':
        return integers !== 'float64' && Number.isInteger(node) && node >= -(2 ** 63) && node < 2 ** 63
          ? BigInt(node)
          : node
      case 'bigint':
        return integers !== 'float64' && BigInt.asIntN(64, node) === node ? node : Number(node)
      case 'string':
      case 'boolean':
        return node
      case 'object':
        break
      default:
        return null
    }
    if (node === null) return null
    if (Array.isArray(node)) return node.map(convert)
    const map: ValueMap = new Map()
    for (const key of Object.keys(node)) map.set(key, convert((node as Record<string, unknown>)[key]))
    return map
  }
  return convert(json)
}
