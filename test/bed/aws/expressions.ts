import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { KeyRange } from './sorted-partitions.ts'

/** DynamoDB's expressions, as far as the adapters use them. Anything else is an error, as a typing error would be there. */

export type Item = Record<string, AttributeValue>

export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  readonly ExpressionAttributeValues?: Item | undefined
}

/** Whether an item satisfies a condition or filter; undefined = there is no item. */
export const satisfies = (
  expression: string | undefined,
  item: Item | undefined,
  placeholders: Placeholders,
): boolean => {
  if (expression === undefined) return true
  const parser = tokens(expression)
  const result = anyOf(parser, { item: item ?? {}, ...placeholders })
  parser.end()
  return result
}

/** Between which sort keys the condition of a query looks, `#pk = :pk AND #sk ...`. A superset: the condition itself may exclude the ends. */
export const keyRange = ({
  KeyConditionExpression = '',
  ExpressionAttributeValues: values = {},
}: Placeholders & { readonly KeyConditionExpression?: string | undefined }): KeyRange => {
  const [, , , and, , how, first = '', , second = ''] = tokensOf(KeyConditionExpression)
  const textOf = (name: string): string | undefined => values[name]?.S
  if (and === undefined) return {}
  if (how === 'BETWEEN') return { from: textOf(first), to: textOf(second) }
  if (how === '=') return { from: textOf(first), to: textOf(first) }
  return how?.startsWith('>') ? { from: textOf(first) } : how?.startsWith('<') ? { to: textOf(first) } : {}
}

/** The item after an update expression. */
export const updated = (expression: string, item: Item, placeholders: Placeholders): Item => {
  const parser = tokens(expression)
  const context = { item, ...placeholders }
  const after = { ...item }
  for (;;) {
    const clause = parser.take()
    if (clause === undefined) return after
    do {
      const name = nameAt(parser.take(), context)
      if (clause === 'REMOVE') delete after[name]
      else if (clause === 'SET') {
        parser.expect('=')
        after[name] = sum(parser, context)!
      } else if (clause === 'ADD') {
        const added = operand(parser, context)
        after[name] = { N: String(Number(item[name]?.N ?? 0) + Number(added?.N)) }
      } else throw new Error(`not an update clause: ${clause}`)
    } while (parser.accept(','))
  }
}

interface Context extends Placeholders {
  readonly item: Item
}

type Parser = ReturnType<typeof tokens>

const tokensOf = (text: string): readonly string[] => text.match(/#\w+|:\w+|\w+|<=|>=|<>|[=<>(),+]/g) ?? []

const tokens = (text: string) => {
  const found = tokensOf(text)
  let at = 0
  const parser = {
    peek: (): string | undefined => found[at],
    take: (): string | undefined => found[at++],
    accept: (token: string): boolean => {
      if (found[at] !== token) return false
      at++
      return true
    },
    expect: (token: string): void => {
      if (!parser.accept(token)) throw new Error(`expected ${token} at token ${at} of: ${text}`)
    },
    end: (): void => {
      if (at < found.length) throw new Error(`unexpected ${found[at]} in: ${text}`)
    },
  }
  return parser
}

const anyOf = (parser: Parser, context: Context): boolean => {
  let result = allOf(parser, context)
  while (parser.accept('OR')) result = allOf(parser, context) || result
  return result
}

const allOf = (parser: Parser, context: Context): boolean => {
  let result = term(parser, context)
  while (parser.accept('AND')) result = term(parser, context) && result
  return result
}

const term = (parser: Parser, context: Context): boolean => {
  if (parser.accept('(')) {
    const result = anyOf(parser, context)
    parser.expect(')')
    return result
  }
  const word = parser.peek()!
  if (word in tests) {
    parser.take()
    parser.expect('(')
    const name = nameAt(parser.take(), context)
    const value = parser.accept(',') ? operand(parser, context) : undefined
    parser.expect(')')
    return tests[word]!(context.item[name], value)
  }
  const left = operand(parser, context)
  const comparison = parser.take()!
  const right = operand(parser, context)
  if (comparison !== 'BETWEEN') return compared(left, comparison, right)
  parser.expect('AND')
  const upper = operand(parser, context)
  return compared(left, '>=', right) && compared(left, '<=', upper)
}

const tests: Readonly<Record<string, (value: AttributeValue | undefined, other?: AttributeValue) => boolean>> = {
  attribute_exists: value => value !== undefined,
  attribute_not_exists: value => value === undefined,
  contains: (value, part) => value?.S?.includes(part?.S ?? '\0') ?? false,
}

const sum = (parser: Parser, context: Context): AttributeValue | undefined => {
  const value = operand(parser, context)
  if (!parser.accept('+')) return value
  return { N: String(Number(value?.N) + Number(operand(parser, context)?.N)) }
}

const operand = (parser: Parser, context: Context): AttributeValue | undefined => {
  const token = parser.take()
  if (token === 'if_not_exists') {
    parser.expect('(')
    const known = context.item[nameAt(parser.take(), context)]
    parser.expect(',')
    const otherwise = operand(parser, context)
    parser.expect(')')
    return known ?? otherwise
  }
  if (token?.startsWith('#')) return context.item[nameAt(token, context)]
  const value = context.ExpressionAttributeValues?.[token ?? '']
  if (!value) throw new Error(`no value is given for ${token}`)
  return value
}

const nameAt = (token: string | undefined, { ExpressionAttributeNames: names }: Context): string => {
  const name = names?.[token ?? '']
  if (name === undefined) throw new Error(`no name is given for ${token}`)
  return name
}

/** What has no such attribute, or one of another type, compares with nothing. */
const compared = (left: AttributeValue | undefined, how: string, right: AttributeValue | undefined): boolean => {
  const order = orderOf(left, right)
  if (order === undefined) return how === '<>'
  if (how === '=') return order === 0
  if (how === '<>') return order !== 0
  if (how === '<') return order < 0
  if (how === '<=') return order <= 0
  if (how === '>') return order > 0
  if (how === '>=') return order >= 0
  throw new Error(`not a comparison: ${how}`)
}

const orderOf = (left: AttributeValue | undefined, right: AttributeValue | undefined): number | undefined => {
  if (left?.S !== undefined && right?.S !== undefined) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S))
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N)
  if (left?.BOOL !== undefined && right?.BOOL !== undefined) return left.BOOL === right.BOOL ? 0 : 1
  return undefined
}
