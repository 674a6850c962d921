import { YamlNode } from './node.ts'
import { resolve } from './resolve.ts'
import type { Mark, Token } from './token.ts'
import { YamlError } from './yaml-error.ts'

export const STANDARD_PREFIX = 'tag:yaml.org,2002:'

/** The tag of a scalar that has none. */
export const tagOf = ({ value, style }: Pick<Token, 'value' | 'style'>): string => {
  if (style !== '') return '!!str'
  return value === '<<' ? '!!merge' : resolve(value, 'kyaml').tag
}

/** The null of a key or item without a value, which begins at this place. */
export const emptyScalar = (start: Mark): YamlNode => {
  const node = new YamlNode('scalar', '!!null', '')
  node.line = start.line + 1
  return node
}

/** A written tag takes precedence over the resolved one. */
export const applyTag = (node: YamlNode, tag: string): void => {
  if (tag === '') return
  if (tag === '!') {
    node.nonSpecific = true
    return
  }
  node.tag = tag.startsWith(STANDARD_PREFIX) ? `!!${tag.slice(STANDARD_PREFIX.length)}` : tag
  node.tagged = true
}

/** go-yaml counts these lines from the construct's start, and one less than the scanner's. */
export const parserFault = (problem: string, context: Mark, at: Mark = context): YamlError =>
  new YamlError(problem, context.line || at.line, '', at.line || context.line)
