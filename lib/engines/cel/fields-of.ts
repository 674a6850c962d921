import type { Node } from './syntax.ts'

/** The fields that a syntax tree selects of a variable by their names. */
export const fieldsOf = (root: Node, variable: string): readonly string[] => {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const each of part) visit(each)
    if (!isNode(part)) return
    if (part.op === '.' || part.op === '.?') {
      const [of, name] = part.args as readonly [Node, unknown]
      if (of.op === 'id' && of.args === variable) found.add(nameOf(name))
    }
    visit(part.args)
  }
  visit(root)
  return [...found]
}

const isNode = (part: unknown): part is Node => typeof part === 'object' && part !== null && 'op' in part

const nameOf = (name: unknown): string => (isNode(name) ? String(name.args) : String(name))
