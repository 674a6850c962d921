/** The kinds of Flux and Keelson: those that people name without their group. */
import { builtInKinds } from './all.ts'
import type { Kind } from './kind.ts'
import { isHubGroup } from './references.ts'

export const hubKinds: readonly Kind[] = builtInKinds.filter(({ group }) => isHubGroup(group))

/** By its kind, plural, singular or a short name, in any case; undefined if none has it. */
export const hubKindNamed = (word: string): Kind | undefined => {
  const name = word.toLowerCase()
  return hubKinds.find(({ kind, plural, singular, shortNames }) =>
    [kind.toLowerCase(), plural, singular, ...shortNames].includes(name),
  )
}
