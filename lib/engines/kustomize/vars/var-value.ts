import { formatFloat } from '../../../foundations/go/format-float.ts'
import { parseBool } from '../../../foundations/go/parse-bool.ts'
import { parseFloat64 } from '../../../foundations/go/parse-float.ts'
import type { YamlNode } from '../../yaml/node.ts'

/** The value of a var: text, or another scalar that keeps its type if it is a field's whole value. */
export interface VarValue {
  /** Within other text. */
  readonly text: string
  /** As the whole value of a field. */
  readonly whole: string
  /** `''` for other types than string: the text decides. */
  readonly tag: '!!str' | ''
}

/** The value of a scalar as Go parses and prints it; undefined for a number that Go can't parse. */
export const varValue = ({ tag, value }: YamlNode): VarValue | undefined => {
  switch (tag) {
    case '!!int':
      return integer(value)
    case '!!float':
      return float(value)
    case '!!bool':
      return boolean(value)
    default:
      return same('!!str', value)
  }
}

const same = (tag: VarValue['tag'], text: string): VarValue => ({ tag, text, whole: text })

const integer = (value: string): VarValue | undefined => {
  if (!/^[-+]?\d+$/.test(value)) return undefined
  const number = BigInt(value)
  return BigInt.asIntN(64, number) === number ? same('', String(number)) : undefined
}

const boolean = (value: string): VarValue | undefined => {
  const known = parseBool(value)
  return known === undefined ? undefined : same('', String(known))
}

const float = (value: string): VarValue | undefined => {
  const number = parseFloat64(value) ?? Number.NaN
  if (!Number.isFinite(number)) return undefined
  return { tag: '', text: formatFloat(number, 'g', -1), whole: formatFloat(number, 'f', -1) }
}
