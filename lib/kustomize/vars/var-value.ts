import { formatFloat } from '../../go/format-float.ts'
import type { YamlNode } from '../../yaml/node.ts'

/** What a var stands for: text, or another scalar that keeps its type when it is all of a field. */
export interface VarValue {
  /** Inside of other text. */
  readonly text: string
  /** As all of a field. */
  readonly whole: string
  readonly tag: string
}

/** The value of a scalar as Go reads and prints it; undefined when it does not take it for a number. */
export const varValue = ({ tag, value }: YamlNode): VarValue | undefined => {
  switch (tag) {
    case '!!int':
      return integer(value)
    case '!!float':
      return float(value)
    case '!!bool':
      return same(tag, value.toLowerCase())
    default:
      return same('!!str', value)
  }
}

const same = (tag: string, text: string): VarValue => ({ tag, text, whole: text })

const integer = (value: string): VarValue | undefined => {
  if (!/^[-+]?\d+$/.test(value)) return undefined
  const number = BigInt(value)
  return BigInt.asIntN(64, number) === number ? same('!!int', String(number)) : undefined
}

const float = (value: string): VarValue | undefined => {
  const number = Number(value)
  if (!Number.isFinite(number)) return undefined
  return { tag: '!!float', text: formatFloat(number, 'g', -1), whole: formatFloat(number, 'f', -1) }
}
