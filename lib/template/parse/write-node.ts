import { quote } from '../format/quote.ts'
import type { CommandNode, Node, Operand, PipeNode } from './node.ts'

/** A node as Go's messages quote it: always with `{{` and `}}`, and a single space between words. */
export const writeNode = (node: Node): string => {
  switch (node.type) {
    case 'pipe':
      return writePipe(node)
    case 'command':
      return writeCommand(node)
    case 'action':
      return `{{${writePipe(node.pipe)}}}`
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${writePipe(node.pipe)}` : ''}}}`
    case 'text':
      return node.text
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.type} ${writePipe(node.pipe)}}}`
    case 'break':
    case 'continue':
      return `{{${node.type}}}`
    default:
      return writeOperand(node)
  }
}

const writePipe = ({ declarations, isAssign, commands }: PipeNode): string => {
  const names = declarations.map(({ name }) => name).join(', ')
  const head = names && `${names} ${isAssign ? '=' : ':='} `
  return head + commands.map(writeCommand).join(' | ')
}

const writeCommand = ({ operands }: CommandNode): string => operands.map(enclosed).join(' ')

const enclosed = (node: Operand): string => (node.type === 'pipe' ? `(${writePipe(node)})` : writeOperand(node))

const writeOperand = (node: Operand): string => {
  switch (node.type) {
    case 'pipe':
      return writePipe(node)
    case 'chain':
      return [enclosed(node.of), ...node.fields].join('.')
    case 'field':
      return `.${node.fields.join('.')}`
    case 'variable':
      return [node.name, ...node.fields].join('.')
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
