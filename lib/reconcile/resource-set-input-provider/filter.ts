import { RE2JS } from 're2js'
import { parseConstraint } from '../../engines/semver/constraint.ts'
import { matchingTags } from '../../engines/semver/matching-tags.ts'
import type { InputFilter } from '../../foundations/kinds/resource-set-input-provider.ts'

const defaultLimit = 100

/** How many inputs are exported at most: flux-operator's default is 100. */
export const limitOf = ({ limit = defaultLimit }: InputFilter): number => limit

type Named = 'Branch' | 'Tag' | 'Environment'

/** A filter of names by the two expressions for this sort of name. Fails if one is malformed. */
export const nameFilter = (filter: InputFilter, named: Named): ((name: string) => boolean) => {
  const include = compile(filter[`include${named}`], `include${named}`)
  const exclude = compile(filter[`exclude${named}`], `exclude${named}`)
  return name => (include?.test(name) ?? true) && !exclude?.test(name)
}

const compile = (pattern: string | undefined, field: string): RE2JS | undefined => {
  if (!pattern) return undefined
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    throw new Error(`spec.filter.${field}: invalid regular expression '${pattern}': ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** The tags that match by name and, with a range, by version, newest first (RS-144). */
export const wantedTags = (filter: InputFilter, tags: readonly string[]): readonly string[] => {
  const named = tags.filter(nameFilter(filter, 'Tag'))
  const wanted = filter.semver
    ? matchingTags(parseConstraint(filter.semver), named).map(({ original }) => original)
    : named
  return wanted.slice(0, limitOf(filter))
}

/** The first matching items, up to the limit; reads no more than needed. */
export const firstWanted = async <T>(
  items: AsyncIterable<T>,
  filter: InputFilter,
  isWanted: (item: T) => boolean,
): Promise<readonly T[]> => {
  const most = limitOf(filter)
  const wanted: T[] = []
  for await (const item of items) {
    if (isWanted(item)) wanted.push(item)
    if (wanted.length >= most) break
  }
  return wanted
}
