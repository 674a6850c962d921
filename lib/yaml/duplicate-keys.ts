import type { YamlNode } from './node.ts'

/** How many problems with the keys of a document are named: a message must not grow with what somebody sends. */
export const MOST_PROBLEMS = 100

/** Every pair of keys that are the same, in the order of the first; no more than are named. */
export const duplicateKeys = ({ content }: YamlNode): string[] => {
  if (!repeatsValues(content)) return []
  const groups = new Map<string, YamlNode[]>()
  for (let i = 0; i < content.length; i += 2) {
    const name = `${content[i]!.kind} ${content[i]!.value}`
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(content[i]!)
  }
  return pairsOf(groups.values()).take(MOST_PROBLEMS).toArray()
}

/** Hardly a mapping does: most need no groups. */
const repeatsValues = (content: readonly YamlNode[]): boolean => {
  const values = new Set<string>()
  for (let i = 0; i < content.length; i += 2) values.add(content[i]!.value)
  return values.size < content.length / 2
}

function* pairsOf(groups: Iterable<readonly YamlNode[]>): Generator<string, undefined> {
  for (const group of groups)
    for (const [i, { line }] of group.entries())
      for (const key of group.slice(i + 1))
        yield `line ${key.line}: mapping key ${JSON.stringify(key.value)} already defined at line ${line}`
}
