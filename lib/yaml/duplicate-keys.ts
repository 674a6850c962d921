import type { YamlNode } from './node.ts'

/** Every pair of keys that are the same, in the order of the first; no more than a message can hold. */
export const duplicateKeys = ({ content }: YamlNode): string[] => {
  if (!hasDuplicates(content)) return []
  const groups = new Map<string, YamlNode[]>()
  for (let i = 0; i < content.length; i += 2) {
    const name = `${content[i]!.kind} ${content[i]!.value}`
    groups.set(name, [...(groups.get(name) ?? []), content[i]!].slice(0, PAIRS))
  }
  const pairs: string[] = []
  for (const group of groups.values())
    for (const [i, { line }] of group.entries())
      for (const key of group.slice(i + 1))
        pairs.push(`line ${key.line}: mapping key ${JSON.stringify(key.value)} already defined at line ${line}`)
  return pairs.slice(0, PAIRS)
}
const PAIRS = 100

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
