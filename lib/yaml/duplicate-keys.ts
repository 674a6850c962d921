import type { YamlNode } from './node.ts'

/** How many problems with the keys of a document are named: a message must not grow with what somebody sends. */
export const MOST_PROBLEMS = 100

/** Every pair of keys that are the same, in the order of the first; no more than are named. */
export const duplicateKeys = ({ content }: YamlNode): string[] => {
  if (!hasDuplicates(content)) return []
  const groups = new Map<string, YamlNode[]>()
  for (let i = 0; i < content.length; i += 2) {
    const name = `${content[i]!.kind} ${content[i]!.value}`
    const group = groups.get(name) ?? []
    if (group.length <= MOST_PROBLEMS) group.push(content[i]!)
    groups.set(name, group)
  }
  return pairsOf(groups.values()).take(MOST_PROBLEMS).toArray()
}

function* pairsOf(groups: Iterable<readonly YamlNode[]>): Generator<string, undefined> {
  for (const group of groups)
    for (const [i, { line }] of group.entries())
      for (const key of group.slice(i + 1))
        yield `line ${key.line}: mapping key ${JSON.stringify(key.value)} already defined at line ${line}`
}

const hasDuplicates = (content: readonly YamlNode[]): boolean => {
  if (content.length > 32) {
    const names = new Set<string>()
    for (let i = 0; i < content.length; i += 2) names.add(`${content[i]!.kind} ${content[i]!.value}`)
    return names.size < content.length / 2
  }
  for (let i = 2; i < content.length; i += 2)
    for (let j = 0; j < i; j += 2)
      if (content[j]!.value === content[i]!.value && content[j]!.kind === content[i]!.kind) return true
  return false
}
