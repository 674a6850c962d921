import { quote } from '../../../foundations/go/quote.ts'
import type { Node, Operand, PipeNode } from './node.ts'

/** A node as Go's messages quote it: always with `{{` and `}}`, and single spaces. */
export const writeNode = (node: Node): string => {
  switch (node.type) {
    case 'action':
      return `{{${writePipe(node.pipe)}}}`
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${writePipe(node.pipe)}` : ''}}}`
    case 'pipe':
      return writePipe(node)
    case 'command':
      return node.operands.map(enclosed).join(' ')
    case 'chain':
      return [enclosed(node.of), ...node.fields].join('.')
    case 'variable':
      return [node.name, ...node.fields].join('.')
    case 'field':
      return ['', ...node.fields].join('.')
    case 'identifier':
      return node.name
    case 'number':
      return node.text
    case 'string':
      return node.quoted
    case 'bool':
      return String(node.value)
    case 'dot':
      return '.'
    case 'nil':
      return 'nil'
  }
}

const writePipe = ({ declarations, isAssign, commands }: PipeNode): string => {
  const names = declarations.map(({ name }) => name).join(', ')
  const head = names && `${names} ${isAssign ? '=' : ':='} `
  return head + commands.map(writeNode).join(' | ')
}

const enclosed = (node: Operand): string => (node.type === 'pipe' ? `(${writePipe(node)})` : writeNode(node))
