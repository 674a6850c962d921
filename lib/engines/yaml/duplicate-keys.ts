import type { YamlNode } from './node.ts'

/** Maximum number of key problems reported per document: the message must not grow with the input. */
export const MAX_PROBLEMS = 100

/** All pairs of equal keys, in the order of the first; at most `MAX_PROBLEMS`. */
export const duplicateKeys = ({ content }: YamlNode): string[] => {
  if (!repeatsValues(content)) return []
  const keys = content.filter((_, i) => i % 2 === 0)
  return pairsOf(keys).take(MAX_PROBLEMS).toArray()
}

/** Up to so many keys, comparing each with each costs less than a set. */
const MAX_LINEAR_KEYS = 8

/** Duplicates are rare: most mappings need no grouping. */
const repeatsValues = (content: readonly YamlNode[]): boolean => {
  if (content.length <= 2 * MAX_LINEAR_KEYS) {
    for (let i = 2; i < content.length; i += 2)
      for (let j = 0; j < i; j += 2) if (content[i]!.value === content[j]!.value) return true
    return false
  }
  const values = new Set<string>()
  for (let i = 0; i < content.length; i += 2) values.add(content[i]!.value)
  return values.size < content.length / 2
}

function* pairsOf(keys: readonly YamlNode[]): Generator<string, undefined> {
  const nameOf = ({ kind, value }: YamlNode) => `${kind} ${value}`
  const rest = Map.groupBy(keys, nameOf)
  for (const key of keys) {
    const later = rest.get(nameOf(key))!
    later.shift()
    for (const { line, value } of later)
      yield `line ${line}: mapping key ${JSON.stringify(value)} already defined at line ${key.line}`
  }
}
