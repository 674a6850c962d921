import { hubKindNamed, hubKinds } from '../foundations/kinds/hub-kinds.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { CommandFailed } from './command-failed.ts'

/** Finds a Flux kind by any of its names, in any case. Fails with the list of names. */
export const fluxKindNamed = (name: string): Kind => {
  const found = hubKindNamed(name)
  if (found) return found
  throw new CommandFailed(
    `unknown kind '${name}': the kinds are ${hubKinds.map(({ singular }) => singular).join(', ')}`,
  )
}

/** `KIND/NAME`, or only `KIND` if the name is optional. */
export const parseTarget = (word: string): { readonly kind: Kind; readonly name?: string } => {
  const [kindName = '', name, ...more] = word.split('/')
  if (!kindName || name === '' || more.length > 0) throw new CommandFailed(`'${word}' is not of the form KIND/NAME`)
  return { kind: fluxKindNamed(kindName), ...(name !== undefined && { name }) }
}
