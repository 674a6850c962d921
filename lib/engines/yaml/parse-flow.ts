import { Budget } from '../../foundations/budget/budget.ts'
import { mapNode, seqNode, type YamlNode } from './node.ts'
import { Parser } from './parser.ts'

/** A value in brackets: its tree, the index behind it, and how many nodes the Parser charges for it. */
export interface FlowValue {
  readonly root: YamlNode
  readonly end: number
  readonly nodes: number
}

/**
 * Reads the value in brackets that starts at an index and ends on the same line, which has this number, from 0. Undefined for one that
 * does not end there. Throws YamlError as the Parser does.
 */
export const parseFlow = (text: string, at: number, line: number): FlowValue | undefined => {
  if (text.startsWith('[]', at)) return empty(seqNode(), at, line)
  if (text.startsWith('{}', at)) return empty(mapNode(), at, line)
  const end = flowEnd(text, at)
  if (end === undefined) return undefined
  const value = text.slice(at, end)
  if (value.includes('\n')) return undefined
  const budget = new Budget()
  const parser = new Parser(value, { budget })
  const { root } = parser.next()!
  if (parser.next()) return undefined
  moveTo(line, root)
  return { root, end, nodes: budget.used.nodes }
}

/** Most values in brackets. */
const empty = (root: YamlNode, at: number, line: number): FlowValue => {
  root.style = 'flow'
  root.line = line + 1
  return { root, end: at + 2, nodes: 1 }
}

const MARK = /["'#\n[\]{}]/g

/** Finds the bracket that closes the one at an index, not beyond comments and line breaks; texts in quotes may have any. */
const flowEnd = (text: string, at: number): number | undefined => {
  let depth = 0
  MARK.lastIndex = at
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const [mark] = found
    if (mark === '#' || mark === '\n') return undefined
    if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') {
      if (--depth === 0) return MARK.lastIndex
    } else {
      const close = text.indexOf(mark, MARK.lastIndex)
      if (close < 0) return undefined
      MARK.lastIndex = close + 1
    }
  }
  return undefined
}

/** The Parser counted lines of the value alone. */
const moveTo = (line: number, node: YamlNode): void => {
  node.line += line
  for (const child of node.content) moveTo(line, child)
}
