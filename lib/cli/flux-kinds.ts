import { builtInKinds } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { CommandFailed } from './command-failed.ts'

/** A kind of Flux by any of its names, in any case. Fails with the names that there are. */
export const fluxKindNamed = (name: string): Kind => {
  const asked = name.toLowerCase()
  const kinds = builtInKinds.filter(({ group }) => group.includes('fluxcd'))
  const found = kinds.find(({ kind, plural, singular, shortNames }) =>
    [kind.toLowerCase(), plural, singular, ...shortNames].includes(asked),
  )
  if (found) return found
  throw new CommandFailed(`unknown kind '${name}': the kinds are ${kinds.map(({ singular }) => singular).join(', ')}`)
}

/** `KIND/NAME`, or only `KIND` where a name may be left out. */
export const parseTarget = (word: string): { readonly kind: Kind; readonly name?: string } => {
  const [kindName = '', name, ...more] = word.split('/')
  if (!kindName || name === '' || more.length > 0) throw new CommandFailed(`'${word}' is not of the form KIND/NAME`)
  return { kind: fluxKindNamed(kindName), ...(name !== undefined && { name }) }
}
