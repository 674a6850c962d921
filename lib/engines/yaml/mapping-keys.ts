/** Mapping keys: which ones are merge keys, and their names in JSON. */
import { shortestSingle } from '../../foundations/go/decimal.ts'
import { formatFloat } from '../../foundations/go/format-float.ts'
import type { YamlNode } from './node.ts'
import { resolve } from './resolve.ts'
import { tagToWrite } from './written-form.ts'

/** An empty text written without a tag. */
export const isBareEmpty = (node: YamlNode): boolean => node.value === '' && tagToWrite(node) === ''

/** The node that an alias refers to. */
export const targetOf = (node: YamlNode): YamlNode => (node.kind === 'alias' ? node.alias! : node)

/** Whether the key merges another mapping into this one. */
export const isMergeKey = (key: YamlNode): boolean => key.value === '<<' && (key.tag === '' || key.tag === '!!merge')

/** A key in quotes without a tag, such as an empty one, is read back as a string. */
export const hasOddKey = ({ content }: YamlNode): boolean => {
  for (let i = 0; i < content.length; i += 2) {
    const key = targetOf(content[i]!)
    const { tag, tagged, style, value } = key
    if (isBareEmpty(content[i]!) || tag === '!!str' || tag === '!!merge') continue
    const found = resolve(value, 'kyaml').tag
    if (style !== '' && style !== 'flow' && !tagged && (tag === '' || found === tag)) continue
    if (tag !== '' || found !== '!!str') return true
  }
  return false
}

/** A float as a field name has single precision; infinities are written as in YAML. */
export const floatKey = (value: number): string => {
  const single = Math.fround(value)
  if (Number.isNaN(single)) return '.nan'
  if (single === Number.POSITIVE_INFINITY) return '.inf'
  if (single === Number.NEGATIVE_INFINITY) return '-.inf'
  return formatFloat(shortestSingle(single), 'g', -1)
}
