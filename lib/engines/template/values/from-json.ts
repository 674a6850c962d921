import type { Value, ValueMap } from './value.ts'

/**
 * Converts JSON or YAML data to template values. Copies it, so that `set` in a template can't modify the caller's data. Integers become
 * int64, as Flux decodes inputs; with `integers: 'float64'`, what encoding/json decodes.
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
