import type { RE2JS } from 're2js'
import { compileRegexp } from '../../foundations/go/compile-regexp.ts'
import { expand } from '../../foundations/go/expand.ts'
import type { TagFilter } from '../../foundations/kinds/image-policy.ts'
import { InvalidPolicy } from './invalid-policy.ts'

/**
 * The tags that match, by what is extracted from them, or by themselves. Of equal extracts the later tag wins. Fails with InvalidPolicy.
 */
export const filterTags = (
  { pattern = '', extract = '' }: TagFilter,
  tags: readonly string[],
): ReadonlyMap<string, string> => {
  const expression = requireExpression(pattern)
  const names = new Set(Object.keys(expression.namedGroups()))
  const found = new Map<string, string>()
  for (const tag of tags) {
    const matcher = expression.matcher(tag)
    if (!matcher.find()) continue
    const groupOf = (group: number | string): string => {
      if (typeof group === 'string') return (names.has(group) && matcher.group(group)) || ''
      return (group <= matcher.groupCount() && matcher.group(group)) || ''
    }
    found.set(extract ? expand(extract, groupOf) : tag, tag)
  }
  return found
}

const requireExpression = (pattern: string): RE2JS => {
  try {
    return compileRegexp(pattern)
  } catch (error) {
    const what = `invalid regular expression pattern '${pattern}': ${(error as Error).message}`
    throw new InvalidPolicy(`failed to filter tags: ${what}`)
  }
}
